"""Rankers of trees: categorical columns, and the model or scores that training starts from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import lightgbm as lgb
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from ...arrays import Floats
from ...data import InputError
from ...data.checked_arrays import as_scores
from ...data.frames import reorder_columns
from ...measures import SupportsEvaluate
from ...models import TreesModel
from ...models.trees.categories import Categories, as_matrix, categories_of, check_columns, unordered
from ..core.checked_rows import check_finite_values
from ..core.monitoring import Callback, Monitor
from ..core.ranker import QueryWeight, Ranker
from ..core.shards import Shards
from ..core.validation import EvalSet
from .auto_params import AUTO
from .init import align_init_model, as_init_model, check_init_scores, fit_init


class TreeRanker(Ranker):
    """Ranker whose model is a `TreesModel`.

    Attributes
    ----------
    init : ranker, "auto" or None
        Ranker whose scores the trees are added to.
    """

    init: Ranker | str | None

    _takes_init_score = True
    categories_: Categories = {}
    _unordered: list[int] = []

    #: The `init_model` of the current fit.
    _init_model: Any = None

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        group: ArrayLike | None = None,
        query_weight: QueryWeight | None = None,
        eval_set: EvalSet | Sequence[EvalSet] | None = None,
        eval_measures: str | type | SupportsEvaluate | Sequence[str | type | SupportsEvaluate] | None = None,
        callbacks: Sequence[Callback] | None = None,
        init_model: Any = None,
        init_score: ArrayLike | None = None,
        keep_partial: bool = False,
    ) -> Self:
        """Learn from graded documents.

        Parameters
        ----------
        X, y, qid, group, query_weight, eval_measures, callbacks, keep_partial
            See `Ranker.fit`.
        eval_set : (X, y, qid) or a list of such, optional
            Validation sets; the first one chooses the best round. With `init_score` each is (X, y, qid, init_score).
        init_model : model, fitted learner, path of a saved model, or LightGBM's booster, optional
            Model to continue training from: `n_estimators` rounds are added to it, and both are the model.
        init_score : array, optional
            Initial score of each row, which is no part of the model: `predict` gives that of the trees alone, as in
            LightGBM.
        """
        self._forget()
        self._check_one_start(init_model)
        check_init_scores(init_score, eval_set)
        self._init_model, self._init_score = init_model, init_score
        try:
            return super().fit(
                X,
                y,
                qid,
                group=group,
                query_weight=query_weight,
                eval_set=eval_set,
                eval_measures=eval_measures,
                callbacks=callbacks,
                keep_partial=keep_partial,
            )
        finally:
            self._init_model, self._init_score = None, None

    def fit_shards(
        self,
        training: Shards,
        eval_set: Shards | Sequence[Shards] | None = None,
        *,
        eval_measures: str | type | SupportsEvaluate | Sequence[str | type | SupportsEvaluate] | None = None,
        callbacks: Sequence[Callback] | None = None,
        init_model: Any = None,
        keep_partial: bool = False,
    ) -> Self:
        """Learn from shards: `fit` for rows that may live anywhere.

        Parameters
        ----------
        training : Shards
            Their tasks may have an `init_score`; the tasks of the `eval_set` then must have one too.
        eval_set, eval_measures, callbacks, keep_partial
            See `Ranker.fit_shards`.
        init_model
            See `fit`.
        """
        self._forget()
        self._check_one_start(init_model)
        self._init_model = init_model
        try:
            return super().fit_shards(
                training, eval_set, eval_measures=eval_measures, callbacks=callbacks, keep_partial=keep_partial
            )
        finally:
            self._init_model = None

    def _check_one_start(self, init_model: Any) -> None:
        if init_model is not None and self.init is not None and self.init != AUTO:
            raise InputError("both init and init_model are given, and trees start from one model; give one of them")

    @property
    def booster_(self) -> lgb.Booster:
        check_is_fitted(self, "model_")
        return self.model_.booster  # type: ignore[attr-defined]

    @property
    def feature_importances_(self) -> NDArray[Any]:
        """Number of splits on each feature; ``booster_.feature_importance("gain")`` gives their gain."""
        check_is_fitted(self, "model_")
        return self.model_.split_counts  # type: ignore[attr-defined, no-any-return]

    def _check_init_score(self, init_score: ArrayLike | None, n_rows: int) -> Floats | None:
        return None if init_score is None else as_scores(init_score, n_rows, "init_score")

    def _forget(self) -> None:
        super()._forget()
        self.__dict__.pop("_unordered", None)

    def _initial_model(
        self, init: Ranker | None, training: Shards, validation: Shards | None, monitor: Monitor
    ) -> TreesModel | None:
        """Model that boosting starts from, if any: the `init_model` of the fit, or else that of a ranker."""
        called = "init" if self._init_model is None else "init_model"
        model = getattr(init, "model_", None) if self._init_model is None else as_init_model(self._init_model)
        if model is None:
            return None if init is None else fit_init(init, training, validation, monitor)
        if self._columns is not None:
            raise InputError(f"{called} is fitted, and X is sparse and very wide; start from an init that is not fitted")
        names = getattr(self, "feature_names_in_", None)
        return align_init_model(called, model, training.n_features, names, self.categories_)

    def _check_X(self, X: Any, *, reset: bool) -> Any:
        """X checked; the categories of a frame as numbers."""
        if reset:
            self.categories_, self._unordered = categories_of(X), unordered(X)
        else:
            check_columns(self.categories_, X)
        if not self.categories_ or not hasattr(X, "columns"):
            return super()._check_X(X, reset=reset)
        X = X if reset else reorder_columns(X, self.feature_names_in_)
        validate_data(self, X, reset=reset, skip_check_array=True)
        matrix = as_matrix(X, self.categories_)
        check_finite_values(matrix, self.feature_names_in_)
        return matrix
