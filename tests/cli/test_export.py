"""``directrank export``."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from directrank import LambdaMART, RankingData, SVMRanker, load_model, save_model, write_parquet
from directrank.cli.app import app
from directrank.datasets import make_ranking
from directrank.models.export import TARGETS

NAMES = [f"feature_{j}" for j in range(16)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    made = make_ranking(15, random_state=0)
    data = RankingData(made.X.astype(np.float32), made.y, made.qid, feature_names=NAMES)
    write_parquet(folder / "data.parquet", data)
    trees = LambdaMART("AUC", n_estimators=20, num_leaves=7).fit(data.X, data.y, data.qid)
    linear = SVMRanker("AUC").fit(data.X, data.y, data.qid)
    save_model(folder / "trees.v2.json", trees.model_.with_feature_names(NAMES))
    save_model(folder / "linear.json", linear.model_.with_feature_names(NAMES))
    return folder


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    code = "from directrank.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def figures(output: str) -> dict[str, str]:
    """Those of a table of two columns."""
    return {line.split("│")[1].strip(): line.split("│")[2].strip() for line in output.splitlines() if "│" in line}


@pytest.mark.parametrize("target", TARGETS)
def test_every_target(folder: Path, tmp_path: Path, target: str) -> None:
    found = CliRunner().invoke(app, ["export", str(folder / "trees.v2.json"), "--to", target, "-o", str(tmp_path / "out")])
    assert found.exit_code == 0, found.output
    named = {"name": "trees.v2"} if TARGETS[target].takes("name") else {}
    assert (tmp_path / "out").read_bytes() == TARGETS[target].write(load_model(folder / "trees.v2.json"), named).content


@pytest.mark.parametrize("target", [name for name, target in TARGETS.items() if target.scores is not None])
def test_check(folder: Path, target: str) -> None:
    arguments = ["export", str(folder / "trees.v2.json"), "--to", target, "--check", str(folder / "data.parquet")]
    found = CliRunner().invoke(app, arguments)
    assert found.exit_code == 0, found.output
    rows = figures(found.output)
    assert float(rows["largest difference of two scores"]) < 1e-5
    assert rows["neighbours ranked the other way round"] == "0"
    assert int(rows["rows"].replace(",", "")) > 500


def test_check_shows_what_is_wrong(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from directrank.models.export import python

    right = python.exactly
    monkeypatch.setattr(python, "exactly", lambda thresholds: right(thresholds) + 0.1)
    arguments = ["export", str(folder / "trees.v2.json"), "--to", "python", "--check", str(folder / "data.parquet")]
    found = CliRunner().invoke(app, arguments)
    assert int(figures(found.output)["neighbours ranked the other way round"]) > 0
    assert found.exit_code == 1 and "does not rank as the model does" in found.output


def test_with_a_shift(folder: Path) -> None:
    arguments = ["export", folder / "trees.v2.json", "--to", "xgboost", "--shift", "--check", folder / "data.parquet"]
    output = CliRunner().invoke(app, [str(part) for part in arguments]).output
    rows = figures(output)
    assert float(rows["lowest score"]) >= 0 and float(rows["largest difference of two scores"]) < 1e-4


def test_missing_values_of_a_weighted_sum(folder: Path, tmp_path: Path) -> None:
    made = make_ranking(5, random_state=1)
    made.X[::3, 2] = np.nan
    write_parquet(tmp_path / "holes.parquet", RankingData(made.X, made.y, made.qid, feature_names=NAMES))
    arguments = ["export", folder / "linear.json", "--to", "python", "--check", tmp_path / "holes.parquet"]
    found = CliRunner().invoke(app, [str(part) for part in arguments])
    assert found.exit_code == 0, found.output
    assert "scores with 0 in their place" in " ".join(found.output.split())
    assert float(figures(found.output)["largest difference of two scores"]) < 1e-12


def test_standard_output_notes_and_the_default_name(folder: Path) -> None:
    found = run("export", folder / "trees.v2.json", "--to", "elasticsearch-ltr")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["model"]["name"] == "trees.v2"
    assert "single precision" in found.stderr


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
    found = CliRunner().invoke(app, ["export", str(folder / "linear.json"), "--to", target, "--features"])
    assert found.exit_code == 0, found.output
    assert part in found.output and "FILL" in found.output
    assert set(re.findall(r"feature_\d+", found.output)) == set(NAMES)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["linear.json", "--to", "xgboost"], "trees only"),
        (["linear.json", "--to", "onnx"], "onnx is a binary format: name a file to write"),
        (["linear.json", "--to", "ranklib", "--name", "x"], "ranklib has no use for --name"),
        (["linear.json", "--to", "solr", "--check", "data.parquet"], "solr cannot be run here to check the export"),
        (["linear.json", "--to", "solr", "--features", "--check", "data.parquet"], "leave one of them out"),
        (["linear.json", "--to", "solr", "--name", "a b"], "cannot be the name of a model"),
        (["linear.json", "--to", "solr", "-o", "linear.json"], "is to be read and written"),
        (["data.parquet", "--to", "solr"], "not a model of directrank"),
        (["none.json", "--to", "solr"], "No such file"),
    ],
)
def test_one_sentence_and_no_file(folder: Path, arguments: list[str], sentence: str) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    named = [str(folder / part) if "." in part else part for part in arguments]
    found = run("export", *named)
    assert found.returncode == 2 and sentence in found.stderr, found.stderr
    assert found.stderr.splitlines()[-1].startswith("directrank: ") and "Traceback" not in found.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_package_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    code = "import sys; sys.modules['onnx'] = None; from directrank.cli import main; main()"
    arguments = ["export", folder / "linear.json", "--to", "onnx", "-o", tmp_path / "m.onnx"]
    found = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert found.returncode == 2 and "this export needs the package onnx: pip install onnx" in found.stderr
    assert not (tmp_path / "m.onnx").exists()
