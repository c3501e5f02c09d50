"""What a measure needs of one query's ranking, where that is less than all of it: the top, or the ranks of few documents.

Scores are compared in single precision, of which a vector holds twice as many: rounding may make scores equal, but never
changes their order.
"""

from __future__ import annotations

import numpy as np

from ...kernel_compiler import njit
from .sorting import sort_descending


@njit(cache=True)
def ranked_query(scores, values):  # type: ignore[no-untyped-def]
    """Scores and values by descending score, stably; as they are, if they are ranked already."""
    if is_ranked(scores):
        return scores, values
    ranked_scores, ranked_values = np.empty_like(scores), np.empty_like(values)
    sort_descending(scores, values, ranked_scores, ranked_values)
    return ranked_scores, ranked_values


@njit(cache=True)
def is_ranked(scores):  # type: ignore[no-untyped-def]
    """Whether no document has a higher score than the one before it."""
    i = 1
    while i < scores.size and scores[i] <= scores[i - 1]:
        i += 1
    return i >= scores.size


@njit(cache=True)
def ranked_top(scores, values, depth):  # type: ignore[no-untyped-def]
    """The same, but of the documents below rank `depth`, and below all that are tied with it, only some.

    Of 2 depth or more parts of the query, each with a highest score, `depth` parts have one at or above a threshold. What
    is below it has so many above it that it need not be sorted.
    """
    n_parts = 16
    while n_parts < 2 * depth:
        n_parts *= 2
    if scores.size < 2 * n_parts or is_ranked(scores):
        return ranked_query(scores, values)
    rough = scores.astype(np.float32)
    threshold, n_above = _high_score(rough, n_parts, depth), 0
    for key in rough:
        n_above += key >= threshold
    if n_above > 4 * depth:
        return ranked_query(scores, values)
    top_scores, top_values, size = np.empty(n_above), np.empty(n_above), 0
    for i in range(scores.size):
        if rough[i] >= threshold:
            at = size
            while at > 0 and top_scores[at - 1] < scores[i]:
                top_scores[at], top_values[at] = top_scores[at - 1], top_values[at - 1]
                at -= 1
            top_scores[at], top_values[at] = scores[i], values[i]
            size += 1
    return top_scores, top_values


@njit(cache=True)
def _high_score(rough, n_parts, depth):  # type: ignore[no-untyped-def]
    """The highest of the scores at or above which so many parts have their highest one."""
    highest, higher = rough[:n_parts].copy(), np.zeros(n_parts, np.int32)
    for start in range(n_parts, rough.size, n_parts):
        for part in range(min(n_parts, rough.size - start)):
            highest[part] = rough[start + part] if rough[start + part] > highest[part] else highest[part]
    for other in highest:
        for part in range(n_parts):
            higher[part] += np.int32(highest[part] < other)
    threshold = np.float32(np.inf)
    for part in range(n_parts):
        if higher[part] < depth and highest[part] < threshold:
            threshold = highest[part]
    return threshold


@njit(cache=True)
def ranks_of_few(scores, few, count):  # type: ignore[no-untyped-def]
    """The ranks of a few documents, of which there are so many, ascending from 1; none if any is tied or has no rank.

    A document that has p of the few above it is above the next of them, and at or above the p-th it has all documents with
    less than p of the few above them.
    """
    rough, keys, n_keys = scores.astype(np.float32), np.empty(count + 4, np.float32), 0
    for i in range(scores.size):
        keys[n_keys] = rough[i]
        n_keys += few[i]
    keys[count:] = -np.inf
    above, equal = np.zeros(scores.size, np.int32), np.zeros(scores.size, np.int32)
    for at in range(0, count + 1, 4):  # with a key of -inf at least, which documents without a rank equal
        a, b, c, d = keys[at], keys[at + 1], keys[at + 2], keys[at + 3]
        for i in range(scores.size):
            key = rough[i]
            above[i] += np.int32(a > key) + np.int32(b > key) + np.int32(c > key) + np.int32(d > key)
            equal[i] += np.int32(a == key) + np.int32(b == key) + np.int32(c == key) + np.int32(d == key)
    ranks = np.zeros(count + 1, np.int64)
    for i in range(scores.size):
        ranks[above[i]] += 1
    if equal.sum() != count:  # as each of the few equals itself
        return ranks[:0]
    for p in range(1, count):
        ranks[p] += ranks[p - 1]
    return ranks[:count]
