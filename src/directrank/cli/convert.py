"""``directrank convert``: from one format to another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..data import (
    InputError,
    Qrels,
    RankingData,
    Run,
    as_run,
    join_runs,
    read_qrels,
    read_run,
    read_scores,
    write_letor,
    write_parquet,
    write_qrels,
    write_run,
)
from .formats import Format, MaxSize, check_target, format_of, read_data
from .output import as_text, note, progress, spinner


def convert(
    files: Annotated[list[Path], typer.Argument(metavar="SOURCE... TARGET", help="What to read, and last what to write.")],
    to: Annotated[
        Format | None,
        typer.Option(help="The target's format; by default told by its name, LETOR text if that says nothing."),
    ] = None,
    qrels: Annotated[Path | None, typer.Option(help="Judgments: the sources are TREC runs, one feature each.")] = None,
    missing: Annotated[
        str, typer.Option(help="The feature of a document that a run lacks: 'lowest' (of the run in the query) or a number.")
    ] = "lowest",
    unjudged: Annotated[str, typer.Option(help="The grade of a document without a judgment: a number, or 'drop'.")] = "0",
    scores: Annotated[Path | None, typer.Option(help="The scores of a run to write, one in a line.")] = None,
    max_size: MaxSize = None,
) -> None:
    """Convert between LETOR text, Parquet, and TREC runs and qrels.

    directrank convert train.txt train.parquet

    directrank convert --qrels QRELS RUN... data.txt.gz

    directrank convert data.txt --scores scores.txt ranking.run
    """
    *sources, target = files
    if not sources:
        raise InputError("name what to read and, last, what to write")
    check_target(target, [*sources, qrels, scores])
    kind = to or format_of(target)
    if qrels is not None:
        data = _joined(sources, qrels, missing, unjudged)
    elif len(sources) == 1:
        data = read_data(sources[0])
    else:
        raise InputError("several sources are TREC runs and need --qrels")
    with spinner(f"Writing {target}"):
        write_data(target, kind, data, scores)
    note(f"{target}: {data}")


def read_runs(files: list[Path]) -> list[Run]:
    """Read runs; those of the same tag are named by their files."""
    runs = [read_run(file) for file in progress(files, "Reading runs")]
    tags = [run.name for run in runs]
    return [replace(r, name=as_text(f)) if tags.count(r.name) > 1 else r for r, f in zip(runs, files, strict=True)]


def _joined(files: list[Path], qrels: Path, missing: str, unjudged: str) -> RankingData:
    return join_runs(
        read_runs(files),
        read_qrels(qrels),
        missing="lowest" if missing == "lowest" else _number(missing, "--missing", "lowest"),
        unjudged="drop" if unjudged == "drop" else _number(unjudged, "--unjudged", "drop"),
    )


def _number(text: str, option: str, word: Literal["lowest", "drop"]) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} must be a number or '{word}', not {text!r}") from None


def write_data(target: Path, kind: Format, data: RankingData, scores: Path | None = None) -> None:
    """Write ranking data in a format; a run has the scores of a file."""
    if kind is Format.letor:
        write_letor(target, data)
    elif kind is Format.parquet:
        write_parquet(target, data)
    elif kind is Format.qrels:
        named = as_run(data, data.y)
        write_qrels(target, Qrels(named.qid, named.docno, data.y))
    elif scores is None:
        raise InputError("to write a run, give its scores with --scores FILE")
    else:
        values = read_scores(scores)
        if values.size != len(data):
            raise InputError(f"{scores} has {values.size} scores, and the data has {len(data)} rows")
        write_run(target, as_run(data, values, as_text(scores.stem)))
