"""Models that scale features within queries: the command passes the queries of the data on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from harness import error_of, stdout_of
from sklearn.pipeline import make_pipeline

from directrank import RankingData, RankSVM, evaluate, routing, save_model, write_letor
from directrank.datasets import make_ranking
from directrank.features import QueryMinMax


def test_the_command_passes_queries_on(tmp_path: Path) -> None:
    data, model, file = make_ranking(6, random_state=0), tmp_path / "model.json", tmp_path / "data.txt"
    with routing():
        pipeline = make_pipeline(QueryMinMax(), RankSVM(C=1.0)).fit(data.X, data.y, qid=data.qid)
        scores = pipeline.predict(data.X, qid=data.qid)
    save_model(model, pipeline)
    write_letor(file, data)
    stdout_of("predict", model, file, "-o", tmp_path / "scores.txt")
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "scores.txt"), scores)
    found = stdout_of("evaluate", file, "--model", model, "-m", "AP", "--json")
    assert str(evaluate(data.y, scores, data.qid, "AP")["AP"]) in found
    sentence = error_of("export", model, "--to", "solr", "-o", tmp_path / "solr.json")
    assert "scales features within each query" in sentence
    write_letor(file, RankingData(data.X, data.y, feature_names=data.feature_names))
    sentence = f"{file}: it has no qid, and the model scales features within each query; name the column with --query"
    assert sentence in error_of("predict", model, file, "-o", tmp_path / "scores.txt")
    for command in (("evaluate",), ("compare", "--scores", tmp_path / "scores.txt")):
        said = error_of(*command, file, "--model", model)
        assert "it has no qid, and the model scales" in said and "taken as one query" not in said
