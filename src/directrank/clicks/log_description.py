"""Statistics of a click log, and what can be estimated from it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..arrays import Bools, Floats, Ints
from .bias_estimation.rank_counts import CellRows
from .click_log import ClickLog

#: Quantile of the normal distribution for intervals of 95 %.
_Z = 1.959963984540054

#: Width of printed sentences, in characters.
_WIDTH = 80

#: Number of ranks that are printed.
_N_SHOWN = 20

#: Number of clicks below which estimates are mostly noise.
FEW_CLICKS = 1_000


@dataclass(frozen=True, eq=False)
class LogDescription:
    r"""Statistics of a click log.

    The click rate :math:`p_k` of rank k is the share of its :math:`n_k` impressions that were clicked. Its 95 % interval is
    that of Wilson (1927), with :math:`z = 1.96`:

    .. math:: \frac{p_k + z^2 / 2 n_k \pm z \sqrt{p_k (1 - p_k) / n_k + z^2 / 4 n_k^2}}{1 + z^2 / n_k}

    Attributes
    ----------
    n_sessions, n_impressions, n_queries, n_pairs, n_clicks : int
        A click is a reward above 0; pairs are those of a query and a document.
    n_sessions_with_click, n_sessions_with_several_clicks : int
    impressions : int64 array
        Number of impressions at each rank, from 1.
    click_rate, low, high : float64 array
        Share of impressions at each rank that were clicked, and its 95 % interval; NaN at ranks without impressions.
    share_at_several_ranks : float
        Share of pairs that were shown at more than one rank.
    n_rankers : int
        Number of rankers; 0 if they were not logged.
    n_usable : int
        Number of impressions that intervention harvesting can use: of pairs that were shown at several ranks, at ranks
        that such pairs link to rank 1, if there were clicks.
    linked_ranks : list of int
        Ranks whose bias these impressions tell, relative to rank 1.
    largest_reward : float
    sentences : list of str
        What can be estimated and what cannot, with the reason and what to log.
    notes : list of str
        What reading the log assumed.
    """

    n_sessions: int
    n_impressions: int
    n_queries: int
    n_pairs: int
    n_clicks: int
    n_sessions_with_click: int
    n_sessions_with_several_clicks: int
    impressions: Ints
    click_rate: Floats
    low: Floats
    high: Floats
    share_at_several_ranks: float
    n_rankers: int
    n_usable: int
    linked_ranks: list[int]
    largest_reward: float
    sentences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def statistics(self) -> list[tuple[str, str]]:
        """Name and value of each number of the whole log, for a table."""
        clicked = self.n_sessions_with_click / max(self.n_sessions, 1)
        several = self.n_sessions_with_several_clicks / max(self.n_sessions, 1)
        return [
            ("sessions", f"{self.n_sessions:,}"),
            ("impressions", f"{self.n_impressions:,}"),
            ("queries", f"{self.n_queries:,}"),
            ("pairs of query and document", f"{self.n_pairs:,}"),
            ("clicks", f"{self.n_clicks:,}"),
            ("sessions with a click", f"{clicked:.1%}"),
            ("sessions with several clicks", f"{several:.1%}"),
            ("pairs shown at several ranks", f"{self.share_at_several_ranks:.1%}"),
            ("rankers", f"{self.n_rankers:,}" if self.n_rankers else "not logged"),
            ("impressions for harvesting", f"{self.n_usable:,}"),
        ]

    def rates(self) -> Iterator[tuple[int, int, float, float, float]]:
        """Rank, number of impressions, click rate and its interval, of each rank that was shown."""
        columns = (self.impressions, self.click_rate, self.low, self.high)
        for rank, (n, rate, low, high) in enumerate(zip(*(column.tolist() for column in columns), strict=True), 1):
            if n:
                yield rank, n, rate, low, high

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON; null for the click rate of a rank without impressions."""
        return {name: _plain(value) for name, value in asdict(self).items()}

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.statistics())
        lines = [f"{name:{width}}  {value:>12}" for name, value in self.statistics()]
        rates = list(self.rates())
        lines += ["", f"{'rank':>5}  {'impressions':>13}  {'clicked':>8}  {'95 % interval':>18}"]
        lines += [
            f"{k:5}  {n:13,}  {rate:8.2%}  {f'{low:.2%} to {high:.2%}':>18}" for k, n, rate, low, high in rates[:_N_SHOWN]
        ]
        if len(rates) > _N_SHOWN:
            lines.append(f"  ...  to rank {rates[-1][0]:,}")
        for sentence in [*self.sentences, *(f"{note[0].upper()}{note[1:]}." for note in self.notes)]:
            lines += ["", *textwrap.wrap(sentence, _WIDTH)]
        return "\n".join(lines)


def describe_log(log: ClickLog) -> LogDescription:
    """Compute statistics of a log, with sentences on what can be estimated from it."""
    clicks = np.bincount(log.session[log.clicked], minlength=log.n_sessions)
    shown = np.bincount(log.rank, minlength=log.max_rank + 1)[1:]
    rate, low, high = _rates(np.bincount(log.rank[log.clicked], minlength=log.max_rank + 1)[1:], shown)
    n_pairs = int(np.count_nonzero(np.bincount(log.pair)))
    at_several_ranks = _with_several(log.rank, log.pair)
    usable = CellRows.of_log(log).linked()
    found = LogDescription(
        n_sessions=log.n_sessions,
        n_impressions=log.n_impressions,
        n_queries=np.unique(log.query).size,
        n_pairs=n_pairs,
        n_clicks=int(np.count_nonzero(log.clicked)),
        n_sessions_with_click=int(np.count_nonzero(clicks)),
        n_sessions_with_several_clicks=int(np.count_nonzero(clicks > 1)),
        impressions=shown,
        click_rate=rate,
        low=low,
        high=high,
        share_at_several_ranks=float(np.count_nonzero(at_several_ranks) / max(n_pairs, 1)),
        n_rankers=np.unique(log.ranker).size,
        n_usable=int(usable.cell.size),
        linked_ranks=usable.cells.ranks.tolist(),
        largest_reward=float(log.click.max(initial=0)),
        notes=list(log.notes),
    )
    by_ranker = log.has_rankers and bool(np.any(at_several_ranks & _with_several(log.ranker[log.session], log.pair)))
    found.sentences.extend([*_on_bias(found, by_ranker), *_on_clicks(found)])
    return found


def _rates(clicked: Ints, shown: Ints) -> tuple[Floats, Floats, Floats]:
    """Click rates, and their intervals by Wilson."""
    with np.errstate(invalid="ignore", divide="ignore"):
        rate, z = clicked / shown, _Z**2 / shown
        middle, half = rate + z / 2, np.sqrt(rate * (1 - rate) * z + z**2 / 4)
        low, high = (middle - half) / (1 + z), (middle + half) / (1 + z)
    return rate, np.where(clicked == 0, 0.0, low) + 0 * rate, np.where(clicked == shown, 1.0, high) + 0 * rate


def _with_several(values: Ints, group: Ints) -> Bools:
    """Whether each group has rows of different values."""
    one = np.zeros(group.max(initial=-1) + 1, np.int64)
    one[group] = values
    return np.bincount(group, values != one[group], one.size) > 0


def _on_bias(found: LogDescription, by_ranker: bool) -> list[str]:
    """Whether position bias can be estimated; `by_ranker`: whether two rankers showed a pair at different ranks."""
    if not found.n_clicks:
        return ["There are no clicks, so nothing can be estimated: check the column of clicks."]
    if not found.share_at_several_ranks:
        what = "Every document was always shown at the same rank: position and relevance cannot be told apart."
        return [f"{what} Show a small random share, or log two rankers."]
    if not found.n_usable:
        what = "Documents that were shown at several ranks have too few clicks to link these ranks to rank 1:"
        return [f"{what} position bias cannot be estimated. Log more sessions, or show a small random share."]
    said = [_on_source(found, by_ranker)]
    apart = [rank for rank, *_ in found.rates() if rank not in found.linked_ranks]
    if apart:
        few = ", ".join(map(str, apart[:_N_SHOWN])) + (", …" if len(apart) > _N_SHOWN else "")
        what = f"No clicks link rank{'s' * (len(apart) > 1)} {few} to rank 1"
        said.append(f"{what}: the bias there has to be assumed, or shown documents exchanged with higher ranks.")
    return said


def _on_source(found: LogDescription, by_ranker: bool) -> str:
    """Why documents were shown at several ranks, and what that identifies."""
    what = f"{found.n_usable:,} impressions of documents that were shown at several ranks"
    can = f"Position bias can be estimated by harvesting from {what}"
    if by_ranker:
        return f"{can}, if sessions were assigned to the {found.n_rankers:,} rankers at random."
    if found.n_rankers > 1:
        return f"{can}, if the ranks changed at random: no two rankers showed a document of a query at different ranks."
    log = "" if found.n_rankers else " Name the column of rankers if several were logged."
    return f"{can}, if the ranks changed at random, not because the ranking followed what users like.{log}"


def _on_clicks(found: LogDescription) -> list[str]:
    """What the clicks can be used for."""
    if not found.n_clicks:
        return []
    said = ["Click rates by rank are not position bias: better documents stand at higher ranks."]
    if found.n_sessions_with_several_clicks:
        said.append(
            "Sessions with several clicks rule out the cascade model, which allows one; DCM, DBN and UBM take several."
        )
    if found.largest_reward > 1:
        said.append(f"Clicks are rewards of up to {found.largest_reward:g}: rates and models of clicks count those above 0.")
    if found.n_clicks < FEW_CLICKS:
        said.append(f"{found.n_clicks:,} click{'s are' if found.n_clicks > 1 else ' is'} few: expect wide intervals.")
    return said


def _plain(value: Any) -> Any:
    """A value for JSON."""
    if not isinstance(value, np.ndarray):
        return value
    return [None if number != number else number for number in value.tolist()]
