"""LETOR text: reading, errors, and round trips."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from directrank import InputError, RankingData, read_letor, write_letor


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str | bytes, name: str = "data.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def test_a_line_of_letor(file) -> None:
    data = read_letor(file("2 qid:10 1:0.5 2:-1e-3 3:7 #docid = GX1 inc = 1\n0 qid:10 1:1 2:2 3:3 #docid=GX2\n"))
    assert data.X.tolist() == [[0.5, -0.001, 7], [1, 2, 3]]
    assert data.y.tolist() == [2, 0] and data.qid.tolist() == [10, 10] and data.qid.dtype == np.int64
    assert data.docno.tolist() == ["GX1", "GX2"]


@pytest.mark.parametrize(
    ("comment", "docno"),
    [
        ("#docid = GX008-86 inc = 1", "GX008-86"),
        ("#docid=GX1", "GX1"),
        ("# docid =GX1  ", "GX1"),
        ("# a free comment ", "a free comment"),
        ("#doc7", "doc7"),
        ("#docidentity = x", "docidentity = x"),
        ("# dokument-ä#1", "dokument-ä#1"),
        ("# 7555\trambo", "7555"),
        ("#\t7555\tRambo III", "7555"),
        ("# tt0083944\tFirst Blood", "tt0083944"),
        ("# 7555 Rambo: First Blood Part II", "7555"),
        ("# docid = 7555\trambo", "7555"),
        ("# 12a angry men", "12a angry men"),
        ("# -12 degrees", "-12 degrees"),
        ("# 3.5 stars", "3.5 stars"),
        ("# free text\twith a tab", "free text\twith a tab"),
        ("# 1A", "1A"),
        ("# 7555\t", "7555"),
    ],
)
def test_comments_name_the_document(file, comment: str, docno: str) -> None:
    assert read_letor(file(f"1 qid:1 1:2{comment}\n0 qid:1 1:1\n")).docno.tolist() == [docno, ""]


@pytest.mark.parametrize(
    ("comments", "docnos"),
    [
        (["# 12 apples", "# 12 pears", "#docid = 12 x", "# 3 figs "], ["12 apples", "12 pears", "12", "3 figs"]),
        (["# 12 apples", "# 13 pears", "# 14\tx", ""], ["12", "13", "14", ""]),
        (["# 12 apples", "# 12 apples", "# 13 figs", ""], ["12", "12", "13", ""]),
        (["# 12\tapples", "# 12\tpears", "# 5", "# 6\r"], ["12", "12", "5", "6"]),
    ],
)
def test_integers_name_documents_if_they_are_distinct(file, comments: list[str], docnos: list[str]) -> None:
    lines = [f"1 qid:1 1:2 {comment}\n" for comment in comments]
    assert read_letor(file("".join(lines))).docno.tolist() == docnos
    apart = [f"1 qid:{row} 1:2 {comment}\n" for row, comment in enumerate(comments)]
    assert [name.split()[:1] for name in read_letor(file("".join(apart))).docno.tolist()] == [n.split()[:1] for n in docnos]


def test_no_comment_no_docno(file) -> None:
    assert read_letor(file("1 qid:1 1:2 #\n")).docno is None


@pytest.mark.parametrize(
    ("qids", "read"),
    [
        (["1", "20", "-3"], [1, 20, -3]),
        (["q1", "2", "2"], ["q1", "2", "2"]),
        (["007", "7", "7"], ["007", "7", "7"]),
        (["-0", "0", "1"], ["-0", "0", "1"]),
        (["99999999999999999999", "1", "1"], ["99999999999999999999", "1", "1"]),
        (["a:b", "ö", "x"], ["a:b", "ö", "x"]),
    ],
)
def test_qids_are_numbers_only_if_all_are(file, qids: list[str], read: list) -> None:
    assert read_letor(file("".join(f"0 qid:{q} 1:1\n" for q in qids))).qid.tolist() == read


def test_blank_lines_comments_crlf_tabs_and_no_last_newline(file) -> None:
    data = read_letor(file("# head\r\n\r\n  \t\r\n1\tqid:1  1:1\t2:2 \r\n#x\n  # y\n0 qid:1 1:3 2:4"))
    assert data.X.tolist() == [[1, 2], [3, 4]] and data.docno is None


def test_without_qid(file) -> None:
    data = read_letor(file("1 1:1 2:2\n0 2:1\n"))
    assert data.qid is None and data.X.tolist() == [[1, 2], [0, 1]]


def test_rows_without_features(file) -> None:
    assert read_letor(file("1 qid:1\n0 qid:1 2:5\n"), sparse=False).X.tolist() == [[0, 0], [0, 5]]
    assert read_letor(file("1 qid:1\n0 qid:1\n")).X.shape == (2, 1)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_missing_features_are_0(file, as_sparse: bool) -> None:
    data = read_letor(file("1 qid:1 2:5\n0 qid:1 1:1 4:2\n"), sparse=as_sparse)
    assert sparse.issparse(data.X) == as_sparse
    dense = data.X.toarray() if as_sparse else data.X
    assert dense.tolist() == [[0, 5, 0, 0], [1, 0, 0, 2]]


def test_mostly_empty_files_are_held_sparse(file) -> None:
    lines = "".join(f"0 qid:1 {i}:1\n" for i in range(1, 50))
    assert sparse.issparse(read_letor(file(lines)).X)
    assert not sparse.issparse(read_letor(file("0 qid:1 1:1 2:1\n1 qid:1 1:1\n")).X)


def test_a_huge_index_needs_no_huge_table(file) -> None:
    assert read_letor(file("0 qid:1 2147483647:1\n")).X.shape == (1, 2147483647)


def test_a_huge_dense_table_is_rejected(file) -> None:
    path = file("0 qid:1 2147483647:1\n" * 8)
    with pytest.raises(InputError, match="X would be too large with its 2,147,483,647 features; read it with sparse=True"):
        read_letor(path, sparse=False)


def test_n_features_and_dtype(file) -> None:
    data = read_letor(file("1 qid:1 1:0.1 2:0.2\n"), n_features=4, dtype=np.float32, sparse=False)
    assert data.X.shape == (1, 4) and data.X.dtype == np.float32 and data.X[0, 0] == np.float32(0.1)
    with pytest.raises(InputError, match="dtype must be float32 or float64"):
        read_letor(file("1 1:1\n"), dtype=int)


def test_numbers_that_take_more_care(file) -> None:
    texts = [
        "1e-320",
        "0.1234567890123456789012345678901234567890",
        "9007199254740993.00000000000000000000001",
        "1e-400",
        "nan",
    ]
    line = " ".join(f"{i}:{t}" for i, t in enumerate(texts, 1))
    for as_sparse in (False, True):
        X = read_letor(file(f"1.00000000000000000000000000001 {line}\n" * 3), sparse=as_sparse).X
        X = X.toarray() if as_sparse else X
        np.testing.assert_array_equal(X, np.array([[float(t) for t in texts]] * 3))


BAD = {
    "x qid:1 1:1": "the line must start with a grade, and 'x' is not a number",
    "1:1": "the line must start with a grade, and '1:1' is not a number",
    ":5": "the line must start with a grade, and ':5' is not a number",
    "-1 qid:1 1:1": "the grade '-1' is not a finite number that is at least 0; map labels such as -1/+1 to 0/1 first",
    "nan qid:1 1:1": "the grade 'nan' is not a finite number that is at least 0",
    "-1e-320 qid:1 1:1": "the grade '-1e-320' is not a finite number that is at least 0",
    "1e999 qid:1 1:1": "the grade '1e999' is not a finite number that is at least 0",
    "1 qid: 1:1": "there is nothing after qid:; add the query id",
    "1 qid:1 1": "'1' is not of the form index:value",
    "1 qid:1 1:1 foo": "'foo' has no index",
    "1 qid:1 foo:1": "'foo:1' has no index that is an integer from 1 to 2147483647",
    "1 qid:1 0:1": "'0:1' has no index that is an integer from 1",
    "1 qid:1 -1:1": "'-1:1' has no index",
    "1 qid:1 99999999999999999999:1": "'99999999999999999999:1' has no index",
    "1 qid:1 2:1 1:1": "the index of '1:1' is not above the one before it; sort the features of the line",
    "1 qid:1 2:1 2:1": "the index of '2:1' is not above",
    "1 qid:1 1:": "'1:' has no value that is a number (finite, or nan)",
    "1 qid:1 1:x": "'1:x' has no value",
    "1 qid:1 1:1:2": "'1:1:2' has no value",
    "1 qid:1 1:1\0": r"'1:1\x00' has no value",
    "1 qid:1 1:0.500000\0": r"'1:0.500000\x00' has no value",
    "1 qid:1 1:1\0 2:1": r"'1:1\x00' has no value",
    "1 qid:1 1\0:1": r"'1\x00:1' has no index",
    "1 qid:1 \0": r"'\x00' has no index",
    "1\0 qid:1 1:1": r"the line must start with a grade, and '1\x00' is not a number",
    "\0": r"the line must start with a grade, and '\x00' is not a number",
    "1 qid:1 1:1\x1a": r"'1:1\x1a' has no value",
    "1 qid:1 9223372036854775808:1": "'9223372036854775808:1' has no index",
    "1 qid:1 18446744073709551617:1": "'18446744073709551617:1' has no index",
    "1 qid:1 1:inf": "'1:inf' has no value",
    "1 qid:1 1:1e999": "has no value",
    "1 qid:1 1: 5": "'1:' has no value",
    "1 1:1 qid:1": "'qid:1' has no index",
    "1 1:1": "this line has no qid, but the lines before it do",
    "1 qid:\udcff 1:1": "this line is not UTF-8 text",
    "1 qid:1 1:1 # \udcff": "this line is not UTF-8 text",
}


@pytest.mark.parametrize("line", BAD)
@pytest.mark.parametrize("as_sparse", [False, True])
def test_malformed_lines_are_errors_with_file_and_line(file, line: str, as_sparse: bool) -> None:
    good = "0 qid:3 1:1 2:2 # d\n"
    path = file(
        (
            good * 3 + "\n" + line + "\n" + good + "bad too\n" * ("UTF" not in BAD[line] and "qid, but" not in BAD[line])
        ).encode("utf-8", "surrogateescape")
    )
    with pytest.raises(InputError) as error:
        read_letor(path, sparse=as_sparse)
    assert str(error.value).startswith(f"{path}:5: ")
    assert BAD[line] in str(error.value) and "\n" not in str(error.value)


def test_a_qid_too_many(file) -> None:
    path = file("1 1:1\n1 qid:1 1:1\n")
    with pytest.raises(InputError, match=r":2: this line has a qid, but the lines before it do not"):
        read_letor(path)


def test_features_beyond_n_features(file) -> None:
    with pytest.raises(InputError, match=r":2: '3:1' is beyond the expected 2 features"):
        read_letor(file("1 qid:1 1:1\n1 qid:1 3:1\n"), n_features=2)


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_no_data(file, text: str) -> None:
    with pytest.raises(InputError, match="the file has no data lines"):
        read_letor(file(text))


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_letor(tmp_path / "none.txt")


def test_gzip_by_content_not_by_name(file) -> None:
    zipped = gzip.compress(b"1 qid:1 1:5\n")
    assert read_letor(file(zipped, "data.gz")).X.tolist() == read_letor(file(zipped, "data")).X.tolist() == [[5]]
    with pytest.raises(InputError, match="the gzip file is damaged"):
        read_letor(file(zipped[:-6], "cut.gz"))


@pytest.mark.parametrize(
    "header",
    [
        '{"dtype": "foo"}',
        '{"n_features": -3}',
        '{"n_features": "a"}',
        '{"n_features": 1e13}',
        '{"n_features": true}',
        '{"feature_names": "ab"}',
        '{"feature_names": ["\\ud800"]}',
    ],
)
def test_a_header_with_wrong_values(file, header: str) -> None:
    with pytest.raises(InputError, match=r":1: invalid \w+ in header; fix or delete this line"):
        read_letor(file(f"# directrank {header}\n1 qid:1 1:5\n"))


@pytest.mark.parametrize("n_features", [0, -1, 2.5])
def test_a_wrong_number_of_features(file, n_features) -> None:
    with pytest.raises(InputError, match="n_features must be an integer, at least 1"):
        read_letor(file("1 1:5\n"), n_features=n_features)


def test_names_of_features(file) -> None:
    path = file("1 qid:1 1:5\n0 qid:1 2:1\n")
    data = read_letor(path, n_features=3, feature_names=["bm25", "links", "age"])
    assert data.feature_names == ["bm25", "links", "age"] and data.X.tolist() == [[5, 0, 0], [0, 1, 0]]
    with pytest.raises(InputError, match=r"there are 1 feature_names but X has 2 features"):
        read_letor(path, feature_names=["bm25"])
    with pytest.raises(InputError, match=r"has no feature above 2, and there are 3 feature_names; .* or pass n_features=3"):
        read_letor(path, feature_names=["bm25", "links", "age"])
    with pytest.raises(InputError, match="there are 3 feature_names but X has 4 features"):
        read_letor(path, n_features=4, feature_names=["bm25", "links", "age"])
    with pytest.raises(InputError, match="two features are named 'a'"):
        read_letor(path, feature_names=["a", "a"])
    with pytest.raises(InputError, match="feature_names must be a list of names, not 'bm25,links'"):
        read_letor(path, feature_names="bm25,links")


def test_feature_names_given_for_a_file_that_has_names(file) -> None:
    path = file('# directrank {"feature_names": ["a", "b"]}\n1 qid:1 1:5 2:1\n')
    assert read_letor(path, feature_names=["a", "b"]).feature_names == ["a", "b"]
    with pytest.raises(InputError, match="has feature names of its own, which differ"):
        read_letor(path, feature_names=["b", "a"])


def test_one_long_comment_does_not_widen_every_row(file) -> None:
    text = "0 1:1 # d\n" * 20_000 + "0 1:1 # " + "x" * 3_000_000 + "\n"
    docno = read_letor(file(text)).docno
    assert docno[0] == "d" and len(docno[-1]) == 3_000_000


def test_a_value_too_large_for_float32_names_the_file(file) -> None:
    path = file("1 1:1e39\n")
    with pytest.raises(InputError, match="X has an infinite value in column 0, row 0") as error, np.errstate(over="ignore"):
        read_letor(path, dtype=np.float32)
    assert str(path) in str(error.value)


def test_a_damaged_header(file) -> None:
    with pytest.raises(InputError, match=r":1: the header is not valid JSON"):
        read_letor(file("# directrank {oops\n1 qid:1 1:5\n"))
    with pytest.raises(InputError, match=r":1: the header is not valid JSON"):
        read_letor(file('# directrank {"x": ' + "[" * 100_000 + "\n1 qid:1 1:5\n"))


NUMBERS = st.one_of(
    st.integers(0, 10**7).map(lambda n: f"{n / 10**6:.6f}"),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**12), 10**12).map(str),
    st.sampled_from(["1e-320", "0.1234567890123456789012345678901", "nan", "+.5", "5.", "0.000000#", "0.1234567"]),
)


@given(st.lists(st.lists(st.tuples(st.integers(1, 3), NUMBERS), max_size=12), min_size=1, max_size=4), st.booleans())
def test_numbers_in_lines_equal_pythons_float(tmp_path_factory, lines: list, as_sparse: bool) -> None:
    """Whatever forms stand beside each other, up to the last byte of the file."""
    path = tmp_path_factory.getbasetemp() / "lines.txt"
    rows, text = np.zeros((len(lines), 36)), []
    for row, line in enumerate(lines):
        indices = np.cumsum([step for step, _ in line], dtype=int)
        text.append("1 " + " ".join(f"{index}:{number}" for index, (_, number) in zip(indices, line, strict=True)))
        for index, (_, number) in zip(indices, line, strict=True):
            rows[row, index - 1] = float(number.rstrip("#"))
            if "#" in number:  # the rest is a comment
                break
    path.write_text("\n".join(text))
    X = read_letor(path, n_features=36, sparse=as_sparse).X
    np.testing.assert_array_equal(X.toarray() if as_sparse else X, rows)


finite = st.floats(allow_nan=False, allow_infinity=False)
name = st.text(st.characters(min_codepoint=33, exclude_characters="#", exclude_categories=["Cs"]), min_size=1, max_size=5)


DOCNOS_WITH_BLANKS = ["two words", "12 angry men", "tab\tbed", "docid = x y"]


@st.composite
def ranking_data(draw) -> RankingData:
    n, d = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    value = st.floats(width=32 if dtype == np.float32 else 64, allow_infinity=False) | st.just(0.0)
    X = np.array(draw(st.lists(st.lists(value, min_size=d, max_size=d), min_size=n, max_size=n)), dtype)
    y = draw(st.lists(st.floats(0, 1e300) | st.integers(0, 4), min_size=n, max_size=n))
    kind = draw(st.sampled_from([None, st.integers(-(10**18) + 1, 10**18 - 1), name, st.integers(0, 9).map(str)]))
    qid = None if kind is None else draw(st.lists(kind, min_size=n, max_size=n))
    docno = draw(st.none() | st.lists(name | st.sampled_from(DOCNOS_WITH_BLANKS), min_size=n, max_size=n))
    names = draw(st.none() | st.lists(st.text(max_size=4), min_size=d, max_size=d, unique=True))
    return RankingData(sparse.csr_array(X) if draw(st.booleans()) else X, y, qid, docno, names)


def same(a: RankingData, b: RankingData) -> None:
    assert sparse.issparse(a.X) == sparse.issparse(b.X) and a.X.dtype == b.X.dtype and a.X.shape == b.X.shape
    dense = [x.X.toarray() if sparse.issparse(x.X) else x.X for x in (a, b)]
    np.testing.assert_array_equal(*dense)
    np.testing.assert_array_equal(a.y, b.y)
    for mine, theirs in ((a.qid, b.qid), (a.docno, b.docno)):
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert mine.dtype == theirs.dtype and mine.tolist() == theirs.tolist()
    assert a.feature_names == b.feature_names


@given(ranking_data(), st.sampled_from(["data.txt", "data.txt.gz"]))
def test_a_round_trip_loses_nothing(tmp_path_factory, data: RankingData, name: str) -> None:
    path = tmp_path_factory.mktemp("letor") / name
    write_letor(path, data)
    same(data, read_letor(path))


def test_a_round_trip_keeps_stored_zeros(tmp_path: Path) -> None:
    table = sparse.csr_array((np.array([0.0, 1.0]), np.array([1, 0]), np.array([0, 1, 2])), shape=(2, 3))
    write_letor(tmp_path / "x", RankingData(table, [0, 1]))
    again = read_letor(tmp_path / "x", sparse=True).X
    assert again.nnz == 2 and again.shape == (2, 3)


def test_every_other_grade_and_query_of_longer_arrays_is_written(tmp_path: Path) -> None:
    write_letor(tmp_path / "data.txt", RankingData([[1.0], [2.0]], np.arange(4.0)[::2], np.array([7, 8, 9, 10])[::2]))
    again = read_letor(tmp_path / "data.txt")
    assert again.y.tolist() == [0, 2] and again.qid.tolist() == [7, 9]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (dict(qid=["a b"]), "the qid 'a b' cannot be written as LETOR text"),
        (dict(qid=["a#"]), "the qid 'a#' cannot be written"),
        (dict(qid=[""]), "the qid '' cannot be written"),
        (dict(docno=[" x y"]), "the docno ' x y' of row 0 cannot be written"),
        (dict(docno=["a\nb"]), "cannot be written"),
    ],
)
def test_a_failed_write_leaves_the_old_file(tmp_path: Path, data: dict, sentence: str) -> None:
    path = tmp_path / "data.txt"
    path.write_text("1 1:1\n")
    with pytest.raises(InputError) as error:
        write_letor(path, RankingData([[1.0]], [0], **data))
    assert sentence in str(error.value)
    assert path.read_text() == "1 1:1\n" and list(tmp_path.iterdir()) == [path]
