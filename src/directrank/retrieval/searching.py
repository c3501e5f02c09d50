r"""The best documents of a query, without scoring all that contain one of its terms.

The terms are taken in the order of the most they can add to a score, the highest first. After some of them, a document has
the sum of what these add, and what the others can still add or take is bounded by their highest and lowest impacts. So the
`depth`-th highest sum, less what can still be taken, is a threshold that all of the best documents reach. Once the terms
that are left cannot lift a document that has none of the others to it, no further document need be looked at, and those seen
so far are dropped as soon as they cannot reach it either. The long lists of common words, which come last, are then not
passed through: their few postings that matter are looked up (`common_terms`). Where common words are all that a query has,
there is little to leave out, and all documents are scored (`dense_pass`).

Bounds only choose which documents are scored. The scores themselves are sums over the terms in the order of the query, so
they are the same, to the last bit, in whatever way documents are chosen; ties are ranked in index order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..kernel_compiler import njit, prange
from ..radix_sort import sort_by_digits, stable_descending_order
from .common_terms import place_of
from .dense_pass import score_all
from .index import TextIndex

#: Bins of the histogram that finds the threshold.
_BINS = 1024

#: So many documents are scored rather than thinned out any further.
_FEW = 64

#: Bounds are widened by this share of the largest possible sum, which is far more than sums in another order can differ by.
_SLACK = 1e-9


class Batch(NamedTuple):
    """Many queries as flat arrays: the terms ``offsets[q]:offsets[q + 1]`` and their weights are those of query q."""

    terms: Ints
    weights: Floats
    offsets: Ints
    lengths: Floats
    constants: Floats


class Postings(NamedTuple):
    """What is searched.

    Attributes
    ----------
    starts, documents, impacts : int64, uint32 and float32 arrays
        Documents and impacts ``starts[t]:starts[t + 1]`` are those of term t.
    lowest, highest : float32 arrays
        The lowest and the highest of 0 and the impacts of each term.
    row, bits, before : arrays
        The tables of the common terms.
    own : float64 array
        p(d) of each document; empty if all are 0.
    own_low, own_high : float
        The lowest and the highest of them.
    """

    starts: Ints
    documents: NDArray[np.uint32]
    impacts: NDArray[np.float32]
    lowest: NDArray[np.float32]
    highest: NDArray[np.float32]
    row: NDArray[np.int32]
    bits: NDArray[np.uint64]
    before: NDArray[np.int32]
    own: Floats
    own_low: float
    own_high: float

    @classmethod
    def of(cls, index: TextIndex, impacts: NDArray[np.float32], own: Floats) -> Postings:
        # Kernels start faster with arrays that are not mapped, and run faster with numbers that cannot be below 0.
        starts, documents = np.asarray(index.starts), np.asarray(index.documents).view(np.uint32)
        own = own if np.any(own) else np.empty(0)
        own_range = (float(own.min()), float(own.max())) if own.size else (0.0, 0.0)
        lowest, highest = _bounds(starts, impacts)
        return cls(starts, documents, impacts, lowest, highest, *index.common_terms, own, *own_range)


class Plan(NamedTuple):
    """How to go through the terms of a query.

    Attributes
    ----------
    order : int64 array
    can_take, can_add, left : arrays
        Before each term and after all: what those left can take and add, and how many postings they have.
    n_opening : int
        After so many terms, a bound may for the first time exclude documents that have none of them.
    """

    order: Ints
    can_take: Floats
    can_add: Floats
    left: Ints
    n_opening: int


class Workspace(NamedTuple):
    """What a thread needs to search, for one query after another.

    Attributes
    ----------
    sums : float64 array
        For each document; NaN between queries.
    seen : uint32 array
        The documents whose sum is not NaN; one place more than documents.
    values : float64 array
    """

    sums: Floats
    seen: NDArray[np.uint32]
    values: Floats

    @classmethod
    def of(cls, n_documents: int) -> Workspace:
        return cls(np.full(n_documents, np.nan), np.empty(n_documents + 1, np.uint32), np.empty(n_documents))


@njit(cache=True)
def _bounds(starts, impacts):  # type: ignore[no-untyped-def]
    """The lowest and the highest of 0 and the impacts of each term."""
    lowest, highest = np.zeros(starts.size - 1, np.float32), np.zeros(starts.size - 1, np.float32)
    for term in range(lowest.size):
        for p in range(starts[term], starts[term + 1]):
            lowest[term] = min(lowest[term], impacts[p])
            highest[term] = max(highest[term], impacts[p])
    return lowest, highest


@njit(cache=True, parallel=True)
def search_in_parallel(batch, postings, n_documents, depth, n_parts):  # type: ignore[no-untyped-def]
    """The best documents of each query, their scores without the constant, and how many there are."""
    n = batch.offsets.size - 1
    best, scores, sizes = np.empty((n, depth), np.int32), np.empty((n, depth)), np.empty(n, np.int64)
    for part in prange(n_parts):
        sums, seen, values = np.full(n_documents, np.nan), np.empty(n_documents + 1, np.uint32), np.empty(n_documents)
        search_some(batch, part, n_parts, postings, sums, seen, values, best, scores, sizes)
    return best, scores, sizes


@njit(cache=True)
def search_one(batch, postings, workspace, depth):  # type: ignore[no-untyped-def]
    """The same for few queries, without threads."""
    n = batch.offsets.size - 1
    best, scores, sizes = np.empty((n, depth), np.int32), np.empty((n, depth)), np.empty(n, np.int64)
    search_some(batch, 0, 1, postings, workspace.sums, workspace.seen, workspace.values, best, scores, sizes)
    return best, scores, sizes


@njit(cache=True)
def search_some(batch, first, step, postings, sums, seen, values, best, scores, sizes):  # type: ignore[no-untyped-def]
    """Search for every `step`-th query."""
    for q in range(first, sizes.size, step):
        mine = slice(batch.offsets[q], batch.offsets[q + 1])
        terms, weights, length = batch.terms[mine], batch.weights[mine], batch.lengths[q]
        plan = _plan(terms, weights, postings)
        if needs_all(plan, sums.size, best.shape[1]):
            n = score_all(terms, weights, length, postings, sums.size, best.shape[1], seen, values)
            found = seen[:n]
        else:
            n = _candidates(terms, weights, length, postings, plan, best.shape[1], sums, seen, values)
            found = _ascending(seen[:n])
            score_documents(terms, weights, length, postings, found, sums, seen, values)
        order = stable_descending_order(values[:n])  # ties stay in index order
        sizes[q] = min(n, best.shape[1])
        for k in range(sizes[q]):
            best[q, k], scores[q, k] = found[order[k]], values[order[k]]


@njit(cache=True)
def needs_all(plan, n_documents, depth):  # type: ignore[no-untyped-def]
    """Whether it takes less time to score all documents; the weights are from timings of both ways."""
    opening = plan.left[0] - plan.left[plan.n_opening]
    return 8 * opening > n_documents + plan.left[0] + 64 * depth


@njit(cache=True)
def _ascending(documents):  # type: ignore[no-untyped-def]
    return (sort_by_digits(documents, np.arange(documents.size), 3) >> np.uint64(32)).astype(np.uint32)


@njit(cache=True, parallel=True)
def score_in_parallel(batch, postings, offsets, documents, n_documents, n_parts):  # type: ignore[no-untyped-def]
    """The scores for query i of documents ``offsets[i]:offsets[i + 1]``, without the constant."""
    scores = np.empty(documents.size)
    for part in prange(n_parts):
        sums, seen = np.full(n_documents, np.nan), np.empty(n_documents + 1, np.uint32)
        for q in range(part, offsets.size - 1, n_parts):
            mine, wanted = slice(batch.offsets[q], batch.offsets[q + 1]), slice(offsets[q], offsets[q + 1])
            terms, weights, length = batch.terms[mine], batch.weights[mine], batch.lengths[q]
            score_documents(terms, weights, length, postings, documents[wanted], sums, seen, scores[wanted])
    return scores


@njit(cache=True)
def score_documents(terms, weights, length, postings, documents, sums, seen, scores):  # type: ignore[no-untyped-def]
    """Write the scores of documents, without the constant; `sums` is NaN before and after."""
    n = 0
    for document in documents:
        if np.isnan(sums[document]):  # else it is there twice
            sums[document], seen[n] = 0.0, document
            n += 1
    for k in range(terms.size):
        _add(terms[k], weights[k], postings, seen[:n], sums)
    for k in range(documents.size):
        scores[k] = sums[documents[k]] + _own(postings.own, length, documents[k])
    for document in seen[:n]:
        sums[document] = np.nan


@njit(cache=True)
def _own(own, length, document):  # type: ignore[no-untyped-def]
    return length * own[document] if own.size else 0.0


@njit(cache=True)
def _add(term, weight, postings, documents, sums):  # type: ignore[no-untyped-def]
    """Add what a term gives to the sums of these documents; those of all others are NaN."""
    first, last = postings.starts[term], postings.starts[term + 1]
    row, impacts = postings.row[term], postings.impacts[first:last]
    if postings.lowest[term] == 0 and postings.highest[term] == 0:
        return
    if row >= 0 and 4 * documents.size < last - first:
        bits, before = postings.bits[row], postings.before[row]
        for document in documents:
            place = place_of(document, bits, before)
            if place >= 0:
                sums[document] += weight * impacts[place]
    elif 16 * documents.size < last - first:
        posted = postings.documents[first:last]
        for document in documents:
            place = np.searchsorted(posted, document)
            if place < posted.size and posted[place] == document:
                sums[document] += weight * impacts[place]
    else:
        for p in range(first, last):
            sums[postings.documents[p]] += weight * postings.impacts[p]  # NaN stays NaN


@njit(cache=True)
def _candidates(terms, weights, length, postings, plan, depth, sums, seen, values):  # type: ignore[no-untyped-def]
    """Write to `seen` the documents that may be among the best, and return how many; `sums` is NaN before and after."""
    order, can_take, can_add, left, n_opening = plan
    own_low, own_high = length * postings.own_low, length * postings.own_high
    slack = _SLACK * (can_add[0] - can_take[0] + abs(own_low) + abs(own_high))
    only_matching = can_take[0] == 0 and postings.own.size == 0  # then a document whose terms add nothing has the score 0
    n, closed = 0, False
    for done in range(1, order.size + 1):
        term, weight = terms[order[done - 1]], weights[order[done - 1]]
        if closed:
            _add(term, weight, postings, seen[:n], sums)
        elif only_matching and can_add[done - 1] == 0:
            n = _bring_in(term, postings, depth, sums, seen, n)
        else:
            n = _scan(term, weight, postings, sums, seen, n)
        low, high = can_take[0] - can_take[done], can_add[0] - can_add[done]
        may_close = left[done] == 0 or (done >= n_opening and n < left[done])
        if n > depth and (closed or may_close):
            least = _least(seen[:n], sums, length, postings.own, low + own_low, high + own_high, depth, values)
            threshold = least + can_take[done] - slack
            closed = closed or left[done] == 0 or can_add[done] + own_high < threshold
            if closed:
                n = _drop(threshold - can_add[done], values, sums, seen, n)
                if n <= max(_FEW, 5 * depth // 4):
                    break
    for document in seen[:n]:
        sums[document] = np.nan
    return n


@njit(cache=True)
def _plan(terms, weights, postings):  # type: ignore[no-untyped-def]
    """Terms by the most they can add; the opening ends when those left can change a score by less than those before."""
    lows, highs = np.empty(terms.size), np.empty(terms.size)
    for k in range(terms.size):
        ends = weights[k] * postings.lowest[terms[k]], weights[k] * postings.highest[terms[k]]
        lows[k], highs[k] = min(ends), max(ends)
    order = np.argsort(-highs, kind="mergesort")
    can_take, can_add, left = np.zeros(terms.size + 1), np.zeros(terms.size + 1), np.zeros(terms.size + 1, np.int64)
    for done in range(terms.size - 1, -1, -1):
        k = order[done]
        can_take[done], can_add[done] = can_take[done + 1] + lows[k], can_add[done + 1] + highs[k]
        left[done] = left[done + 1] + postings.starts[terms[k] + 1] - postings.starts[terms[k]]
    n_opening = 0
    while left[n_opening] > 0 and 2 * (can_add[n_opening] - can_take[n_opening]) >= can_add[0] - can_take[0]:
        n_opening += 1
    return Plan(order, can_take, can_add, left, n_opening)


@njit(cache=True)
def _scan(term, weight, postings, sums, seen, n):  # type: ignore[no-untyped-def]
    """Add what a term gives to the sums of all its documents; return how many documents have been seen."""
    mine = slice(postings.starts[term], postings.starts[term + 1])
    documents, impacts, place = postings.documents[mine], postings.impacts[mine], np.uint64(n)
    for k in range(documents.size):
        document, part = documents[k], weight * impacts[k]
        so_far = sums[document]
        is_new = so_far != so_far
        sums[document] = part if is_new else so_far + part
        seen[place] = document
        place += np.uint64(is_new)
    return np.int64(place)


@njit(cache=True)
def _bring_in(term, postings, limit, sums, seen, n):  # type: ignore[no-untyped-def]
    """The same for a term that gives nothing; after `limit` new documents, all others are behind them."""
    for document in postings.documents[postings.starts[term] : postings.starts[term + 1]]:
        if np.isnan(sums[document]):
            sums[document], seen[n] = 0.0, document
            n, limit = n + 1, limit - 1
            if limit == 0:
                break
    return n


@njit(cache=True)
def _least(seen, sums, length, own, low, high, depth, values):  # type: ignore[no-untyped-def]
    """A bound, from below, of the `depth`-th highest sum, of which all are from `low` to `high`; writes them to `values`."""
    scale = (_BINS - 1) / (high - low) if high - low > 1e-300 else 0.0
    counts = np.zeros(_BINS, np.int32)
    for k in range(seen.size):
        values[k] = sums[seen[k]] + _own(own, length, seen[k])
        counts[np.uint64(min(max(int((values[k] - low) * scale), 0), _BINS - 1))] += 1
    edge, n = _BINS, 0
    while n < depth:
        edge -= 1
        n += counts[edge]
    return low + edge / scale if edge > 0 else low


@njit(cache=True)
def _drop(threshold, values, sums, seen, n):  # type: ignore[no-untyped-def]
    """Keep the documents with values that reach the threshold; return how many."""
    kept = 0
    for k in range(n):
        document, is_kept = seen[k], values[k] >= threshold
        seen[kept] = document
        sums[document] = sums[document] if is_kept else np.nan
        kept += is_kept
    return kept
