"""Checks of what a user hands to a learner: parameters, queries and their weights, validation sets."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object

from ...arrays import Floats, Ints
from ...data import InputError, Queries

#: Random state of an estimator, as in scikit-learn.
RandomState = int | np.random.Generator | np.random.RandomState | None

#: Largest integer that NumPy takes as a seed.
_MAX_SEED = 2**32 - 1

#: Largest feature value whose sums are certain to fit into a float64.
LARGEST_VALUE = 1e300

#: Feature value whose sums with weights may overflow.
LARGE_VALUE = 1e100


class TooLargeError(InputError):
    """Features are too large to be summed in double precision; `Estimator` adds which column it is.

    Attributes
    ----------
    column : int or None
        Column of X, if it is known.
    """

    def __init__(
        self,
        message: str = "the features are too large to be summed in double precision; scale them",
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.column = column


def check_positive(value: Any, name: str, wanted: str = "a number above 0") -> float:
    if not (is_number(value) and 0 < value < np.inf):
        raise InputError(f"{name} must be {wanted}, not {value!r}")
    return float(value)


def check_non_negative(value: Any, name: str, wanted: str = "a number of at least 0") -> float:
    if not (is_number(value) and 0 <= value < np.inf):
        raise InputError(f"{name} must be {wanted}, not {value!r}")
    return float(value)


def check_fraction(value: Any, name: str) -> float:
    if not (is_number(value) and 0 < value <= 1):
        raise InputError(f"{name} must be a number above 0 and up to 1, not {value!r}")
    return float(value)


def check_int(value: Any, name: str, least: int = 1) -> int:
    if not (isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least):
        raise InputError(f"{name} must be an integer of at least {least}, not {value!r}")
    return int(value)


def check_watched(has_validation: bool) -> None:
    """Raise an error for early stopping without a validation set: on training queries the measure rarely stops rising."""
    if not has_validation:
        raise InputError("early_stopping_rounds needs an eval_set (--validate of the command); give one, or leave it out")


def check_bool(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name} must be {' or '.join(map(repr, choices))}, not {value!r}")
    return str(value)


def check_summable(column: Floats) -> Floats:
    """A feature whose sums are finite but for missing values, or an error."""
    if np.fmax.reduce(np.abs(column), initial=0.0) > LARGEST_VALUE:
        raise TooLargeError
    return column


def check_finite(*values: Any) -> None:
    """Raise an error if sums over features have overflowed."""
    if not all(np.all(np.isfinite(value)) for value in values):
        raise TooLargeError


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))


#: Validation set: X, y and qid; and init_score, for a learner that takes it.
EvalSet = tuple[Any, ArrayLike, ArrayLike | None] | tuple[Any, ArrayLike, ArrayLike | None, ArrayLike]

#: Names of the training queries and of the first validation set in `evals_result_`.
TRAINING, VALIDATION = "training", "validation"


def as_eval_sets(eval_set: Any) -> list[EvalSet]:
    """Validation sets as a list, from None, one set or several."""
    if eval_set is None:
        return []
    several = isinstance(eval_set, list) and bool(eval_set) and all(isinstance(part, tuple) for part in eval_set)
    sets = eval_set if several else [eval_set]
    for given in sets:
        if not isinstance(given, (tuple, list)) or len(given) not in (3, 4):
            raise InputError("eval_set must be a tuple of three: X, y and qid (or None); or a list of such tuples")
    return [tuple(given) for given in sets]  # type: ignore[misc]


def name_of_set(number: int) -> str:
    """Name of a validation set, counted from 0.

    Examples
    --------
    >>> name_of_set(0), name_of_set(1)
    ('validation', 'validation_2')
    """
    return VALIDATION if number == 0 else f"{VALIDATION}_{number + 1}"


def qid_from(qid: ArrayLike | None, group: ArrayLike | None, n_rows: int) -> ArrayLike | None:
    """Query of each row, from `qid` or from the sizes of adjacent groups.

    Examples
    --------
    >>> qid_from(None, [2, 3], n_rows=5).tolist()
    [0, 0, 1, 1, 1]
    """
    if group is None:
        return qid
    if qid is not None:
        raise InputError("both qid and group are given, and each says which rows are of one query; give one of them")
    return _repeat(group, n_rows)


def check_qid_is_not_sizes(qid: Any, n_rows: int, where: str) -> None:
    """Raise an error if `qid` holds the sizes of groups, as LightGBM and XGBoost take them."""
    sizes = np.asarray(qid)
    if sizes.ndim != 1 or sizes.size == n_rows or sizes.dtype.kind not in "iu" or int(sizes.sum()) != n_rows:
        return
    raise InputError(
        f"{where} has a qid of {sizes.size:,} numbers that add up to its {n_rows:,} rows, so they are sizes of groups; "
        "give the query of each row: np.repeat(np.arange(len(sizes)), sizes)"
    )


def _repeat(group: ArrayLike, n_rows: int) -> Ints:
    sizes = np.asarray(group)
    is_list = sizes.ndim == 1 and sizes.dtype.kind in "iuf"
    if not is_list or np.any(sizes < 1) or not np.all(np.isfinite(sizes)) or np.any(sizes != sizes.round()):
        raise InputError("group must be a list of how many adjacent rows each query has, each at least 1")
    if int(sizes.sum()) != n_rows:
        raise InputError(f"the sizes in group add up to {int(sizes.sum()):,}, and X has {n_rows:,} rows")
    return np.repeat(np.arange(sizes.size), sizes.astype(np.int64))


def routes_metadata(estimator: Any) -> bool:
    """Whether an estimator passes metadata on to its parts, as scikit-learn's Pipeline does."""
    return isinstance(get_routing_for_object(estimator), MetadataRouter)


def accepts(estimator: Any, method: str, name: str) -> bool:
    """Whether a method accepts an argument; for a pipeline, whether one of its steps requests it.

    A `fit` with ``**kwargs`` accepts it too. In `predict`, as LightGBM's, these are parameters of its own.
    """
    parameters = signature(getattr(estimator, method)).parameters
    if name in parameters:
        return True
    if routes_metadata(estimator):
        return bool(get_routing_for_object(estimator).consumes(method, [name]))
    return method == "fit" and any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values())


def weight_per_query(queries: Queries, query_weight: Any) -> Floats:
    """Weight of each query, in the order of `queries`.

    Parameters
    ----------
    query_weight : None, mapping or pandas Series by qid, or array
        An array has one weight for each query, in the order of their first rows, or one for each row; so has a Series
        whose index is 0, 1, 2 and so on, if these are not the qids.
    """
    n_queries, n_rows = queries.ids.size, int(queries.offsets[-1])
    if query_weight is None:
        return np.ones(n_queries)
    if is_by_qid(query_weight, queries):
        query_weight = _by_id(queries, query_weight)
    weights = as_weights(query_weight)
    if weights.shape == (n_rows,):
        weights = _from_rows(queries, weights)
    if weights.shape != (n_queries,):
        raise InputError(
            f"query_weight has the shape {weights.shape}; give one weight for each of the {n_queries:,} queries, or for "
            f"each of the {n_rows:,} rows"
        )
    if not np.all((weights >= 0) & (weights < np.inf)):
        raise InputError("query_weight has weights that are negative or infinite, or NaN; give 0 to leave a query out")
    return weights


def is_by_qid(weights: Any, queries: Queries) -> bool:
    """Whether weights are a mapping or a pandas Series by qid, rather than in the order of rows or of queries."""
    if isinstance(weights, Mapping):
        return True
    index: Any = getattr(weights, "index", None)
    if not hasattr(index, "get_indexer"):
        return False
    ids, labels = set(queries.ids.tolist()), index.tolist()
    if len(labels) == int(queries.offsets[-1]):
        return set(labels) == ids and len(labels) == len(ids)
    return ids <= set(labels) or labels != list(range(len(labels)))


def _by_id(queries: Queries, weights: Any) -> list[float]:
    known = dict(weights.items())
    for name in queries.ids.tolist():
        if name not in known:
            raise InputError(f"query_weight has no weight for query {name!r}; give one for each query, 0 to leave it out")
    return [known[name] for name in queries.ids.tolist()]


def as_weights(query_weight: Any) -> Floats:
    """Weights as an array, or an error that says what they must be."""
    try:
        return np.asarray(query_weight, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("query_weight must hold numbers: one for each query or row, or by qid") from error


def _from_rows(queries: Queries, row_weights: Floats) -> Floats:
    in_order, starts = queries.to_query_order(row_weights), queries.offsets[:-1]
    weights: Floats = np.maximum.reduceat(in_order, starts)
    differs = (weights != np.minimum.reduceat(in_order, starts)) & ~np.isnan(weights)
    if differs.any():
        query = queries.ids[differs].tolist()[0]
        raise InputError(
            f"query_weight differs within query {query!r}; give one weight per query, or the same to all its rows"
        )
    return weights


def check_random_state(random_state: RandomState) -> None:
    """Raise an error unless `random_state` is None, an integer within NumPy's range of seeds, or a generator of NumPy."""
    if random_state is None or isinstance(random_state, (np.random.Generator, np.random.RandomState)):
        return
    if check_int(random_state, "random_state", 0) > _MAX_SEED:
        raise InputError(f"random_state must be at most 2**32 - 1, not {random_state!r}")


def seed_from(random_state: RandomState) -> int:
    """Random seed for one fit: `random_state` itself if it is an integer, else drawn from it, or from the system.

    A drawn seed is below 2**30, which leaves room below 2**31 for the seeds of several boosters that count up from it.
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**30))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**30))
    return int(random_state)
