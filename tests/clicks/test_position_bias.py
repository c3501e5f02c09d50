"""Position bias as a value: ranks, checks, files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank.clicks.position_bias import FORMAT, PositionBias
from directrank.data import InputError

POSITIVE = st.floats(1e-300, 1e300)


def valid() -> dict[str, Any]:
    return PositionBias(np.array([1.0, 0.5]), low=np.array([1.0, 0.4]), high=np.array([1.0, 0.7])).to_dict()


def test_power_of_the_rank() -> None:
    assert PositionBias.power(2.0, 3).alpha.tolist() == [1, 1 / 4, 1 / 9]
    assert PositionBias.power(0.0, 2).alpha.tolist() == [1, 1]


def test_ranks_below_the_last_have_the_bias_of_the_last() -> None:
    bias = PositionBias(np.array([0.9, 0.5, 0.2]), np.array([0.1, 0.05, 0.01]))
    alpha, beta = bias.at(np.array([[1, 3], [4, 1000]]))
    assert alpha.tolist() == [[0.9, 0.2], [0.2, 0.2]]
    assert beta.tolist() == [[0.1, 0.01], [0.01, 0.01]]
    assert bias.has_trust_bias
    assert not PositionBias.power(1.0, 3).has_trust_bias


def test_ranks_count_from_1() -> None:
    with pytest.raises(InputError, match="ranks count from 1, and one is nan"):
        PositionBias.power(1.0, 3).at([2, np.nan])
    with pytest.raises(InputError, match="ranks count from 1, and one is 0"):
        PositionBias.power(1.0, 3).at([2, 0])


def test_no_arrays_are_shared_with_the_caller() -> None:
    alpha = np.array([1.0, 0.5])
    bias = PositionBias(alpha)
    alpha[1] = 7
    assert bias.alpha.tolist() == [1, 0.5]
    with pytest.raises(ValueError, match="read-only"):
        bias.alpha[0] = 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (dict(alpha=[]), "alpha of a position bias must have a number for each rank"),
        (dict(alpha=[[1.0]]), "must have one dimension"),
        (dict(alpha=["a"]), "alpha of a position bias must be numbers"),
        (dict(alpha=[1, 0]), "finite numbers above 0, and is 0.0 at rank 2"),
        (dict(alpha=[1, np.nan]), "is nan at rank 2"),
        (dict(alpha=[np.inf]), "is inf at rank 1"),
        (dict(alpha=[1, 0.5], beta=[0.1]), "beta of a position bias has 1 ranks, and alpha has 2"),
        (dict(alpha=[1, 0.5], beta=[0.1, -0.1]), "beta of a position bias must be finite numbers of at least 0"),
        (dict(alpha=[1, 0.5], low=[1]), "low of a position bias has 1 ranks"),
        (dict(alpha=[1, 0.5], high=[1, -1]), "high of a position bias must be numbers of at least 0"),
    ],
)
def test_invalid_values(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PositionBias(**fields)


@given(
    st.lists(st.tuples(POSITIVE, st.floats(0, 1e300)), min_size=1, max_size=5), st.booleans(), st.lists(st.text(max_size=4))
)
def test_files_give_back_what_was_saved(values: list[tuple[float, float]], intervals: bool, notes: list[str]) -> None:
    alpha, beta = np.array(values).T
    ends = np.where(np.arange(alpha.size) == 1, np.nan, alpha) if intervals else None
    bias = PositionBias(alpha, beta, ends, ends, "pbm", 17, tuple(notes))
    again = PositionBias.from_dict(json.loads(json.dumps(bias.to_dict())))
    for name in ("alpha", "beta", "low", "high"):
        np.testing.assert_array_equal(getattr(again, name), getattr(bias, name))
    assert (again.method, again.n_sessions, again.notes) == ("pbm", 17, tuple(notes))


def test_saved_files_are_json(tmp_path: Path) -> None:
    PositionBias(np.array([1.0, 0.5]), low=np.array([1.0, np.nan]), high=np.array([1.0, np.inf])).save(
        tmp_path / "bias.json"
    )
    content = json.loads((tmp_path / "bias.json").read_text())
    assert content["format"] == FORMAT
    assert content["low"] == content["high"] == [1.0, None]
    assert PositionBias.load(tmp_path / "bias.json").alpha.tolist() == [1, 0.5]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(format="directrank model, version 2"), "its format is 'directrank model, version 2'"),
        (dict(format=None), "its format is None"),
        (dict(method=3), "it lacks method"),
        (dict(n_sessions="many"), "n_sessions"),
        (dict(notes=[1]), "notes"),
        (dict(alpha="1"), "its alpha must be a list of numbers"),
        (dict(alpha=None), "its alpha must be a list of numbers"),
        (dict(alpha=[1, True]), "its alpha must be a list of numbers"),
        (dict(alpha=[1, None]), "is nan at rank 2"),
        (dict(alpha=[1, 10**400]), "alpha of a position bias must be numbers"),
        (dict(beta=[0.0]), "beta of a position bias has 1 ranks"),
        (dict(low={}), "its low must be a list of numbers"),
    ],
)
def test_files_with_wrong_fields(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    file = tmp_path / "bias.json"
    file.write_text(json.dumps({**valid(), **change}))
    with pytest.raises(
        InputError, match=rf"bias\.json is not a position bias of directrank, or not a complete one: .*{message}"
    ):
        PositionBias.load(file)


@pytest.mark.parametrize("text", ["", "[", "[1]", "\x00", "[" * 100_000, '{"format": ' + "1" * 5000 + "}"])
def test_files_that_are_no_position_bias(text: str, tmp_path: Path) -> None:
    file = tmp_path / "bias.json"
    file.write_text(text)
    with pytest.raises(InputError, match=r"bias\.json is not a position bias of directrank"):
        PositionBias.load(file)
