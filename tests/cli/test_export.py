"""``directrank export``."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import Ended, error_of, run, stdout_of

from directrank import LambdaMART, RankingData, SVMRanker, load_model, read_parquet, save_model, write_parquet
from directrank.datasets import make_ranking
from directrank.models import LinearModel, Model, SumOfModels
from directrank.models.export import TARGETS

NAMES = [f"feature_{j}" for j in range(16)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    made = make_ranking(15, random_state=0)
    data = RankingData(made.X.astype(np.float32), made.y, made.qid, feature_names=NAMES)
    write_parquet(folder / "data.parquet", data)
    trees = LambdaMART("AUC", n_seeds=1, n_estimators=20, num_leaves=7).fit(data.X, data.y, data.qid)
    linear = SVMRanker("AUC", C=1).fit(data.X, data.y, data.qid)
    save_model(folder / "trees.v2.json", trees.model_.with_feature_names(NAMES))
    save_model(folder / "linear.json", linear.model_.with_feature_names(NAMES))
    both = LambdaMART("AUC", init=SVMRanker("AUC", C=1), n_estimators=10, num_leaves=7).fit(data.X, data.y, data.qid)
    save_model(folder / "both.json", both.model_.with_feature_names(NAMES))
    made.X[::5, 3] = made.X[2::7, 0] = np.nan
    write_parquet(folder / "gaps.parquet", RankingData(made.X.astype(np.float32), made.y, made.qid, feature_names=NAMES))
    return folder


def figures(ended: Ended) -> dict[str, str]:
    """The figures of a table of two columns, on whichever stream has no export."""
    lines = (ended.out + ended.err).splitlines()
    return {line.split("│")[1].strip(): line.split("│")[2].strip() for line in lines if "│" in line}


@pytest.mark.parametrize("target", TARGETS)
def test_every_target(folder: Path, tmp_path: Path, target: str) -> None:
    stdout_of("export", folder / "trees.v2.json", "--to", target, "-o", tmp_path / "out")
    named = {"name": "trees.v2"} if TARGETS[target].takes("name") else {}
    assert (tmp_path / "out").read_bytes() == TARGETS[target].write(load_model(folder / "trees.v2.json"), named).content


@pytest.mark.parametrize("target", [name for name, target in TARGETS.items() if target.scores is not None])
def test_check(folder: Path, target: str) -> None:
    ended = run("export", folder / "trees.v2.json", "--to", target, "--check", folder / "data.parquet")
    assert ended.code == 0, ended.err
    rows = figures(ended)
    assert float(rows["largest score difference"]) < 1e-5
    assert rows["adjacent pairs swapped"] == "0"
    assert int(rows["rows"].replace(",", "")) > 500


@pytest.mark.parametrize("target", ["onnx", "sql", "python"])
@pytest.mark.parametrize("made", ["linear", "start"])
def test_check_of_logarithms_on_missing_values(folder: Path, tmp_path: Path, made: str, target: str) -> None:
    data = read_parquet(folder / "gaps.parquet")
    constants = np.arange(16.0)
    model: Model = LinearModel(constants - 8, 0.5, log_features=np.array([0, 3]), if_missing=constants)
    if made == "start":
        trees = LambdaMART("AUC", n_seeds=1, n_estimators=5, num_leaves=7)
        model = trees.fit(data.X, data.y, data.qid, init_model=model).model_
    save_model(tmp_path / "model.json", model.with_feature_names(NAMES))
    arguments = ["--to", target, "--check", folder / "gaps.parquet", "-o", tmp_path / "out"]
    ended = run("export", tmp_path / "model.json", *arguments)
    assert ended.code == 0 and float(figures(ended)["largest score difference"]) < 1e-9
    assert "except for 15 features, for which the model has another number" in " ".join(ended.err.split())


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_takes_a_model_with_a_linear_start(folder: Path, tmp_path: Path, target: str) -> None:
    """As it is, checked with missing values; or as two parts, as the error says."""
    check = ["--check", folder / "gaps.parquet"] if TARGETS[target].scores is not None else []
    ended = run("export", folder / "both.json", "--to", target, "-o", tmp_path / "out", *check)
    if ended.code == 0:
        assert (tmp_path / "out").stat().st_size > 1000
        assert not check or float(figures(ended)["largest score difference"]) < 1e-9
        return
    assert target in ("elasticsearch", "solr", "ranklib", "xgboost", "treelite")
    assert all(f"--part {part}" in " ".join(ended.err.split()) for part in ("linear", "trees"))
    stdout_of("export", folder / "both.json", "--to", target, "--part", "trees", "-o", tmp_path / "out", *check)
    other = "python" if target in ("elasticsearch", "xgboost", "treelite") else target
    stdout_of("export", folder / "both.json", "--to", other, "--part", "linear", "-o", tmp_path / "other")


def test_check_on_missing_values(folder: Path, tmp_path: Path) -> None:
    """They count 0 in the linear part, and the trees have branches for them."""
    gaps = read_parquet(folder / "gaps.parquet")
    trees = LambdaMART("AUC", n_seeds=1, n_estimators=3, num_leaves=7).fit(gaps.X, gaps.y, gaps.qid).model_
    model = SumOfModels(np.ones(2), [load_model(folder / "linear.json"), trees], feature_names=NAMES)
    save_model(tmp_path / "sum.json", model)
    ended = run("export", tmp_path / "sum.json", "--to", "python", "--check", folder / "gaps.parquet")
    assert ended.code == 0 and float(figures(ended)["largest score difference"]) < 1e-9


def test_versions_of_engines(folder: Path) -> None:
    for target in ("opensearch-ltr", "elasticsearch", "solr"):
        version = {"opensearch-ltr": "3.7", "elasticsearch": "8.14", "solr": "9.1"}[target]
        ended = run("export", folder / "trees.v2.json", "--to", target, "--engine-version", version)
        model = load_model(folder / "trees.v2.json")
        named = {"name": "trees.v2"} if TARGETS[target].takes("name") else {}
        assert ended.out == TARGETS[target].write(model, {"engine_version": version, **named}).text
    said = error_of("export", folder / "trees.v2.json", "--to", "python", "--engine-version", "3.12")
    assert "python does not take --engine-version; leave it out" in said


def test_check_reports_differences(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from directrank.models.export import python

    right = python.exactly
    monkeypatch.setattr(python, "exactly", lambda thresholds: right(thresholds) + 0.1)
    ended = run("export", folder / "trees.v2.json", "--to", "python", "--check", folder / "data.parquet")
    assert int(figures(ended)["adjacent pairs swapped"]) > 0
    assert ended.code == 1 and "does not rank as the model does" in ended.out


def test_with_a_shift(folder: Path) -> None:
    arguments = ["export", folder / "trees.v2.json", "--to", "xgboost", "--shift", "--check", folder / "data.parquet"]
    rows = figures(run(*arguments))
    assert float(rows["lowest score"]) >= 0 and float(rows["largest score difference"]) < 1e-4


def test_missing_values_of_a_weighted_sum(folder: Path, tmp_path: Path) -> None:
    made = make_ranking(5, random_state=1)
    made.X[::3, 2] = np.nan
    write_parquet(tmp_path / "holes.parquet", RankingData(made.X, made.y, made.qid, feature_names=NAMES))
    arguments = ["export", folder / "linear.json", "--to", "python", "--check", tmp_path / "holes.parquet"]
    ended = run(*arguments)
    assert ended.code == 0, ended.err
    assert float(figures(ended)["largest score difference"]) < 1e-12


def test_standard_output_notes_and_the_default_name(folder: Path) -> None:
    ended = run("export", folder / "trees.v2.json", "--to", "elasticsearch-ltr")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["model"]["name"] == "trees.v2"
    assert "single precision" in ended.err


@pytest.mark.parametrize(
    ("target", "part"),
    [
        ("elasticsearch-ltr", '"featureset"'),
        ("opensearch-ltr", '"template_language": "mustache"'),
        ("elasticsearch", '"query_extractor"'),
        ("solr", '"class": "org.apache.solr.ltr.feature.SolrFeature"'),
        ("vespa", "function feature_0() {"),
    ],
)
def test_features(folder: Path, target: str, part: str) -> None:
    ended = run("export", folder / "linear.json", "--to", target, "--feature-definitions")
    assert ended.code == 0, ended.err
    assert part in ended.out and "FILL" in ended.out + ended.err
    assert set(re.findall(r"feature_\d+", ended.out)) == set(NAMES)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["linear.json", "--to", "xgboost"], "trees only"),
        (["linear.json", "--to", "solr", "--part", "trees"], "the model has no part trees"),
        (["linear.json", "--to", "solr", "--part", "roots"], "the part of a model must be linear or trees, not 'roots'"),
        (["linear.json", "--to", "onnx"], "onnx is a binary format: name a file to write"),
        (["linear.json", "--to", "ranklib", "--name", "x"], "ranklib does not take --name"),
        (["linear.json", "--to", "solr", "--check", "data.parquet"], "solr cannot be run to check the export"),
        (["linear.json", "--to", "solr", "--feature-definitions", "--check", "data.parquet"], "leave one of them out"),
        (["linear.json", "--to", "solr", "--name", "a b"], "cannot be the name of a model"),
        (["linear.json", "--to", "solr", "-o", "linear.json"], "is both an input and the output"),
        (["data.parquet", "--to", "solr"], "not a model of directrank"),
        (["none.json", "--to", "solr"], "No such file"),
    ],
)
def test_one_sentence_and_no_file(folder: Path, arguments: list[str], sentence: str) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    named = [str(folder / part) if "." in part else part for part in arguments]
    assert sentence in error_of("export", *named)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_missing_package(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    said = error_of("export", folder / "linear.json", "--to", "onnx", "-o", tmp_path / "m.onnx")
    assert "this export needs the package onnx: pip install onnx" in said
    assert not (tmp_path / "m.onnx").exists()
