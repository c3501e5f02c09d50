"""Position bias: how the probability of a click depends on the rank."""

from __future__ import annotations

import json
import reprlib
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..data import InputError
from ..data.io.files import PathLike, read_bytes, replacing

FORMAT = "directrank position bias, version 1"


@dataclass(frozen=True, eq=False)
class PositionBias:
    r"""Probability of a click at each rank, given the relevance :math:`\gamma` of the document there.

    .. math:: P(\mathit{click} \mid k, \gamma) = \alpha_k \gamma + \beta_k

    Plain position bias has :math:`\beta = 0`, and :math:`\alpha_k` is the probability that rank k is examined, relative to
    rank 1 (:math:`\alpha_1 = 1`). With trust bias, :math:`\beta_k` is the probability of a click at rank k on a document
    of no relevance (Agarwal et al. 2019; Vardasbi et al. 2020).

    Attributes
    ----------
    alpha : array
        Finite numbers above 0, for the ranks from 1.
    beta : array
        Finite numbers of at least 0, for the same ranks; zeros if left out.
    low, high : array, or None
        Ends of the 95 % interval of each alpha; NaN where there is no interval.
    method : str
        "harvesting", "swaps", "pbm", "regression", "trust" or "click rates"; "given" if it was not estimated.
    n_sessions : int
        Number of sessions from which it was estimated.
    notes : tuple of str
        Sentences on the choice of the method, its assumptions, and ranks with little data.

    Examples
    --------
    >>> from directrank.clicks.position_bias import PositionBias
    >>> bias = PositionBias.power(1.0, n_ranks=4)
    >>> bias.alpha.round(2)
    array([1.  , 0.5 , 0.33, 0.25])
    >>> alpha, beta = bias.at([2, 9])
    >>> alpha
    array([0.5 , 0.25])
    """

    alpha: Floats
    beta: Floats = field(default_factory=lambda: np.zeros(0))
    low: Floats | None = None
    high: Floats | None = None
    method: str = "given"
    n_sessions: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        alpha = _numbers("alpha", self.alpha)
        if not alpha.size:
            raise InputError("alpha of a position bias must have a number for each rank, and is empty")
        self._set("alpha", _checked("alpha", alpha, alpha.size, alpha > 0, "finite numbers above 0"))
        beta = _numbers("beta", self.beta) if np.size(self.beta) else np.zeros(alpha.size)
        self._set("beta", _checked("beta", beta, alpha.size, beta >= 0, "finite numbers of at least 0"))
        for name in ("low", "high"):
            if (given := getattr(self, name)) is not None:
                ends = _numbers(name, given)
                self._set(name, _checked(name, ends, alpha.size, ~(ends < 0), "numbers of at least 0", finite=False))
        self._set("notes", tuple(self.notes))

    @classmethod
    def power(cls, eta: float, n_ranks: int) -> Self:
        r"""Position bias :math:`\alpha_k = (1/k)^\eta`; eta is 0 for none, and around 1 on result pages."""
        if n_ranks < 1:
            raise InputError(f"n_ranks must be at least 1, not {n_ranks}")
        return cls((1 / np.arange(1, n_ranks + 1)) ** eta)

    @property
    def n_ranks(self) -> int:
        """Number of ranks that have a bias of their own."""
        return int(self.alpha.size)

    @property
    def has_trust_bias(self) -> bool:
        """Whether documents of no relevance are clicked."""
        return bool(np.any(self.beta > 0))

    def at(self, rank: ArrayLike) -> tuple[Floats, Floats]:
        """alpha and beta at some ranks, from 1; a rank below the last one has the values of the last one."""
        ranks = np.asarray(rank)
        if ranks.size and not ranks.min() >= 1:
            raise InputError(f"ranks count from 1, and one is {ranks.min()}")
        place = np.minimum(ranks, self.n_ranks).astype(np.int64) - 1
        return self.alpha[place], self.beta[place]

    def to_dict(self) -> dict[str, Any]:
        """The content of a file, for JSON."""
        return {
            "format": FORMAT,
            "method": self.method,
            "n_sessions": self.n_sessions,
            "notes": list(self.notes),
            "alpha": self.alpha.tolist(),
            "beta": self.beta.tolist(),
            "low": _or_null(self.low),
            "high": _or_null(self.high),
        }

    @classmethod
    def from_dict(cls, content: Any) -> Self:
        """The position bias that `to_dict` gave."""
        found = content.get("format") if isinstance(content, dict) else None
        if found != FORMAT:
            raise InputError(f"its format is {reprlib.repr(found)}, not {FORMAT!r}; write it with `directrank clicks bias`")
        match content:
            case {"method": str(method), "n_sessions": int(n_sessions), "notes": list(notes)} if _are_texts(notes):
                alpha, beta = _listed("alpha", content), _listed("beta", content)
                low, high = _listed("low", content), _listed("high", content)
                return cls(alpha, beta, low, high, method, n_sessions, tuple(notes))
        raise InputError("it lacks method (text), n_sessions (an integer) or notes (a list of text); write it again")

    def save(self, path: PathLike) -> None:
        """Save to a JSON file that `load` reads; it is replaced only once the new one is complete."""
        lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in self.to_dict().items()]
        with replacing(path) as file:
            file.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a file that `save` or ``directrank clicks bias`` wrote."""
        try:
            return cls.from_dict(json.loads(read_bytes(path).tobytes()))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path} is not a position bias of directrank, or not a complete one: {error}") from error

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def _numbers(name: str, values: ArrayLike) -> Floats:
    try:
        array = np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} of a position bias must be numbers") from error
    if array.ndim != 1:
        raise InputError(f"{name} of a position bias must have one dimension, a number for each rank, not {array.ndim}")
    return array


def _checked(name: str, values: Floats, size: int, valid: Any, what: str, *, finite: bool = True) -> Floats:
    """Values at the ranks, checked and made read-only; `valid` flags those within their range."""
    if values.size != size:
        raise InputError(f"{name} of a position bias has {values.size} ranks, and alpha has {size}; give one for each rank")
    wrong = ~(valid & np.isfinite(values)) if finite else ~valid
    if wrong.any():
        rank = int(np.argmax(wrong))
        raise InputError(f"{name} of a position bias must be {what}, and is {values[rank]} at rank {rank + 1}")
    values.flags.writeable = False
    return values


def _or_null(values: Floats | None) -> list[float | None] | None:
    """Values as JSON, which has no NaN and no infinity."""
    return None if values is None else [value if np.isfinite(value) else None for value in values.tolist()]


def _listed(name: str, content: dict[str, Any]) -> Any:
    """A list of numbers in a file, with NaN for null; or None for intervals that are not there."""
    values = content.get(name)
    if values is None and name in ("low", "high"):
        return None
    if not isinstance(values, list) or not {type(value) for value in values} <= {int, float, type(None)}:
        raise InputError(f"its {name} must be a list of numbers")
    return [np.nan if value is None else value for value in values]


def _are_texts(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
