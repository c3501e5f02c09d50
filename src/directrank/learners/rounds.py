"""Rounds of training: which was the best one, how they are shown, and what is said when they end early."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .warning import warn


def until_best(rounds: list[Any]) -> list[Any]:
    """The rounds up to the one that was best on the validation set; all, where there was none."""
    if not rounds or rounds[0].validation is None:
        return rounds
    return rounds[: int(np.argmax([step.validation for step in rounds])) + 1]


def with_validation(text: str, validation: float | None) -> str:
    """A line of progress, with the value on the validation set if there is one."""
    shown = [text] if text else []
    return ", ".join(shown if validation is None else [*shown, f"validation {validation:.4f}"])


def warn_interrupted(who: str, rounds: list[Any], called: str = "rounds") -> None:
    warn(f"{who} was interrupted after {len(rounds)} {called}", ConvergenceWarning)


def warn_learned_nothing(who: str, why: str) -> None:
    warn(f"{who} learned nothing{why}", UserWarning)
