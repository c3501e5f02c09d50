"""The validation sets of a fit: one or several, and what they are called."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ...data import InputError

#: A validation set: X, y and qid; for a learner that takes scores to start from, with those.
EvalSet = tuple[Any, ArrayLike, ArrayLike | None] | tuple[Any, ArrayLike, ArrayLike | None, ArrayLike]

#: What the training queries are called.
TRAINING = "training"


def as_eval_sets(eval_set: Any) -> list[EvalSet]:
    """None, one set, or a list of sets, as a list; or an error that says what a set is."""
    if eval_set is None:
        return []
    several = isinstance(eval_set, list) and bool(eval_set) and all(isinstance(part, tuple) for part in eval_set)
    sets = eval_set if several else [eval_set]
    for given in sets:
        if not isinstance(given, (tuple, list)) or len(given) not in (3, 4):
            raise InputError("eval_set must be a tuple of three: X, y and qid (or None); or a list of such tuples")
    return [tuple(given) for given in sets]  # type: ignore[misc]


def name_of_set(number: int) -> str:
    """Counted from 0.

    Examples
    --------
    >>> name_of_set(0), name_of_set(1)
    ('validation', 'validation_2')
    """
    return "validation" if number == 0 else f"validation_{number + 1}"
