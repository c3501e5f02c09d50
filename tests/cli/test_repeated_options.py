"""Options, measures and learners that are given twice: an error, never the last or the first of them silently."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import error_of, run

from directrank.cli.app import COMMANDS, load_command


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("train data.txt -o a.json --output b.json", "--output is given twice; it takes one value, so give it once"),
        ("evaluate --qrels a --qrels=b x.run", "--qrels is given twice; it takes one value, so give it once"),
        ("tune data.txt --seed 1 --seed 2 --seed 1", "--seed is given 3 times; it takes one value, so give it once"),
        ("papers run yue/table6 --results a --results b", "--results is given twice; it takes one value, so give it once"),
        ("train data.txt -o m.json --set C=1 --set C=10", "--set C=10: C is set twice; set it once"),
        ("tune data.txt --space C=1,2 --space C=3,4", "--space C=3,4: C is given twice; give one range, or its values as"),
        ("evaluate --qrels a x.run -m AP,RR -m MAP", "--measure AP is given twice; name each measure once"),
        ("compare --qrels a x.run y.run -m map,map", "--measure map is given twice; name each measure once"),
        ("cv data.txt -m map,AP", "--measure AP is given twice; name each measure once"),
        ("best data.txt --learner svm --learner SVM", "--learner svm is given twice; name each learner once"),
        ("evaluate data.txt --model m.json --model ./m.json", "m.json is given twice; name each ranking once"),
        ("evaluate --qrels q x.run x.run", "x.run is given twice; name each ranking once"),
        ("fuse x.run x.run -o out.run --learner rrf", "x.run is given twice; name each ranking once"),
        ("report data.txt --scores s --scores s -o page.html", "s is given twice; name each ranking once"),
    ],
)
def test_repeated_options_are_errors(command: str, sentence: str, tmp_path: Path) -> None:
    assert sentence in error_of(*command.split(), folder=tmp_path)


def test_flags_and_options_of_several_values_may_be_repeated(runs: Path) -> None:
    assert run("evaluate", "--qrels", "qrels", "one.run", "-m", "AP", "-m", "RR", "--json", "--json", folder=runs).code == 0


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "example"])  # which has flags only
def test_every_command_refuses_a_repeated_option(name: str, tmp_path: Path) -> None:
    command = load_command(name)
    one = {"papers": "run", "clicks": "bias"}.get(name)
    if one is not None:
        name, command = f"{name} {one}", command.commands[one]
    option = next(
        each for each in command.params if each.param_type_name == "option" and not (each.multiple or each.is_flag)
    )
    twice = [option.opts[0], "1", option.opts[0], "1"]
    assert f"{option.opts[0]} is given twice" in error_of(*name.split(), *twice, folder=tmp_path)
