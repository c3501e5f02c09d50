"""Converting as ``directrank convert`` does it: what is read, joined with judgments if there are some, and written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ..data import (
    EngineLog,
    InputError,
    Qrels,
    RankingData,
    Run,
    as_run,
    join_log,
    join_runs,
    read_engine_log,
    read_qrels,
    read_run,
    read_scores,
    write_letor,
    write_parquet,
    write_qrels,
    write_run,
)
from ..data.formats.parquet.writer import check_shards
from .formats import Format, Source, format_of, noted_warnings, read_data, source_of
from .output import as_text, note, print_json, progress, spinner
from .targets import check_target, shown


class Joining(NamedTuple):
    """What sources are joined with, and how; as the options have it."""

    qrels: Path | None
    source: Source | None
    log: str | None
    missing: str | None
    unjudged: str | None


def convert_files(
    sources: list[Path],
    target: Path,
    to: Format | None,
    joining: Joining,
    scores: Path | None,
    shards: int | None,
    feature_names: str | None,
    as_json: bool,
) -> None:
    """Read, write, and say what was written."""
    kind = _checked(target, to, shards, scores, [*sources, joining.qrels], as_json)
    data = _read(sources, joining, feature_names)
    with spinner(f"Writing {target}"):
        write_data(target, kind, data, scores, shards)
    if as_json:
        print_json(written(target, kind, data))
    else:
        note(f"{shown(target)}: {data}")


def written(target: Path, kind: Format, data: RankingData) -> dict[str, Any]:
    """What was written, for JSON."""
    counts = {"queries": data.n_queries, "documents": len(data), "features": data.n_features}
    return {"output": str(target), "format": kind.value, **counts, "feature_names": data.feature_names}


def _read(sources: list[Path], joining: Joining, feature_names: str | None) -> RankingData:
    if joining.qrels is not None:
        if feature_names is not None:
            raise InputError("--feature-names is for LETOR text; runs and logs that are joined have names of their own")
        return _joined(sources, joining.source, joining.qrels, joining.log, joining.missing, joining.unjudged)
    if joining.source is not None or any(source_of(path) is Source.log for path in sources):
        kind = joining.source or Source.log
        raise InputError(f"{sources[0]}: a {kind} is joined with judgments; name them with --qrels")
    _refuse_idle({"--missing": joining.missing, "--unjudged": joining.unjudged, "--log": joining.log})
    if len(sources) > 1:
        raise InputError("several sources are TREC runs and need --qrels")
    return read_data(sources[0], feature_names=feature_names)


def read_runs(files: list[Path]) -> list[Run]:
    """Read runs; those of the same tag are named by their files."""
    runs = [read_run(file) for file in progress(files, "Reading runs")]
    tags = [run.name for run in runs]
    return [replace(r, name=as_text(f)) if tags.count(r.name) > 1 else r for r, f in zip(runs, files, strict=True)]


def _checked(
    target: Path,
    to: Format | None,
    shards: int | None,
    scores: Path | None,
    sources: list[Path | None],
    as_json: bool,
) -> Format:
    """What to write; refused before anything is read if that cannot be done."""
    if shards is None:
        check_target(target, [*sources, scores], as_json)
        return _kind_of(target, to, scores)
    if to not in (None, Format.parquet):
        raise InputError(f"--shards writes Parquet, and --to says {to}; leave one of them out")
    if scores is not None:
        raise InputError("--scores is for a run, and --shards writes Parquet; leave one of them out")
    names = check_shards(target, shards)
    for file in [target / name for name in names] if target.is_dir() else [target]:
        check_target(file, sources)
    return Format.parquet


def _kind_of(target: Path, to: Format | None, scores: Path | None) -> Format:
    """What to write; refused before anything is read if that cannot be done, or if the scores are for nothing."""
    if to is None and source_of(target) is Source.log:
        raise InputError(f"{target}: no such format is written; name it .txt, .parquet, .run or .qrels, or choose with --to")
    kind = to or format_of(target)
    if kind is Format.run and scores is None:
        raise InputError("to write a run, give its scores with --scores FILE")
    if kind is not Format.run and scores is not None:
        raise InputError(f"--scores is for a run, and {target} is to be {kind}; leave it out, or write a run (--to run)")
    return kind


def _refuse_idle(options: dict[str, str | None]) -> None:
    for option, value in options.items():
        if value is not None:
            raise InputError(f"{option} is for what is joined with --qrels; name the judgments, or leave {option} out")


def _joined(
    files: list[Path], source: Source | None, qrels: Path, log: str | None, missing: str | None, unjudged: str | None
) -> RankingData:
    kinds = {source or source_of(file) for file in files}
    if len(kinds) > 1:
        raise InputError("some sources are runs by their names and some are logs; convert them one kind at a time")
    grade = _grade(unjudged)
    if kinds == {Source.log}:
        return _joined_logs(files, qrels, log, None if missing is None else _number(missing, "--missing"), grade)
    if log is not None:
        raise InputError(
            "--log chooses a log of a search engine, and the sources are runs; write --from log if they are not"
        )
    lowest = missing in (None, "lowest")
    filling: float | Literal["lowest"] = "lowest" if lowest else _number(str(missing), "--missing", " or 'lowest'")
    judgments = read_qrels(qrels)
    return join_runs(read_runs(files), judgments, missing=filling, unjudged=grade)


def _joined_logs(
    files: list[Path], qrels: Path, log: str | None, missing: float | None, unjudged: float | Literal["drop"]
) -> RankingData:
    judgments = read_qrels(qrels)
    with noted_warnings(), spinner("Reading logs"):
        logged = read_engine_log(files, log=log, missing=missing)
        data = join_log(logged, judgments, unjudged=unjudged)
    _note_what_was_logged(logged, judgments)
    _note_what_is_missing(logged, data, missing)
    return data


def _note_what_was_logged(logged: EngineLog, judgments: Qrels) -> None:
    """The command notes what is judged and what is not, so that nothing is left out in silence."""
    judged = set(zip(judgments.qid.tolist(), judgments.docno.tolist(), strict=True))
    hits = set(zip(logged.qid.tolist(), logged.docno.tolist(), strict=True))
    queries, n_judged = set(logged.qid.tolist()), len(hits & judged)
    note(f"{len(hits):,} hits of {len(queries):,} queries: {n_judged:,} judged, {len(hits) - n_judged:,} not")
    others = queries - set(judgments.qid.tolist())
    if others:
        note(f"{len(others):,} of {len(queries):,} queries are left out: they have no judgment")
    if judged - hits:
        advice = "to log them, filter by their ids and raise size (Solr: rows)"
        note(f"{len(judged - hits):,} of {len(judged):,} judged documents are not in the log; {advice}")


def _note_what_is_missing(logged: EngineLog, data: RankingData, missing: float | None) -> None:
    assert data.qid is not None and data.docno is not None
    row_of = {pair: row for row, pair in enumerate(zip(logged.qid.tolist(), logged.docno.tolist(), strict=True))}
    rows = [row_of[pair] for pair in zip(map(str, data.qid.tolist()), data.docno.tolist(), strict=True)]
    not_logged, logged_nan = int(logged.n_left_out[rows].sum()), int(logged.n_nan[rows].sum())
    if not_logged:
        value = missing if missing is not None else 0.0 if logged.engine == "Solr" else np.nan
        note(f"{not_logged:,} of {data.X.size:,} values were not logged; they are {_shown(value)}")
    if logged_nan:
        value = np.nan if missing is None else missing
        note(f"{logged_nan:,} of {data.X.size:,} values were logged as NaN; they are {_shown(value)}")
    if missing and not np.isnan(missing) and not_logged + logged_nan:
        otherwise = f"so an exported model would score these documents otherwise than with {missing:g}"
        note(f"engines take a missing feature for 0 or NaN, {otherwise}")


def _shown(value: float) -> str:
    return "NaN; --missing 0 is for learners that refuse it" if np.isnan(value) else f"{value:g}"


def _grade(unjudged: str | None) -> float | Literal["drop"]:
    if unjudged in (None, "drop"):
        return 0.0 if unjudged is None else "drop"
    grade = _number(str(unjudged), "--unjudged", " or 'drop'")
    if not 0 <= grade < float("inf"):
        raise InputError(f"--unjudged must be a number that is at least 0, or 'drop', not {unjudged}")
    return grade


def _number(text: str, option: str, others: str = "") -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} must be a number{others}, not {text!r}") from None


def write_data(target: Path, kind: Format, data: RankingData, scores: Path | None = None, shards: int | None = None) -> None:
    """Write ranking data in a format; a run has the scores of a file, and only Parquet has shards."""
    if kind is Format.letor:
        write_letor(target, data)
    elif kind is Format.parquet:
        write_parquet(target, data, shards=shards)
    elif kind is Format.qrels:
        named = as_run(data, data.y)
        write_qrels(target, Qrels(named.qid, named.docno, data.y))
    else:
        assert scores is not None
        values = read_scores(scores)
        if values.size != len(data):
            raise InputError(f"{scores} has {values.size} scores, and the data has {len(data)} rows")
        write_run(target, as_run(data, values, as_text(scores.stem)))
