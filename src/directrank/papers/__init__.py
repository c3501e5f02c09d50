"""The experiments of papers as records: data, protocol, published figures, claims."""

from .catalogue import PAPERS, experiment, experiments
from .experiment import Claim, Experiment, Outcome, Source
from .rows import Rows

__all__ = ["PAPERS", "Claim", "Experiment", "Outcome", "Rows", "Source", "experiment", "experiments"]


def __dir__() -> list[str]:
    return __all__
