"""Rounds of training: which was the best one, how they are shown, and what is said when they end early."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats
from .warning import warn

#: Values of a measure that differ by less are equally good.
EQUAL_VALUES = 1e-12

#: Curves by name, all of one length; None where there is no finite value.
Curves = dict[str, list[float | None]]


def until_best(rounds: list[Any], otherwise: str | None = None) -> list[Any]:
    """The rounds up to the one that was best on the validation set.

    Parameters
    ----------
    rounds : list of named tuples
    otherwise : str, optional
        The field that says which was best where there was no validation set; all rounds without one.
    """
    field = otherwise if not rounds or rounds[0].validation is None else "validation"
    if field is None or not rounds:
        return rounds
    return rounds[: first_best(np.array([getattr(step, field) for step in rounds])) + 1]


def first_best(values: Floats) -> int:
    """Which value is the highest; of equally good ones the first, whatever rounding has made of them."""
    return int(np.argmax(values >= values.max() - EQUAL_VALUES))


def with_validation(text: str, validation: float | None) -> str:
    """A line of progress, with the value on the validation set if there is one."""
    return text if validation is None else f"{text}, validation {validation:.4f}"


def curves(rounds: Sequence[Any], fields: dict[str, str]) -> Curves:
    """The course of a training, one entry for each round.

    Parameters
    ----------
    rounds : sequence of named tuples
    fields : dict
        For the name of each curve, the field of a round that it shows. A curve without any value is left out.
    """
    found = {name: [finite_or_none(getattr(step, field)) for step in rounds] for name, field in fields.items()}
    return {name: values for name, values in found.items() if any(value is not None for value in values)}


def finite_or_none(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def warn_interrupted(who: str, rounds: list[Any], called: str = "rounds") -> None:
    warn(f"{who} was interrupted after {len(rounds)} {called}", ConvergenceWarning)


def warn_learned_nothing(who: str, why: str) -> None:
    warn(f"{who} learned nothing{why}", UserWarning)
