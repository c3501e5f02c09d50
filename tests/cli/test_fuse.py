"""``directrank fuse``: the names that its help has, and a run on standard output."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import refused, run

from directrank.cli.commands.fuse import WITHOUT_LEARNING
from directrank.data import read_run
from directrank.fusion import FUSIONS


def test_the_help_names_all_ways_to_fuse() -> None:
    assert list(WITHOUT_LEARNING) == list(FUSIONS)


def test_standard_output_has_the_run_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    for name, order in (("one", "ab"), ("two", "ba")):
        lines = (f"{q} Q0 {doc} {rank} {-rank} {name}\n" for q in (1, 2) for rank, doc in enumerate(order, 1))
        Path(f"{name}.run").write_text("".join(lines))

    command = ("fuse", "one.run", "two.run", "--qrels", "qrels", "--learner", "rrf", "-o", "-")
    code, fused, said = run(*command)
    Path("fused.run").write_text(fused)
    assert code == 0 and read_run("fused.run").docno.size == 4 and "against rrf" in said and not Path("-").exists()
    assert "so --json has no place there" in refused(*command, "--json")
