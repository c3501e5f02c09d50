"""The exception for models that cannot be read, saved or exported."""


class ModelError(ValueError):
    """An invalid or incomplete model file, or a model that a format cannot hold; the message says what to do."""
