"""The command with random files and options: it works or ends with an error message, never with a traceback."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import numpy as np
import pytest
from harness import run

from directrank import AdaRank, RankingData, save_model, write_letor, write_parquet
from directrank.datasets import make_ranking

#: Done, refused by the reader of our output, refused, interrupted.
CODES = {0, 1, 2, 130}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    data = make_ranking(6, (3, 6), random_state=0)
    write_letor("data.txt", data)
    write_letor("set.txt", RankingData(data.X, data.y))
    write_parquet("data.parquet", data)
    Path("data.txt.gz").write_bytes(gzip.compress(Path("data.txt").read_bytes()))
    Path("cut.gz").write_bytes(gzip.compress(Path("data.txt").read_bytes())[:-9])
    Path("scores").write_text("".join(f"{i}\n" for i in range(len(data))))
    for name in ("a", "b"):
        lines = (f"{q} Q0 d{i} 0 {(q * 7 + i * 3) % 5} {name}\n" for q in range(6) for i in range(4))
        Path(f"{name}.run").write_text("".join(lines))
    Path("qrels").write_text("".join(f"{q} 0 d{i} {i % 2}\n" for q in range(6) for i in range(4)))
    Path("docs.jsonl").write_text('{"id": "d0", "text": "a cat"}\n{"id": "d1", "text": "two dogs"}\n')
    hit = '{"_id": "d0", "fields": {"_ltrlog": [{"main": [{"name": "x", "value": 2.5}, {"name": "y"}]}]}}'
    Path("log.jsonl").write_text(f'{{"qid": 0, "hits": {{"hits": [{hit}]}}}}\n')
    Path("queries.tsv").write_text("0\tcat\n1\tdogs\n")
    save_model("m.json", AdaRank(n_estimators=1).fit(data.X, data.y, data.qid))
    Path("empty").touch()
    Path("broken").write_bytes(b"\xff\x00 1 qid:\n{")
    Path("there").mkdir()
    return tmp_path


FILES = [
    *(
        "data.txt",
        "set.txt",
        "data.parquet",
        "data.txt.gz",
        "cut.gz",
        "scores",
        "a.run",
        "b.run",
        "qrels",
        "docs.jsonl",
        "log.jsonl",
    ),
    *("queries.tsv", "empty", "broken", "there", "nowhere", "m.json", "out", "no\udcff", "", "-", ".", "x" * 300),
]
TARGETS = ["out", "m.json", "out.parquet", "out.run", "out.qrels", "out.gz", "there", "nowhere/out", "/dev/null"]
MEASURES = ["AP", "nDCG@5", "AUC", "F1", "P@2", "RR", "MAUC", "ERR", "map", "0.5*AP + 0.5*RR", "AP(rel=2)"]
WRONG_MEASURES = [
    "P@0",
    "P@99999999999999999999",
    "nDCG@1e9",
    "AP(rel=-1)",
    "AP(",
    "",
    "nonsense",
    "os:system",
    "\udcff",
    "AP@-1",
]
LEARNERS = {
    "svm": "max_iter=3",
    "ranksvm": "max_iter=3",
    "adarank": "n_estimators=2",
    "rankboost": "n_estimators=2",
    "coordinate-ascent": "max_iter=1",
    "ensemble-selection": "n_estimators=2",
    "lambdamart": "n_estimators=2",
    "one-vs-rest": "max_iter=3",
    "multivariate": "max_iter=3",
}
VALUES = [
    "0",
    "1",
    "-1",
    "2",
    "3.5",
    "1e400",
    "nan",
    "",
    "x",
    "true",
    "none",
    "auto",
    "both",
    "1,2",
    ",",
    "\udcff",
    "9" * 30,
]
PARAMETERS = ["C", "Cs", "tol", "max_iter", "cv", "n_estimators", "n_bags", "thresholds", "directions", "bound"]
PARAMETERS += [
    "learning_rate",
    "num_leaves",
    "random_state",
    "n_restarts",
    "measure",
    "callback",
    "",
    "verbosity",
    "objective",
]


def test_any_options(fuzz, folder: Path) -> None:
    def check(rng: np.random.Generator) -> None:
        arguments = command(rng)
        with warnings.catch_warnings(action="ignore"):
            ended = run(*arguments)
        assert ended.code in CODES and "Traceback" not in ended.err, (arguments, ended)
        assert ended.code == 0 or ended.err, arguments

    fuzz(check, cases=60)


def command(rng: np.random.Generator) -> list[str]:
    def one(*choices: str) -> str:
        return str(rng.choice(np.array(choices, object)))

    def maybe(*words: str, p: float = 0.3) -> list[str]:
        return list(words) if rng.random() < p else []

    def file(*usual: str) -> str:
        return one(*usual) if rng.random() < 0.85 else one(*FILES)

    def target() -> list[str]:
        return ["-o", one("out") if rng.random() < 0.8 else one(*TARGETS)]

    learner = one(*LEARNERS)
    settings = ["--set", LEARNERS[learner]]
    if rng.random() < 0.3:
        settings += ["--set", f"{one(*PARAMETERS)}{one('=', '=', '=', '')}{one(*VALUES[:-1])}"]  # not that many rounds
    measure = maybe("-m", one(*MEASURES) if rng.random() < 0.7 else one(*WRONG_MEASURES), p=0.6)
    data = ("data.txt", "data.txt", "set.txt", "data.parquet", "data.txt.gz")
    rest = maybe("--json") + maybe(one("--nonsense", "-x", "--help", "--", "\udcff", "--folds"), p=0.05)
    made = {
        "train": lambda: (
            [file(*data), *target(), "--learner", learner, *measure, *settings, *maybe("--validate", file(*data), p=0.2)]
            + maybe("--keep-partial")
        ),
        "predict": lambda: [file("m.json"), file(*data), *target()],
        "evaluate": lambda: [file(*data), "--scores", file("scores"), *measure, *maybe("--per-query")],
        "compare": lambda: (
            ([file("a.run"), file("b.run"), "--qrels", file("qrels")] if rng.random() < 0.5 else [file(*data)])
            + maybe("--model", file("m.json"), p=0.5)
            + maybe("--scores", file("scores"), p=0.5)
            + maybe("--baseline", one("a", "b.run", "m", *VALUES))
            + maybe("--test", one("t", "randomisation", "x"))
            + maybe("--permutations", one("9", *VALUES[:-1]))
            + maybe("--correction", one("bh", "none", "x"))
            + maybe("--missing-queries", one("error", "zero", "x"))
            + maybe("--names", one("a,b", "a", *VALUES))
            + maybe("--queries", one("run", "qrels", "x"))
            + maybe("--ties", "trec")
            + maybe("--alpha", one(*VALUES))
            + maybe(one("--latex", "--markdown", "--csv", "--json"))
            + measure
        ),
        "describe": lambda: [file(*data)],
        "fuse": lambda: (
            [file("a.run"), file("b.run"), *maybe("--qrels", file("qrels"), p=0.8), *target(), *measure]
            + (["--learner", learner, *settings] if rng.random() < 0.6 else ["--learner", one("rrf", "combsum", "x")])
            + maybe("--folds", one("2", *VALUES))
            + maybe("--seed", one("2", *VALUES))
            + maybe("--names", one("a,b", "a", *VALUES))
            + maybe("--thresholds", one("0", "2", *VALUES))
        ),
        "convert": lambda: (
            [file(*data, "log.jsonl"), one(*TARGETS), *maybe("--to", one("letor", "parquet", "run", "qrels", "x"))]
            + maybe("--from", one("run", "log", "x"))
            + maybe("--log", one("main", "x"))
            + maybe("--qrels", file("qrels"))
            + maybe("--missing", one(*VALUES))
            + maybe("--unjudged", one(*VALUES))
            + maybe("--scores", file("scores"))
        ),
        "features": lambda: (
            [file("docs.jsonl"), file("queries.tsv"), file("qrels"), *target()]
            + maybe("--depth", one(*VALUES))
            + maybe("--features", one("base", "adarank", "x"))
        ),
        "demo": lambda: ["--learner", one("multivariate", *VALUES)],  # the rest takes long
    }
    name = one(*made, "train", "train", "fuse")
    return [name, *made[name](), *rest]
