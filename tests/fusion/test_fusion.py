"""Unsupervised fusion of runs, against plain sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from directrank import InputError, Run
from directrank.data import join_runs
from directrank.fusion import comb_mnz, comb_sum, reciprocal_rank_fusion

run = st.dictionaries(st.tuples(st.sampled_from("pq"), st.sampled_from("abcd")), st.integers(-3, 3), min_size=1)


@given(runs=st.lists(run, min_size=1, max_size=3))
def test_fusions_are_their_plain_sums(runs) -> None:
    given_runs = [
        Run([q for q, _ in r], [d for _, d in r], list(map(float, r.values())), f"run{i}") for i, r in enumerate(runs)
    ]
    data = join_runs(given_runs, missing=np.nan)
    rows = list(zip(data.qid.tolist(), data.docno.tolist(), strict=True))
    assert set(rows) == set().union(*runs)
    sums, counts, ranks = dict.fromkeys(rows, 0.0), dict.fromkeys(rows, 0), dict.fromkeys(rows, 0.0)
    for r in runs:
        for (q, d), score in r.items():
            others = [s for (p, _), s in r.items() if p == q]
            low, high = min(others), max(others)
            sums[q, d] += (score - low) / (high - low) if high > low else 1.0
            counts[q, d] += 1
            place = sum(s > score for s in others) + (1 + sum(s == score for s in others)) / 2
            ranks[q, d] += 1 / (60 + place)
    np.testing.assert_allclose(comb_sum(data), [sums[row] for row in rows], atol=1e-12)
    np.testing.assert_allclose(comb_mnz(data), [sums[row] * counts[row] for row in rows], atol=1e-12)
    np.testing.assert_allclose(reciprocal_rank_fusion(data), [ranks[row] for row in rows], atol=1e-12)


def test_k_must_be_at_least_0() -> None:
    data = join_runs([Run(["q"], ["a"], [1.0])], missing=np.nan)
    with pytest.raises(InputError, match="k must be at least 0, not -1"):
        reciprocal_rank_fusion(data, k=-1)
