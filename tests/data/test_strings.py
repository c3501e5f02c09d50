"""Membership of strings."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from directrank.data.strings import STRING, is_in

strings = st.lists(st.sampled_from(["", "a", "b", "ab", "1", "01", "é"]))


@given(values=strings, wanted=strings)
def test_membership_is_that_of_numpy(values: list[str], wanted: list[str]) -> None:
    expected = np.isin(np.array(values, object), np.array(wanted, object))
    assert is_in(np.array(values, STRING), wanted).tolist() == expected.tolist()


def test_many_strings_take_no_time_for_each_pair_of_them() -> None:
    values = np.arange(300_000).astype(STRING)
    assert is_in(values, values[::2].tolist()).sum() == 150_000  # with np.isin it would take hours
