"""Choosing by cross-validation: what a learner reaches, which parameters it needs, what ranks some data best."""

from ..learners.search_space import AlongPath, Between, OneOf
from .choosing import Choice, best
from .cross_validation import CrossValidation, cross_validate
from .trials import Trial
from .tuning import Tuning, tune

__all__ = ["AlongPath", "Between", "Choice", "CrossValidation", "OneOf", "Trial", "Tuning", "best", "cross_validate", "tune"]


def __dir__() -> list[str]:
    return __all__
