"""Who hears of the rounds of a training: callbacks, and with `verbose` whoever looks at the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...data import InputError

#: Called with the number of a round or iteration and what it reached; one that returns True ends the training.
Callback = Callable[[int, Any], Any]


def should_stop(callbacks: Sequence[Callback], number: int, step: Any) -> bool:
    """Call all of them; whether any returns True."""
    answers = [callback(number, step) for callback in callbacks]
    return any(isinstance(answer, (bool, np.bool_)) and bool(answer) for answer in answers)


def check_callbacks(callbacks: Any) -> list[Callback]:
    """Those given to `fit`, or an error that says what they are."""
    if callbacks is None:
        return []
    if callable(callbacks):
        raise InputError("callbacks must be a list of functions; write callbacks=[...]")
    for callback in callbacks:
        if not callable(callback):
            raise InputError(f"callbacks must be functions of a round's number and what it reached, not {callback!r}")
        if (getattr(callback, "__module__", None) or "").partition(".")[0] in ("lightgbm", "xgboost"):
            raise InputError(
                "callbacks of LightGBM and XGBoost do not work here; use early_stopping_rounds, verbose=10 (a line each ten "
                "rounds) and evals_result_, or a function of a round's number and what it reached"
            )
    return list(callbacks)


def line_of(who: str, number: int, total: int | None, step: Any) -> str:
    """What is printed of a round.

    Examples
    --------
    >>> line_of("LambdaMART(AP)", 20, None, "0.5123")
    'LambdaMART(AP): 20: 0.5123'
    """
    of_total = "" if total is None else f" of {total}"
    return f"{who}: {number}{of_total}: {step}{_time_left(number, total, getattr(step, 'seconds', None))}"


def _time_left(number: int, total: int | None, seconds: float | None) -> str:
    if total is None or seconds is None or number >= total:
        return ""
    return f" ({seconds / number * (total - number):.0f} s left)"
