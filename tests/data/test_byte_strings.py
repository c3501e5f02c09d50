"""Byte strings: factorizing them, joining pairs of them, and trec_eval's order, against plain Python."""

from __future__ import annotations

import importlib.util
import pickle
from dataclasses import replace
from itertools import count, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank import InputError, Qrels, Run, read_qrels, read_run, write_run
from directrank.core import byte_strings as kernels
from directrank.data import judge
from directrank.data.formats.trec import joined_pairs
from directrank.data.formats.trec.joined_pairs import join_pairs
from directrank.data.formats.trec.ranking_order import trec_order
from directrank.data.parsing import byte_strings
from directrank.data.parsing.byte_strings import ByteStrings, factorize
from directrank.data.strings import STRING

#: Among them names that are the start of others, empty ones, and such that NumPy's texts of fixed width would cut.
some_name = st.sampled_from(["", "a", "aa", "ab", "a\0", "é", "FT911-1", "FT911-10", "日本", "x" * 40]) | st.text(max_size=3)
columns = st.lists(st.lists(some_name.filter(lambda name: not any("\ud800" <= c <= "\udfff" for c in name)), max_size=9))


def names_of(strings: list[str]) -> ByteStrings:
    return ByteStrings.from_strings(np.array(strings, STRING))


@given(columns)
def test_names_are_numbered_by_first_appearance(strings: list[list[str]]) -> None:
    numbers, distinct = factorize([names_of(column) for column in strings])
    seen: dict[str, int] = {}
    assert [each.tolist() for each in numbers] == [[seen.setdefault(name, len(seen)) for name in c] for c in strings]
    assert distinct[:].tolist() == list(seen) and len(distinct) == len(seen)
    assert [distinct[i] for i in range(len(seen))] == list(seen) and distinct[::-2].tolist() == list(seen)[::-2]


@pytest.mark.parametrize("key", [0, 1, 2, 2**61 - 2, 2**61 - 1, 2**64 - 1])
def test_distinct_names_with_equal_hashes_stay_distinct(key: int) -> None:
    """With the key 0 all hashes are equal."""
    strings = ["b", "a", "a", "c", "b", "ab", "", "a\0", "ab", "x" * 7, "x" * 8, "x" * 14, "x" * 7]
    numbers, distinct = kernels.factorize([names_of(strings).arrays], key)
    assert numbers.tolist() == [0, 1, 1, 2, 0, 3, 4, 5, 3, 6, 7, 8, 6]
    assert ByteStrings(*distinct)[:].tolist() == ["b", "a", "c", "ab", "", "a\0", "x" * 7, "x" * 8, "x" * 14]


def test_the_key_of_the_hashes_is_random() -> None:
    """Else names could be crafted whose hashes are equal, which takes quadratic time: such as permutations for the key 1."""
    spec = importlib.util.find_spec(byte_strings.__name__)
    again = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(again)
    assert again.HASH_KEY != byte_strings.HASH_KEY and min(again.HASH_KEY, byte_strings.HASH_KEY) > 2**32
    crafted = names_of(["".join(blocks) for blocks in permutations(("aaaaaaa", "bbbbbbb", "ccccccc", "ddddddd"))])
    for key in (1, byte_strings.HASH_KEY, again.HASH_KEY):
        assert kernels.factorize([crafted.arrays], key)[0].tolist() == list(range(24))


def test_many_names() -> None:
    strings = [f"FT{number * 7919 % 5003}" for number in range(20_000)]
    (numbers,), distinct = factorize([names_of(strings)])
    assert distinct[:][numbers].tolist() == strings and len(distinct) == 5003


pairs = st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("abcd")), max_size=8)


@given(st.lists(pairs, min_size=1, max_size=3), st.integers(0, 3), st.booleans(), st.integers(0, 2**64 - 1) | st.just(0))
def test_pairs_are_joined(sources: list[list[tuple[str, str]]], n_queries: int, keep_first: bool, key: int) -> None:
    query, queries = factorize([names_of([pair[0] for pair in source]) for source in sources])
    documents = [names_of([pair[1] for pair in source]) for source in sources]
    n_queries = min(n_queries, len(queries))
    places = count()
    values = [np.array([float(next(places)) for _ in source]) for source in sources]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joined_pairs, "HASH_KEY", key)
        joined = join_pairs(query, documents, values, n_queries, keep_first)

    kept = queries[:].tolist()[:n_queries]
    firsts = [min((i for i, pair in enumerate(s) if pair[0] in kept and pair in s[i + 1 :]), default=-1) for s in sources]
    assert joined.repeated.tolist() == firsts
    said: dict[tuple[str, str], list[float]] = {}
    for number, source in enumerate(sources):
        for pair, value in zip(source, values[number], strict=True):
            if pair[0] in kept:
                said.setdefault(pair, [np.nan] * len(sources))[number] = value
    if not keep_first:
        said = {pair: row for pair, row in said.items() if not np.isnan(row[1:]).all()}
    rows = sorted(said, key=lambda pair: kept.index(pair[0]))  # stable: by first appearance in the query
    assert list(zip((kept[q] for q in joined.query), joined.documents, strict=True)) == rows
    assert joined.offsets.tolist() == [sum(kept.index(pair[0]) < q for pair in rows) for q in range(n_queries + 1)]
    np.testing.assert_array_equal(joined.values.T, np.array([said[row] for row in rows]).reshape(len(rows), len(sources)))


def test_pairs_of_many_queries_of_any_length() -> None:
    """Beyond one part of the work, and one table's room."""
    rng = np.random.default_rng(0)
    sources = [[(f"q{q}", f"d{d}") for q in rng.permutation(60) for d in rng.choice(3000, 1 + q**2)] for _ in range(2)]
    query, queries = factorize([names_of([pair[0] for pair in source]) for source in sources])
    values = [np.arange(len(source), dtype=float) for source in sources]
    joined = join_pairs(query, [names_of([pair[1] for pair in source]) for source in sources], values, len(queries))
    said: dict[tuple[str, str], list[float]] = {}
    for number, source in enumerate(sources):
        for pair, value in zip(source, values[number].tolist(), strict=True):
            said.setdefault(pair, [np.nan, np.nan])[number] = value
    found = list(zip(queries[:][joined.query].tolist(), joined.documents, strict=True))
    assert len(found) == len(said)
    np.testing.assert_array_equal(joined.values.T, [said[pair] for pair in found])


scored = st.tuples(
    st.integers(0, 2), st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0, 1 + 1e-12, -1.5, 1e300]), some_name
)


@given(st.lists(scored, max_size=40))
def test_trec_order(rows: list[tuple[int, float, str]]) -> None:
    query, scores, names = (
        np.array([r[0] for r in rows], np.int64),
        np.array([r[1] for r in rows], float),
        [r[2] for r in rows],
    )
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32).tolist()
    expected = list(range(len(rows)))
    expected.sort(key=lambda row: names[row].encode(), reverse=True)  # reversed, and stable all the same
    expected.sort(key=lambda row: (query[row], -single[row]))
    assert trec_order(scores, names_of(names), query, 3).tolist() == expected


def test_trec_order_of_queries_of_any_length() -> None:
    rng = np.random.default_rng(0)
    query = np.repeat(rng.permutation(40), rng.integers(0, 400, 40))
    scores, names = rng.integers(-3, 100, query.size) / 7, [f"d{d}" for d in rng.integers(0, 50, query.size)]
    expected = list(range(query.size))
    expected.sort(key=lambda row: names[row].encode(), reverse=True)
    expected.sort(key=lambda row: (query[row], -np.float32(scores[row])))
    assert trec_order(scores, names_of(names), query, 40).tolist() == expected


def test_data_from_a_file_equals_data_from_arrays(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("\n\n2 Q0 é 1 3 t\n10 Q0 b 1 2 t\n2 Q0 b 2 1 u\n")
    (tmp_path / "qrels").write_text("2 0 b 1\n2 0 z 2\n10 0 é 1\n")
    run, qrels = read_run(tmp_path / "run"), read_qrels(tmp_path / "qrels")
    assert len(run) == 3 and len(qrels) == 3 and run.name == "t"
    made = Run(["2", "10", "2"], ["é", "b", "b"], [3.0, 2.0, 1.0], "t"), Qrels(["2", "2", "10"], ["b", "z", "é"], [1, 2, 1])
    for one, other in zip(judge(run, qrels), judge(*made), strict=True):
        np.testing.assert_array_equal(one, other)
    again = pickle.loads(pickle.dumps(run))
    for each in (run, again, replace(run, name="t")):
        assert each.qid.tolist() == ["2", "10", "2"] and each.docno.tolist() == ["é", "b", "b"] and len(each) == 3
    with pytest.raises(AttributeError, match="Run has no attribute 'docnos'"):
        _ = run.docnos
    write_run(tmp_path / "again", again)
    assert (tmp_path / "again").read_text() == "2 Q0 é 1 3.0 t\n2 Q0 b 2 1.0 t\n10 Q0 b 1 2.0 t\n"


def test_a_name_that_is_not_utf_8_is_an_error_when_read(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"1 Q0 a 1 3 t\n1 Q0 \xff 1 3 t\n")
    with pytest.raises(InputError, match=r"run:2: this line is not UTF-8 text"):
        read_run(tmp_path / "run")
