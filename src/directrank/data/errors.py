"""What is raised on bad input."""


class InputError(ValueError):
    """The input is wrong; the message is one sentence that names the place and what to do."""
