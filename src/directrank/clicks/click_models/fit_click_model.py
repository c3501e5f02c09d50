"""Click models by name."""

from __future__ import annotations

from typing import Any

from ...data import InputError
from ..click_log import ClickLog
from .cascade import CascadeModel
from .click_model import ClickModel
from .dependent_click import DependentClickModel
from .dynamic_bayesian import DynamicBayesianModel
from .position_based import PositionBasedModel
from .simplified_dynamic import SimplifiedDynamicModel
from .user_browsing import UserBrowsingModel

#: Click models by name, in lower case.
CLICK_MODELS: dict[str, type[Any]] = {
    model.name: model
    for model in (
        PositionBasedModel,
        CascadeModel,
        DependentClickModel,
        SimplifiedDynamicModel,
        DynamicBayesianModel,
        UserBrowsingModel,
    )
}


def fit_click_model(log: ClickLog, name: str = "PBM", **options: Any) -> ClickModel:
    """Estimate a click model from a log.

    Parameters
    ----------
    log : ClickLog
    name : {"PBM", "cascade", "DCM", "SDBN", "DBN", "UBM"}
        In capitals or not.
    **options
        Those of the model's ``fit``: `prior`, a pair of pseudo-counts, and for PBM, DBN and UBM `max_iter` and `tol`.
    """
    by_name = {known.lower(): model for known, model in CLICK_MODELS.items()}
    if name.lower() not in by_name:
        raise InputError(f"there is no click model {name!r}, but {', '.join(CLICK_MODELS)}")
    fitted: ClickModel = by_name[name.lower()].fit(log, **options)
    return fitted
