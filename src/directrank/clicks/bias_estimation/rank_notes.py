"""Sentences on an estimate of position bias: why its method, which ranks have little data; and why there is none."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...data import InputError
from ..click_log import ClickLog
from .rank_counts import CellRows, summed

#: Number of clicks at a rank below which a note says so: with 30 the relative standard error is 18 % or more.
FEW_CLICKS = 30

#: Number of impressions of a pair below which a note says so: with 200 the position-based model overstates by 2 %.
FEW_IMPRESSIONS = 100

#: Share of pairs at several ranks of the same ranker above which a note says so.
_UNSTABLE = 0.1

_ADVICE = (
    "show a small random share, swap neighbours, or log two rankers that are assigned to sessions at random; "
    "or give a bias; assume=True, or directrank clicks bias --assume, estimates it all the same"
)

_REASONS = {
    "harvesting": "By harvesting, as {pairs} were shown at several ranks; this is right if {cause}.",
    "swaps": "By swaps: {pairs} exchanged ranks, or were shown at several in a randomised share of the sessions.",
    "pbm": "By the position-based model, as {pairs} were shown at several ranks; this is right if {cause}.",
    "trust": "By the trust-bias model, as {pairs} were shown at several ranks; this is right if {cause}, and counts the "
    "least relevant documents of the log as 0, the most relevant as 1.",
    "regression": "By regression-EM: it was assumed that relevance is a function of the features alone, and that these do "
    "not tell the rank.",
    "click rates": "By click rates: nothing in the log tells position from relevance, and it was assumed that documents at "
    "all ranks are equally relevant; the better the ranking, the more this overstates position bias.",
}


def method_note(method: str, log: ClickLog, rows: CellRows) -> str:
    """The method, and why it was used."""
    n_pairs = rows.cells.pairs.size
    pairs = f"{n_pairs:,} query-document pair{'s' if n_pairs != 1 else ''}"
    n_rankers = np.unique(log.ranker).size
    cause = "ranks changed for reasons other than the user and the time of the session"
    if n_rankers > 1:
        cause = f"the ranker of each session, of {n_rankers}, was drawn at random"
    return _REASONS[method].format(pairs=pairs, cause=cause)


def rank_notes(method: str, log: ClickLog, rows: CellRows, ranks: Ints) -> list[str]:
    """Sentences on ranks without an estimate or with few clicks, and on rankers whose rankings change."""
    notes = []
    last = int(ranks[-1])
    between = np.setdiff1d(np.arange(1, last), ranks)
    if between.size:
        notes.append(
            f"{_ranks_named(between)} cannot be estimated, and {_have(between)} values between those of the neighbours."
        )
    if log.max_rank > last:
        below = np.arange(last + 1, log.max_rank + 1)
        notes.append(f"{_ranks_named(below)} cannot be estimated, and {_have(below)} the bias of rank {last}.")
    few = rows.cells.ranks[_effective_clicks(method, rows) < FEW_CLICKS]
    if few.size:
        notes.append(f"{_ranks_named(few)} {_have(few)} fewer than {FEW_CLICKS} effective clicks, and so an uncertain bias.")
    if method == "pbm" and (size := _impressions_per_pair(rows)) < FEW_IMPRESSIONS:
        notes.append(
            f"The pairs have {size:.0f} impressions each, where the position-based model overstates alpha of low ranks "
            "by several per cent or more; harvesting does not."
        )
    if method in ("harvesting", "pbm", "trust") and (share := _changing_share(log, rows)) > _UNSTABLE:
        notes.append(
            f"{share:.0%} of these pairs were shown at several ranks by the same ranker: if its ranks follow the user or "
            "the clicks, the estimate is biased."
        )
    return notes


def identification_error(method: str, rows: CellRows, randomised: str | None) -> InputError:
    """The error for a log that does not tell position from relevance."""
    if method == "swaps" and randomised is None and not rows.cells.size:
        return InputError(
            f"no two documents of a query exchanged ranks, so that nothing tells position from relevance: {_ADVICE}"
        )
    where = "" if randomised is None else f"in the sessions of {randomised!r}, "
    if not rows.at_several_ranks().cells.size:
        why = "one ranking was shown for each query"
    else:
        why = "no pairs that were shown at several ranks, and clicked at both, link other ranks to rank 1"
    return InputError(f"{where}{why}, so that nothing tells position from relevance: {_ADVICE}")


def _effective_clicks(method: str, rows: CellRows) -> Floats:
    if method in ("regression", "click rates"):
        return summed(rows.cells.rank, rows.clicks, rows.cells.ranks.size)
    return rows.cells.effective_clicks(rows.shown, rows.clicks)


def _impressions_per_pair(rows: CellRows) -> float:
    """Harmonic mean number of impressions of the pairs, weighted by the clicks that tell the bias."""
    cells, shown = rows.cells, summed(rows.cells.pair, rows.shown, rows.cells.pairs.size)
    clicks = summed(cells.pair, rows.clicks * (1 - rows.shown / shown[cells.pair]), cells.pairs.size)
    return float(clicks.sum() / np.sum(clicks / shown))


def _changing_share(log: ClickLog, rows: CellRows) -> float:
    """Share of the pairs that the same ranker showed at several ranks."""
    n_rankers = log.rankers.size
    if n_rankers < 2:
        return 0.0
    cell, ranker = np.divmod(np.unique(rows.cell * n_rankers + log.ranker[rows.session]), n_rankers)
    seen, n_ranks = np.unique(rows.cells.pair[cell] * n_rankers + ranker, return_counts=True)
    return np.unique(seen[n_ranks > 1] // n_rankers).size / rows.cells.pairs.size


def _ranks_named(ranks: Ints) -> str:
    """Ranks as in "Ranks 3 and 8 to 10"."""
    runs = np.split(ranks, np.flatnonzero(np.diff(ranks) > 1) + 1)
    parts = [str(run[0]) if run.size == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    text = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
    return f"Rank{'s' if ranks.size > 1 else ''} {text}"


def _have(ranks: Ints) -> str:
    return "have" if ranks.size > 1 else "has"
