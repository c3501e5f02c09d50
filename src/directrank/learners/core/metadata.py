"""Which arguments, beyond X and y, an estimator of any library takes: scikit-learn's metadata, such as qid."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object


def routes(estimator: Any) -> bool:
    """Whether it hands on what it is given, as scikit-learn's Pipeline does."""
    return isinstance(get_routing_for_object(estimator), MetadataRouter)


def takes(estimator: Any, method: str, name: str) -> bool:
    """Whether a method takes an argument of that name; of a pipeline and the like, whether a part of it asks for it there.

    A `fit` that takes anything takes it too. A `predict` that does, as LightGBM's, has parameters of its own in mind.
    """
    parameters = signature(getattr(estimator, method)).parameters
    if name in parameters:
        return True
    if routes(estimator):
        return bool(get_routing_for_object(estimator).consumes(method, [name]))
    return method == "fit" and any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values())
