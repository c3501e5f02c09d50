"""Checks of a kind of `Shards`: what learners rely on, for rows that live on another cluster.

For authors of shards, in this package or in others. A check is a function of a *maker*, which puts parts of data where the
rows are to live: ``make(parts)`` gives shards with a task for each `RankingData`. It raises an `AssertionError` that names
the fault; none needs a test framework. The data is small, and the same in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from .shards_checks.check_data import MakeShards
from .shards_checks.learner_checks import (
    check_lost_memory,
    check_same_bits,
    check_trees,
    check_validated,
    learners_to_check,
    name_of_learner,
)
from .shards_checks.protocol_checks import PROTOCOL_CHECKS

__all__ = ["MakeShards", "ShardsCheck", "check_shards", "shards_checks"]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True)
class ShardsCheck:
    """A check of one promise; ``check(make)`` raises an `AssertionError` if it is broken.

    Attributes
    ----------
    name : str
    check : callable
    """

    name: str
    check: Callable[[MakeShards], None]

    def __call__(self, make: MakeShards) -> None:
        self.check(make)

    def __str__(self) -> str:
        return self.name


def check_shards(make: MakeShards) -> None:
    """Run all checks; raises the `AssertionError` of the first promise that is broken.

    Examples
    --------
    >>> from directrank.learners import LocalShards
    >>> from directrank.measures import AP
    >>> check_shards(lambda parts: LocalShards.from_data(parts, AP()))  # doctest: +SKIP
    """
    for check in shards_checks():
        check(make)


def shards_checks() -> Iterator[ShardsCheck]:
    """Generate the checks: of the steps of the protocol, then of each learner.

    Examples
    --------
    With pytest: ``@pytest.mark.parametrize("check", shards_checks(), ids=str)``, and call ``check(make)``.

    >>> [str(check) for check in shards_checks()][:3]
    ['features', 'tasks', 'order of results']
    """
    for name, check in PROTOCOL_CHECKS.items():
        yield ShardsCheck(name, check)
    for learner in learners_to_check():
        yield ShardsCheck(f"same bits of {name_of_learner(learner)}", partial(check_same_bits, learner))
    for learner in learners_to_check():
        if not learner.joins_shards:
            yield ShardsCheck(f"same bits of {name_of_learner(learner)}, validated", partial(check_validated, learner))
    yield ShardsCheck("lost memory", check_lost_memory)
    yield ShardsCheck("trees", check_trees)
