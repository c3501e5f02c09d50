"""Options that would have no effect beside the others are errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import error_of


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("evaluate --qrels qrels one.run --feature-names a,b", "--feature-names is for ranking data, and runs have no"),
        ("compare --qrels qrels one.run two.run.gz --feature-names a,b", "--feature-names is for ranking data, and runs"),
        ("report --qrels qrels one.run two.run.gz -o p.html --feature-names a", "--feature-names is for ranking data"),
        ("evaluate data.txt --scores scores --queries run", "--queries selects the queries of runs"),
        (
            "compare --qrels qrels one.run two.run.gz --test t --permutations 9",
            "--permutations is for the randomisation test",
        ),
        (
            "report --qrels qrels one.run two.run.gz -o p.html --topic-field title",
            "--topic-field selects a field of --query",
        ),
        ("fuse one.run two.run.gz -o f.run --learner rrf --folds 5", "--folds is for learners, and rrf learns nothing"),
        ("fuse one.run two.run.gz -o f.run --learner rrf --seed 0", "--seed is for learners, and rrf learns nothing"),
        ("fuse one.run two.run.gz -o f.run --learner rrf --thresholds 0", "--thresholds is for learners, and rrf learns"),
        ("fuse one.run two.run.gz -o f.run --learner rrf -m AP", "--measure compares the runs by judgments; give them"),
        (
            "train data.txt --validate ./data.txt -o m.json",
            "--validate ./data.txt is the training data; C and rounds are chosen",
        ),
        ("tune data.txt --validate data.txt", "--validate data.txt is the training data; C and rounds are chosen on other"),
        ("tune data.txt --validate vali.txt --folds 5", "--folds is for cross-validation, and trials are evaluated on"),
        ("tune data.txt --keep-partial", "--keep-partial saves the best model so far; name a file for it with -o"),
        ("best data.txt --keep-partial", "--keep-partial saves the best model so far; name a file for it with -o"),
        ("features irds:cranfield -o d.txt --topic-field title", "--topic-field is for files, and irds:cranfield is a"),
        ("features irds:cranfield -o d.txt --in-order", "--in-order is for files, and irds:cranfield is a collection"),
        ("features irds:cranfield -o d.txt --fields text", "--fields is for files, and irds:cranfield is a collection"),
    ],
)
def test_options_without_effect_are_errors(command: str, sentence: str, runs: Path) -> None:
    assert sentence in error_of(*command.split(), folder=runs)
