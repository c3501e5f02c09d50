"""``directrank fuse``: the names that its help has, and a run on standard output."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from directrank.cli import main
from directrank.cli.fuse import WITHOUT_LEARNING
from directrank.data import read_run
from directrank.fusion import FUSIONS


def test_the_help_names_all_ways_to_fuse() -> None:
    assert list(WITHOUT_LEARNING) == list(FUSIONS)


def test_standard_output_has_the_run_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    for name, order in (("one", "ab"), ("two", "ba")):
        lines = (f"{q} Q0 {doc} {rank} {-rank} {name}\n" for q in (1, 2) for rank, doc in enumerate(order, 1))
        Path(f"{name}.run").write_text("".join(lines))

    def command(*more: str) -> tuple[object, str, str]:
        arguments = ["fuse", "one.run", "two.run", "--qrels", "qrels", "--learner", "rrf", "-o", "-", *more]
        monkeypatch.setattr(sys, "argv", ["directrank", *arguments])
        monkeypatch.setattr(sys, "path", [*sys.path])  # main adds to it
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code or 0, *capfd.readouterr()

    code, run, said = command()
    Path("fused.run").write_text(run)
    assert code == 0 and read_run("fused.run").docno.size == 4 and "against rrf" in said and not Path("-").exists()
    code, out, said = command("--json")
    assert code == 2 and out == "" and "so --json has no place there" in said
