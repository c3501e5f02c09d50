"""The exception for bad input."""


class InputError(ValueError):
    """Bad input; the message is one sentence that says where it is and what to do."""
