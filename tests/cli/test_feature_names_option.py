"""``--feature-names``: from files and lists to the model, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, stdout_of

from directrank import RankingData, load_model, read_letor, read_parquet, write_letor
from directrank.datasets import make_ranking


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    data = make_ranking(8, (5, 8), random_state=0)
    write_letor(tmp_path / "plain.txt", RankingData(data.X[:, :3], data.y, data.qid))
    return tmp_path


def test_feature_names_reach_the_model(folder: Path) -> None:
    names = ["bm25", "page rank", "3: odd"]
    (folder / "lines").write_text("bm25\npage rank\n3: odd\n\n")
    (folder / "numbered").write_text("2\tpage rank\n1\tbm25\n3\t3: odd\n")
    (folder / "colons").write_text("1: bm25\n2: page rank\n3: 3: odd\n")
    (folder / "list.json").write_text(json.dumps(names, indent=1))
    for given in ("lines", "numbered", "colons", "list.json", "bm25, page rank,3: odd"):
        stdout_of("train", "plain.txt", "--feature-names", given, "--set", "C=1", "-o", "m.json")
        assert list(load_model("m.json").feature_names) == names, given
    stdout_of("convert", "plain.txt", "named.txt", "--feature-names", "lines")
    stdout_of("convert", "plain.txt", "named.parquet", "--feature-names", "lines")
    assert read_letor("named.txt").feature_names == read_parquet("named.parquet").feature_names == names
    (folder / "other").write_text("page rank\n3: odd\nbm25\n")
    stdout_of("predict", "m.json", "named.txt", "-o", "one")
    data = read_letor("plain.txt")
    write_letor("turned.txt", RankingData(data.X[:, [1, 2, 0]], data.y, data.qid))
    stdout_of("predict", "m.json", "turned.txt", "-o", "two", "--feature-names", "other")
    np.testing.assert_allclose(np.loadtxt("one"), np.loadtxt("two"))
    value = stdout_of("evaluate", "named.txt", "--model", "m.json", "--json")
    assert json.loads(value) == json.loads(
        stdout_of("evaluate", "turned.txt", "--model", "m.json", "--feature-names", "other", "--json")
    )
    said = json.loads(stdout_of("describe", "plain.txt", "--feature-names", "a,b,c", "--json"))
    assert said["n_features"] == 3


def test_names_for_the_export_of_a_model_without(folder: Path) -> None:
    stdout_of("train", "plain.txt", "--set", "C=1", "-o", "m.json")
    out = stdout_of("export", "m.json", "--to", "solr", "--feature-names", "a,b,c")
    assert [feature["name"] for feature in json.loads(out)["features"]] == ["a", "b", "c"]
    assert "has 2 names, and the model in m.json has 3 features" in error_of(
        "export", "m.json", "--to", "solr", "--feature-names", "a,b"
    )


def test_the_export_of_a_model_renames_its_features(folder: Path) -> None:
    stdout_of("train", "plain.txt", "--set", "C=1", "-o", "m.json", "--feature-names", "bm25,page rank,age")
    export = ("export", "m.json", "--to", "solr")
    assert "the name of the feature 'page rank'" in (said := error_of(*export)) and "rename it with --feature-names" in said
    assert "has 2 names, and the model in m.json has 3 features" in error_of(*export, "--feature-names", "a,b")
    stdout_of("convert", "plain.txt", "named.txt", "--feature-names", "bm25,page rank,age")
    content = json.loads(stdout_of(*export, "--feature-names", "bm25,page_rank,age"))
    assert [feature["name"] for feature in content["features"]] == ["bm25", "page_rank", "age"]
    assert "The export ranks as the model does" in stdout_of(
        "export", "m.json", "--to", "sql", "--feature-names", "bm25,page_rank,age", "-o", "m.sql", "--check", "named.txt"
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a\n\nb\n", "names:2: this line is empty"),
        ("", "names: there are no names in it"),
        ("1\ta\n3\tb\n", "names: its 2 lines must have the numbers from 1 to 2, each once"),
        ('["a", 1]', "names: it must be a JSON list of names"),
        ('["a"', "names: not a valid JSON list"),
    ],
)
def test_files_of_names_that_are_wrong(folder: Path, content: str, sentence: str) -> None:
    (folder / "names").write_text(content)
    assert sentence in error_of("describe", "plain.txt", "--feature-names", "names")


@pytest.mark.parametrize("command", ["describe", "train", "convert"])
def test_surplus_names_are_an_error(folder: Path, command: str) -> None:
    (folder / "names").write_text("qid\na\nb\nc\n")
    rest = {"describe": (), "train": ("--set", "C=1", "-o", "m.json"), "convert": ("named.txt",)}[command]
    said = error_of(command, "plain.txt", *rest, "--feature-names", "names")
    assert "--feature-names has 4 names, and plain.txt has no feature above 3; remove" in said and "write 4:0" in said


def test_the_number_of_features_comes_from_the_model(folder: Path) -> None:
    stdout_of("train", "plain.txt", "--set", "C=1", "-o", "m.json", "--feature-names", "a,b,c")
    (folder / "short.txt").write_text("1 qid:1 1:5 2:1\n0 qid:1 1:2\n")
    stdout_of("predict", "m.json", "short.txt", "-o", "s", "--feature-names", "a,b,c")
    stdout_of("evaluate", "short.txt", "--model", "m.json", "--feature-names", "a,b,c")
    stdout_of("compare", "short.txt", "--model", "m.json", "--scores", "s", "--feature-names", "a,b,c")
    said = error_of("evaluate", "short.txt", "--model", "m.json", "--feature-names", "a,b,c,d")
    assert "--feature-names has 4 names, and the model has 3 features" in said
    assert "no feature above 2" in error_of("evaluate", "short.txt", "--scores", "s", "--feature-names", "a,b,c")


def test_names_with_commas_may_be_long(folder: Path) -> None:
    names = [f"{'x' * 300}{number}" for number in range(3)]
    stdout_of("convert", "plain.txt", "named.txt", "--feature-names", ",".join(names))
    assert read_letor("named.txt").feature_names == names


def test_names_that_do_not_fit(folder: Path) -> None:
    data = read_letor("plain.txt")
    write_letor("own.txt", RankingData(data.X, data.y, data.qid, feature_names=["a", "b", "c"]))
    assert "there is no such file" in error_of("describe", "plain.txt", "--feature-names", "nowhere.txt")
    assert "empty name" in error_of("describe", "plain.txt", "--feature-names", "a,,b")
    few = error_of("describe", "plain.txt", "--feature-names", "a,b")
    assert "--feature-names has 2 names, and plain.txt has 3 features" in few
    assert "leave --feature-names out" in error_of("describe", "own.txt", "--feature-names", "x,y,z")
    stdout_of("convert", "plain.txt", "named.parquet", "--feature-names", "a,b,c")
    assert "leave --feature-names out" in error_of("describe", "named.parquet", "--feature-names", "x,y,z")
    stdout_of("describe", "named.parquet", "--feature-names", "a,b,c")
