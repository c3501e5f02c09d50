"""A learner of the user's own, as ``--learner module:Class`` names it."""

from __future__ import annotations

import inspect
from copy import deepcopy
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from ..data.errors import InputError

if TYPE_CHECKING:
    from ..measures import SupportsEvaluate


def make_own(name: str, measure: SupportsEvaluate, parameters: dict[str, Any]) -> Any:
    """A learner of a class that has ``fit(X, y, qid)`` or ``fit(X, y)``, and ``predict(X)``.

    One that extends `directrank.learners.Ranker` comes as it is. Any other, a scikit-learn estimator for example, comes as
    an `OwnLearner`, whose model cannot be saved.
    """
    from ..learners.core.estimator import Ranker

    kind = _import(name)
    taken = inspect.signature(kind).parameters
    if not any(each.kind is each.VAR_KEYWORD for each in taken.values()):
        for parameter in parameters.keys() - taken.keys():
            has = f"it has {', '.join(taken)}" if taken else "it has none"
            raise InputError(f"--set: {name} has no parameter {parameter!r}; {has}")
    try:
        learner = kind(**({"measure": measure} if "measure" in taken else {}), **parameters)
    except (TypeError, ValueError) as error:
        raise InputError(f"--learner {name}: it cannot be made: {error}") from error
    return learner if isinstance(learner, Ranker) else OwnLearner(learner, name)


class OwnLearner:
    """An estimator of another library in the place of a learner.

    Parameters
    ----------
    estimator : object
        With `fit` and `predict`. It gets `qid` and `eval_set` if its `fit` has such parameters.
    name : str
        As the user named it.
    """

    interrupted_ = False
    joins_shards = False

    def __init__(self, estimator: Any, name: str) -> None:
        self.estimator, self.name = estimator, name

    @property
    def expects_qid(self) -> bool:
        """Whether rows without qid are probably a mistake."""
        return "qid" in self._taken

    @property
    def takes_eval_set(self) -> bool:
        """Whether the estimator has a use for a validation set."""
        return "eval_set" in self._taken

    def fit(self, X: Any, y: Any, qid: Any = None, *, eval_set: Any = None, **others: Any) -> Self:
        from ..models import EstimatorModel

        offered = {"qid": qid, "eval_set": eval_set, **others}
        self.estimator.fit(
            X, y, **{name: value for name, value in offered.items() if name in self._taken and value is not None}
        )
        self.model_ = EstimatorModel(self.estimator, X.shape[1])
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Those of the estimator, where it says them."""
        ask = getattr(self.estimator, "get_params", None)
        return {} if ask is None else dict(ask(deep))

    def set_params(self, **parameters: Any) -> Self:
        self.estimator.set_params(**parameters)
        return self

    def __sklearn_clone__(self) -> Self:
        return type(self)(deepcopy(self.estimator), self.name)

    @property
    def _taken(self) -> Any:
        return inspect.signature(self.estimator.fit).parameters


def refuse_unsaved(learner: Any) -> None:
    """Say before the training that the model could not be written."""
    if isinstance(learner, OwnLearner):
        raise InputError(
            f"--learner {learner.name} is not a directrank.learners.Ranker, so its model cannot be written as JSON; "
            "measure it with directrank cv, or train and pickle it in Python"
        )


def _import(name: str) -> Any:
    module, _, attribute = name.partition(":")
    try:
        kind = getattr(import_module(module), attribute)
    except Exception as error:  # whatever the user's module raises
        raise InputError(f"--learner {name}: it cannot be imported: {error}") from error
    for method in ("fit", "predict"):
        if not (isinstance(kind, type) and callable(getattr(kind, method, None))):
            raise InputError(f"--learner {name}: it must be a class with fit(X, y, qid) and predict(X)")
    return kind
