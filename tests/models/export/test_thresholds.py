"""Rounding of thresholds: every float32 goes the same way as by x <= t in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import example, given, strategies as st

from directrank.models.export.solr import SLACK, before_slack
from directrank.models.export.threshold_rounding import LARGEST_SINGLE, around_zero, single_above, single_not_above

TINY = float(np.float32(1e-35))
ANY = st.floats(allow_nan=False, allow_infinity=False)
NEAR = st.floats(-100, 100) | st.floats(-1e-30, 1e-30) | ANY


def singles_near(t: float) -> Any:
    """The single numbers on both sides of a threshold, and some far from it."""
    nearest = np.float32(np.clip(t, -LARGEST_SINGLE, LARGEST_SINGLE))
    found = [np.float32(x) for x in (0.0, -0.0, 1.0, -1.0, TINY, -TINY)]
    for towards in (np.float32(-LARGEST_SINGLE), np.float32(LARGEST_SINGLE)):
        x = nearest
        for _ in range(3):
            found.append(x)
            x = np.nextafter(x, towards)
    return np.array(found, np.float32)


@given(NEAR)
@example(0.0)
@example(1e300)
@example(-1e300)
@example(float(np.float32(0.1)))
@example(0.1)
def test_single_precision(t: float) -> None:
    x = singles_near(t)
    x = x[np.abs(x) < np.float32(LARGEST_SINGLE)]  # the ends, where thresholds are clamped
    left = x.astype(np.float64) <= t
    np.testing.assert_array_equal(x <= np.float32(single_not_above(np.array([t]))[0]), left)
    np.testing.assert_array_equal(x < np.float32(single_above(np.array([t]))[0]), left)


@given(NEAR)
@example(1e300)
@example(-1e300)
def test_they_are_single_numbers_and_finite(t: float) -> None:
    for rule in (single_above, single_not_above, before_slack):
        written = rule(np.array([t]))[0]
        assert np.isfinite(written) and written == np.float32(written)


@given(st.floats(-1e-34, 1e-34) | NEAR, st.floats(-1e-34, 1e-34) | NEAR)
@example(-TINY, -TINY)
@example(0.0, TINY)
@example(TINY, TINY)
@example(-0.0, -TINY)
def test_tiny_values_go_where_zero_goes(t: float, x: float) -> None:
    as_lightgbm_has_it = 0.0 if abs(x) <= TINY else x
    assert (x <= around_zero(np.array([t]))[0]) == (as_lightgbm_has_it <= t)


@given(NEAR)
@example(0.0)
@example(1e-35)
@example(-1e-35)
@example(1e-6)
@example(20.0)
def test_solr_gets_the_nearest_threshold_that_its_slack_leaves(t: float) -> None:
    wanted = np.float32(single_not_above(np.array([t]))[0])
    written = np.float32(before_slack(np.array([t]))[0])
    assert written + SLACK <= wanted
    higher = np.nextafter(written, np.float32(LARGEST_SINGLE))
    assert written + SLACK == wanted or higher + SLACK > wanted
    assert (np.float32(0) <= written + SLACK) == (wanted >= 0)  # 0, the commonest value, is never on the wrong side


@given(st.floats(1e-6, 1e30))
def test_solr_is_exact_but_for_the_smallest_thresholds(t: float) -> None:
    for threshold, furthest in ((t, 0), (-t, 1)):
        wanted = np.float32(single_not_above(np.array([threshold]))[0])
        reached = np.float32(before_slack(np.array([threshold]))[0]) + SLACK
        assert abs(int(reached.view(np.int32)) - int(wanted.view(np.int32))) <= furthest  # single numbers apart
