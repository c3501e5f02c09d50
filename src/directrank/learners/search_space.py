"""Search spaces: the values of a learner's parameters that are worth trying, which it declares as `search_space`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..data import InputError


@dataclass(frozen=True)
class Between:
    """Numbers from `low` to `high`; integers if both are.

    Attributes
    ----------
    low, high : int or float
    log : bool
        Whether to sample on a logarithmic scale: as many values from 0.01 to 0.1 as from 0.1 to 1.
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise InputError(f"a range goes from a lower to a higher number, not from {self.low:g} to {self.high:g}")
        if self.log and not self.low > 0:
            raise InputError(f"a logarithmic range has numbers above 0 only, and {self.low:g} is not")

    @property
    def whole(self) -> bool:
        """Whether the numbers are whole."""
        return isinstance(self.low, int) and isinstance(self.high, int)


@dataclass(frozen=True)
class OneOf:
    """A list of values.

    Attributes
    ----------
    values : sequence
        Kept as a tuple.
    """

    values: Sequence[Any]

    def __post_init__(self) -> None:
        if not self.values:
            raise InputError("there must be a value to try")
        object.__setattr__(self, "values", tuple(self.values))


@dataclass(frozen=True)
class AlongPath:
    """Values of C whose models the learner's method `path` computes at once.

    Attributes
    ----------
    Cs : sequence of float, or None
        None for the values that the learner would try by itself.
    """

    Cs: Sequence[float] | None = None


#: Values that are worth trying, by parameter.
SearchSpace = Mapping[str, Between | OneOf | AlongPath]
