"""The exception for bad input, and the warning about input that is not what it seems."""


class InputError(ValueError):
    """Bad input; the message is one sentence that says where it is and what to do."""


class InputWarning(UserWarning):
    """Input that can be used, though not as a whole or not as it may have been meant."""
