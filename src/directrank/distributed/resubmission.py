"""Resubmission of futures that a scheduler has lost, by the calls that made them."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

#: A call that submits work to the cluster and returns its futures.
Submission = Callable[[], list[Any]]

#: The call that made a future, and its position among the results.
_submissions: weakref.WeakKeyDictionary[Any, tuple[Submission, int]] = weakref.WeakKeyDictionary()


def submitted(submission: Submission) -> list[Any]:
    """Futures of a submission, which can be repeated."""
    futures = submission()
    for position, future in enumerate(futures):
        _submissions[future] = (submission, position)
    return futures


def resubmitted(futures: Sequence[Any]) -> list[Any] | None:
    """New futures in place of lost ones; None if one of them was not made by `submitted`."""
    known = [_submissions[future] for future in futures if future in _submissions]
    if len(known) < len(futures):
        return None
    made = {submission: submitted(submission) for submission in dict.fromkeys(submission for submission, _ in known)}
    return [made[submission][position] for submission, position in known]
