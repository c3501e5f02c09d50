"""The exception for invalid input, and the warning about suspicious input."""


class InputError(ValueError):
    """Invalid input; the message names the place and what to do."""


class ValueInRowError(InputError):
    """A value of X or y that is not allowed.

    Parameters
    ----------
    message : str
        The error for arrays.
    row, column : int
        Place of the value, from 0; -1 as the column is y.
    advice : str
        What is wrong with the value and what to do, for readers of files, which know the names of file, line and column.
    """

    def __init__(self, message: str, row: int, column: int, advice: str) -> None:
        super().__init__(message)
        self.row, self.column, self.advice = row, column, advice


class InputWarning(UserWarning):
    """Input that is used only in part, or may have been meant otherwise."""


class MissingQueriesWarning(InputWarning):
    """A table without a column of queries, whose rows are then one query."""
