"""Custom learners, given as ``--learner MODULE:CLASS``."""

from __future__ import annotations

import inspect
from copy import deepcopy
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from ...data.errors import InputError
from .custom_modules import current_folder_importable

if TYPE_CHECKING:
    from ...measures import SupportsEvaluate


def make_custom_learner(name: str, measure: SupportsEvaluate, parameters: dict[str, Any]) -> Any:
    """Make a learner of a class that has ``fit(X, y, qid)`` or ``fit(X, y)``, and ``predict(X)``.

    A subclass of `directrank.learners.Ranker` is used directly. Any other class, such as a scikit-learn estimator, is
    wrapped in an `EstimatorAdapter`, whose model cannot be saved.
    """
    from ...learners.core.ranker import Ranker

    learner_class = _import(name)
    accepted = inspect.signature(learner_class).parameters
    if not any(each.kind is each.VAR_KEYWORD for each in accepted.values()):
        for parameter in parameters.keys() - accepted.keys():
            has = f"it has {', '.join(accepted)}" if accepted else "it has no parameters"
            raise InputError(f"--set: {name} has no parameter {parameter!r}; {has}")
    try:
        learner = learner_class(**({"measure": measure} if "measure" in accepted else {}), **parameters)
    except (TypeError, ValueError) as error:
        raise InputError(f"--learner {name}: it cannot be constructed: {error}") from error
    return learner if isinstance(learner, Ranker) else EstimatorAdapter(learner, name)


class EstimatorAdapter:
    """An estimator of another library with the interface of a learner.

    Parameters
    ----------
    estimator : object
        Has `fit` and `predict`; receives `qid` and `eval_set` if its `fit` has such parameters.
    name : str
        MODULE:CLASS, as the user typed it.
    """

    interrupted_ = False
    joins_shards = False

    def __init__(self, estimator: Any, name: str) -> None:
        self.estimator, self.name = estimator, name

    @property
    def expects_qid(self) -> bool:
        """Whether rows without qid are probably a mistake."""
        return "qid" in self._fit_parameters

    @property
    def takes_eval_set(self) -> bool:
        """Whether the estimator can use a validation set."""
        return "eval_set" in self._fit_parameters

    def fit(self, X: Any, y: Any, qid: Any = None, *, eval_set: Any = None, **others: Any) -> Self:
        from ...models import EstimatorModel

        offered = {"qid": qid, "eval_set": eval_set, **others}
        accepted = self._fit_parameters
        self.estimator.fit(X, y, **{name: v for name, v in offered.items() if name in accepted and v is not None})
        self.model_ = EstimatorModel(self.estimator, X.shape[1])
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the estimator, if it has `get_params`."""
        get_params = getattr(self.estimator, "get_params", None)
        return {} if get_params is None else dict(get_params(deep))

    def set_params(self, **parameters: Any) -> Self:
        self.estimator.set_params(**parameters)
        return self

    def __sklearn_clone__(self) -> Self:
        return type(self)(deepcopy(self.estimator), self.name)

    @property
    def _fit_parameters(self) -> Any:
        return inspect.signature(self.estimator.fit).parameters


def check_savable(learner: Any) -> None:
    """Raise an error, before training, if the model could not be saved."""
    if isinstance(learner, EstimatorAdapter):
        raise InputError(
            f"--learner {learner.name} is not a directrank.learners.Ranker, so its model cannot be written as JSON; "
            "evaluate it with directrank cv, or train and pickle it in Python"
        )


def _import(name: str) -> Any:
    module, _, attribute = name.partition(":")
    try:
        with current_folder_importable(name):
            learner_class = getattr(import_module(module), attribute)
    except Exception as error:  # the user's module may raise anything
        raise InputError(f"--learner {name}: it cannot be imported: {error}") from error
    for method in ("fit", "predict"):
        if not (isinstance(learner_class, type) and callable(getattr(learner_class, method, None))):
            raise InputError(f"--learner {name}: it must be a class with fit(X, y, qid) and predict(X)")
    return learner_class
