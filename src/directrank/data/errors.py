"""The exception for invalid input, and the warning about suspicious input."""


class InputError(ValueError):
    """Invalid input; the message names the place and what to do."""


class InputWarning(UserWarning):
    """Input that is used only in part, or may have been meant otherwise."""


class MissingQueriesWarning(InputWarning):
    """A table without a column of queries, whose rows are then one query."""
