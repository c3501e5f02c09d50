"""Single features as rankings: found by name, in either direction, with missing values last."""

from __future__ import annotations

import difflib
import re

import numpy as np

from ..arrays import Floats
from ..data import InputError, RankingData
from ..matrix.columns import Columns

_NUMBER = re.compile(r"(?:f|feature )?(\d+)", re.IGNORECASE)


def find_feature(data: RankingData, wanted: str) -> int:
    """Column of a feature, by its name; by its number from 1 (``24``, ``f24``) where features have no names.

    Examples
    --------
    >>> data = RankingData([[0.1, 5.0]], [1], feature_names=["bm25", "price"])
    >>> find_feature(data, "price")
    1
    >>> find_feature(RankingData([[0.1, 5.0]], [1]), "f2")
    1
    """
    names = data.feature_names
    if names is None:
        return _numbered(data, wanted)
    if wanted in names:
        return names.index(wanted)
    by_lower_case = {name.lower(): name for name in names}
    near = difflib.get_close_matches(wanted.lower(), by_lower_case, n=3, cutoff=0.5)
    listed = f"{', '.join(names[:10])}{f' and {len(names) - 10:,} more' if len(names) > 10 else ''}"
    advice = f"did you mean {' or '.join(by_lower_case[name] for name in near)}?" if near else f"there are {listed}"
    raise InputError(f"there is no feature {wanted!r}; {advice}")


def feature_name(data: RankingData, feature: int) -> str:
    """Name of a feature for display."""
    return f"feature {feature + 1}" if data.feature_names is None else data.feature_names[feature]


def feature_scores(values: Floats, *, ascending: bool = False) -> Floats:
    """Scores that rank documents by the values of a feature.

    High values rank first, or low ones if `ascending`. Documents with a missing value (NaN) rank after all others, tied
    with each other: they are returned, so they are not unranked documents, whose score is -inf.

    Examples
    --------
    >>> feature_scores(np.array([3.0, np.nan, -5.0])).tolist()
    [3.0, -10.0, -5.0]
    """
    scores = -values if ascending else values
    missing = np.isnan(scores)
    if not missing.any():
        return scores
    lowest = float(scores[~missing].min(initial=0.0))
    # Lower in single precision too, in which trec_eval compares scores.
    last = max(lowest - max(1.0, abs(lowest)), float(np.finfo(np.float64).min))
    return np.where(missing, last, scores)


def scores_of_feature(data: RankingData, feature: int, *, ascending: bool = False) -> Floats:
    """Scores of all rows by one feature; see `feature_scores`."""
    return feature_scores(Columns(data.X)[feature], ascending=ascending)


def _numbered(data: RankingData, wanted: str) -> int:
    found = _NUMBER.fullmatch(wanted.strip())
    if found is None:
        raise InputError(f"there is no feature {wanted!r}: the features have no names; give a number, such as 24 or f24")
    number = int(found[1])
    if not 1 <= number <= data.n_features:
        raise InputError(f"there is no feature {number:,}; there are {data.n_features:,}, numbered from 1")
    return number - 1
