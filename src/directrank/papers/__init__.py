"""The papers' experiments as records that anyone can run, published figures beside ours."""

from .catalogue import PAPERS, experiment, experiments
from .experiment import Claim, Experiment, Outcome, Source
from .rows import Rows

__all__ = ["PAPERS", "Claim", "Experiment", "Outcome", "Rows", "Source", "experiment", "experiments"]


def __dir__() -> list[str]:
    return __all__
