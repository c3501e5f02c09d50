"""Generated families: how grades depend on the features is known, and so is the best reachable effectiveness.

Features are correlated and differ between queries, a twentieth of them is constant within each query, and half are raw: of
any scale, with log-normal tails. The signal has mean 0 and variance 1 over the documents; grades are given by thresholds on
signal plus noise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from directrank import RankingData

#: Standard deviation of the noise, with which ranking by the signal has nDCG@10 of about 0.85.
NOISE = 0.45

#: Shares of documents with grades below 1, 2, 3 and 4.
GRADES_BELOW = (0.5, 0.75, 0.9, 0.97)

#: Number of features that the grades depend on, except for `many-weak`.
RELEVANT = 12


#: Pairs of features need twice as many of them.
MIN_FEATURES = 2 * RELEVANT


class Generated(NamedTuple):
    """Generated data, with the signal by which its best ranking sorts."""

    data: RankingData
    signal: np.ndarray


def family(name: str, n_queries: int, n_documents: int = 60, n_features: int = 50, seed: int = 0) -> RankingData:
    """Generate a ranking problem with grades 0 to 4.

    Parameters
    ----------
    name : {'thresholds', 'products', 'smooth', 'many-weak', 'linear'}
        How the signal depends on the features.
    n_queries : int
    n_documents : int
        Mean number of documents per query; from half of it to one and a half.
    n_features : int
        At least `MIN_FEATURES`.
    seed : int
        Determines the dependence as well as the sample.
    """
    return generate(name, n_queries, n_documents, n_features, seed).data


def generate(name: str, n_queries: int, n_documents: int, n_features: int, seed: int) -> Generated:
    """`family` with the signal."""
    random = np.random.default_rng([FAMILIES.index(name), seed])
    sizes = random.integers(n_documents - n_documents // 2, n_documents + n_documents // 2, n_queries, endpoint=True)
    query = np.repeat(np.arange(n_queries), sizes)
    Z = _normal_features(query, n_features, random)
    signal = SIGNALS[name](Z, random)
    signal = (signal - signal.mean()) / signal.std()
    hidden = signal + NOISE * random.standard_normal(query.size)
    grades = np.digitize(hidden, np.quantile(hidden, GRADES_BELOW)).astype(np.float64)
    _make_raw(Z, random)
    return Generated(RankingData(Z, grades, query), signal)


def parse_name(source: str) -> tuple[str, int] | None:
    """Family and number of queries of a name such as ``thresholds-200``; None if it is no such name."""
    found = re.fullmatch(rf"({'|'.join(FAMILIES)})-([1-9]\d*)", source)
    return None if found is None else (found[1], int(found[2]))


def _normal_features(query: np.ndarray, n_features: int, random: np.random.Generator) -> np.ndarray:
    """Standard normal features: a part from five common factors, a part from the query, the rest of their own."""
    n_queries = int(query[-1]) + 1
    loadings = random.standard_normal((5, n_features), dtype=np.float32)
    loadings *= np.sqrt(0.2 / (loadings**2).sum(axis=0))
    Z = np.sqrt(np.float32(0.6)) * random.standard_normal((query.size, n_features), dtype=np.float32)
    Z += random.standard_normal((query.size, 5), dtype=np.float32) @ loadings
    by_query = random.standard_normal((n_queries, n_features), dtype=np.float32)
    Z += np.sqrt(np.float32(0.2)) * by_query[query]
    n_constant = n_features // 20
    if n_constant:
        Z[:, -n_constant:] = by_query[query, -n_constant:]
    return Z


def _make_raw(Z: np.ndarray, random: np.random.Generator) -> None:
    """Make every second feature log-normal, of any scale, and every fourth a count, in place."""
    for j in range(0, Z.shape[1], 2):
        Z[:, j] = np.exp(random.uniform(1, 2.5) * Z[:, j])
        if j % 4:
            np.floor(3 * Z[:, j], out=Z[:, j])
        else:
            Z[:, j] *= 10.0 ** random.uniform(-4, 4)


def _weights(n: int, random: np.random.Generator) -> np.ndarray:
    """Weights of either sign, the largest five times the smallest, in any order."""
    return random.permutation(np.geomspace(1, 0.2, n)) * random.choice([-1, 1], n)


def _relevant(Z: np.ndarray, n: int, random: np.random.Generator) -> list[int]:
    return [int(j) for j in random.permutation(Z.shape[1])[:n]]


def _thresholds(Z: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Weighted sum of indicators that features exceed a threshold, a third of them that two features do."""
    signal = np.zeros(len(Z))
    for position, (j, k, weight) in enumerate(_pairs(Z, random)):
        holds = Z[:, j] > random.normal(scale=0.7)
        if position % 3 == 0:
            holds &= Z[:, k] > random.normal(scale=0.7)
        signal += weight * holds
    return signal


def _products(Z: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Weighted sum of products of two features, each with a smaller effect of its own."""
    signal = np.zeros(len(Z))
    for j, k, weight in _pairs(Z, random):
        signal += weight * (Z[:, j] + random.uniform(-0.7, 0.7)) * (Z[:, k] + random.uniform(-0.7, 0.7))
    return signal


def _smooth(Z: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Weighted sum of smooth functions of single features: waves, saturation, bumps and parabolas."""
    shapes: list[Callable[[np.ndarray], np.ndarray]] = [
        lambda z: np.sin(2 * z),
        lambda z: np.tanh(2 * z),
        lambda z: 2 * np.exp(-(z**2)),
        lambda z: z**2 / 2,
    ]
    signal = np.zeros(len(Z))
    for position, (j, weight) in enumerate(zip(_relevant(Z, RELEVANT, random), _weights(RELEVANT, random), strict=True)):
        signal += weight * shapes[position % len(shapes)](Z[:, j] - random.normal(scale=0.5))
    return signal


def _many_weak(Z: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Sum of saturating effects of all features, none of them large."""
    signal = np.zeros(len(Z))
    for j, weight in enumerate(_weights(Z.shape[1], random)):
        signal += weight * np.tanh(Z[:, j] - random.normal(scale=0.5))
    return signal


def _linear(Z: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Weighted sum of features, or of their logarithms where they are raw."""
    return Z[:, _relevant(Z, RELEVANT, random)].astype(np.float64) @ _weights(RELEVANT, random)


def _pairs(Z: np.ndarray, random: np.random.Generator) -> list[tuple[int, int, float]]:
    """Disjoint pairs of features, with a weight."""
    chosen = _relevant(Z, 2 * RELEVANT, random)
    return list(zip(chosen[:RELEVANT], chosen[RELEVANT:], _weights(RELEVANT, random).tolist(), strict=True))


SIGNALS: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "thresholds": _thresholds,
    "products": _products,
    "smooth": _smooth,
    "many-weak": _many_weak,
    "linear": _linear,
}

FAMILIES = tuple(SIGNALS)
