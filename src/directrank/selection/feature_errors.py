"""Errors of learners about values of a feature, in the terms of the data set from which rows were selected."""

from __future__ import annotations

from ..data import InputError, RankingData
from ..learners.core.validation import TooLargeError


class FeatureError(InputError):
    """A feature has values that a learner does not accept.

    Attributes
    ----------
    problem : str
        Feature, place and problem.
    advice : str
    is_missing : bool
        Whether the value is missing.
    """

    def __init__(self, problem: str, advice: str, is_missing: bool) -> None:
        super().__init__(f"{problem}; {advice}")
        self.problem, self.advice, self.is_missing = problem, advice, is_missing


def feature_error(error: ValueError, data: RankingData) -> FeatureError | None:
    """Error of a learner with the place in a data set; None if it is not about values of a feature.

    Parameters
    ----------
    error : ValueError
        Error of a learner of directrank or of another estimator, about X or some of its rows.
    data : RankingData
    """
    if isinstance(error, FeatureError):
        return error
    missing = data.describe_missing() if "contains NaN" in str(error) else None
    if missing is not None:
        problem = f"{missing} is missing (NaN), and this learner does not accept missing values"
        return FeatureError(problem, "fill them in, or use a learner of directrank", is_missing=True)
    if isinstance(error, TooLargeError) and error.column is not None:
        problem = f"{data.feature_label(error.column)} has values too large to be summed in double precision"
        return FeatureError(problem, "scale it", is_missing=False)
    return None
