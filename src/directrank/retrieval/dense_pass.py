"""The best documents of a query whose terms are so common that every document may as well be scored.

Documents are taken in blocks whose sums stay in the nearest cache. What a block has above the threshold, the lowest score
that is known to be among the best, is kept; when enough are kept, a histogram of their scores raises the threshold.
"""

from __future__ import annotations

import numpy as np

from ..kernel_compiler import njit

#: Documents whose sums are held at once.
_BLOCK = 4096

#: Documents that are compared with the threshold at once.
_CHUNK = 32

#: Bins of the histogram that raises the threshold.
_BINS = 1024


@njit(cache=True)
def score_all(terms, weights, length, postings, n_documents, depth, kept, scores):  # type: ignore[no-untyped-def]
    """Write to `kept` documents that the best are among, ascending, and to `scores` theirs, without the constant.

    The sums are over the terms in the order of the query. Gives how many documents are kept.
    """
    at, ends = postings.starts[terms], postings.starts[terms + 1]
    sums = np.empty(_BLOCK)
    n, limit, threshold = 0, 2 * depth, -np.inf
    for first in range(0, n_documents, _BLOCK):
        block = sums[: min(_BLOCK, n_documents - first)]
        block[:] = np.nan  # of documents without any of the terms
        for k in range(terms.size):
            mine = slice(at[k], ends[k])
            at[k] += _add(weights[k], postings.documents[mine], postings.impacts[mine], first, block)
        if postings.own.size:
            for i in range(block.size):
                block[i] += length * postings.own[first + i]
        n = _keep(block, first, threshold, kept, scores, n)
        if n > limit:
            n, threshold = _raise_threshold(depth, kept, scores, n)
            limit = 2 * n
    return n


@njit(cache=True)
def _add(weight, documents, impacts, first, block):  # type: ignore[no-untyped-def]
    """Add what a term gives to the sums of a block; returns how many postings that were."""
    last, k = np.uint32(first + block.size), 0
    while k < documents.size and documents[k] < last:
        place = np.uint64(documents[k]) - np.uint64(first)
        so_far = block[place]
        block[place] = (0.0 if so_far != so_far else so_far) + weight * impacts[k]
        k += 1
    return k


@njit(cache=True)
def _keep(block, first, threshold, kept, scores, n):  # type: ignore[no-untyped-def]
    """Append the documents of a block that are above the threshold; equal ones are behind those which are kept already."""
    for start in range(0, block.size, _CHUNK):
        chunk = block[start : start + _CHUNK]
        n_above = 0
        for score in chunk:
            n_above += score > threshold
        if n_above:
            for i in range(chunk.size):
                kept[n], scores[n] = first + start + i, chunk[i]
                n += chunk[i] > threshold
    return n


@njit(cache=True)
def _raise_threshold(depth, kept, scores, n):  # type: ignore[no-untyped-def]
    """Drop documents that are not among the best `depth`; gives how many are left, and the lowest score that is left."""
    lowest, highest = np.inf, -np.inf
    for score in scores[:n]:
        lowest, highest = min(lowest, score), max(highest, score)
    scale = (_BINS - 1) / (highest - lowest) if highest - lowest > 1e-300 else 0.0
    counts = np.zeros(_BINS, np.int64)
    for score in scores[:n]:
        counts[_bin(score, lowest, scale)] += 1
    edge, n_best = _BINS, 0
    while n_best < depth:
        edge -= 1
        n_best += counts[edge]
    left, threshold = 0, np.inf
    for k in range(n):
        score = scores[k]
        is_left = _bin(score, lowest, scale) >= edge
        kept[left], scores[left] = kept[k], score
        threshold = min(threshold, score if is_left else np.inf)
        left += is_left
    return left, threshold


@njit(cache=True)
def _bin(score, lowest, scale):  # type: ignore[no-untyped-def]
    return min(max(int((score - lowest) * scale), 0), _BINS - 1)
