"""``directrank convert``: read data, join it with judgments if asked to, and write it in another format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from scipy import sparse

from ...data import (
    EngineLog,
    InputError,
    Qrels,
    RankingData,
    as_run,
    join_log,
    join_runs,
    read_engine_log,
    read_qrels,
    read_scores,
    write_letor,
    write_parquet,
    write_qrels,
    write_run,
)
from ...data.formats.parquet.shard_set import check_shards
from ...data.shown_ids import some_of
from ..console.output import as_text, print_json
from ..console.output_files import as_output_file, check_output_file, display_name
from ..console.progress import spinner
from ..console.streams import note
from ..options.formats import Format, JoinedFormat, format_of, joined_format_of
from ._data import noting_warnings, read_data
from ._rankings import read_runs


class ConvertOptions(NamedTuple):
    """Options of ``directrank convert``; the last of `files` is the output."""

    files: list[Path]
    to: Format | None
    qrels: Path | None
    joined_format: JoinedFormat | None
    log: str | None
    missing: str | None
    unjudged: str | None
    scores: Path | None
    shards: int | None
    feature_names: str | None
    as_json: bool

    @property
    def inputs(self) -> list[Path]:
        return self.files[:-1]

    @property
    def output(self) -> Path:
        return as_output_file(self.files[-1]) or self.files[-1]


def run(options: ConvertOptions) -> None:
    """Read, write, and print a summary of the data."""
    if not options.inputs:
        raise InputError("name the input files and, last, the output file")
    format = _check_output(options)
    data = _read(options)
    if format is Format.letor:
        _note_nan(data)
    with spinner(f"Writing {options.output}"):
        write_data(options.output, format, data, options.scores, options.shards)
    print_summary(options.output, format, data, options.as_json)


def print_summary(output: Path, format: Format, data: RankingData, as_json: bool) -> None:
    """Print the size of the data that was written."""
    if not as_json:
        note(f"{display_name(output)}: {data}")
        return
    counts = {"queries": data.n_queries, "documents": len(data), "features": data.n_features}
    print_json({"output": str(output), "format": format.value, **counts, "feature_names": data.feature_names})


def write_data(
    output: Path, format: Format, data: RankingData, scores: Path | None = None, shards: int | None = None
) -> None:
    """Write ranking data in a format; runs need a file of scores, and only Parquet has shards."""
    if format is Format.letor:
        write_letor(output, data)
    elif format is Format.parquet:
        write_parquet(output, data, shards=shards)
    elif format is Format.qrels:
        judged = as_run(data, data.y)
        write_qrels(output, Qrels(judged.qid, judged.docno, data.y))
    else:
        assert scores is not None
        values = read_scores(scores)
        if values.size != len(data):
            raise InputError(f"{scores} has {values.size:,} scores, and the data has {len(data):,} rows")
        write_run(output, as_run(data, values, as_text(scores.stem)))


def _check_output(options: ConvertOptions) -> Format:
    """The format to write; raises an error, before anything is read, if the output cannot be written."""
    output, inputs = options.output, [*options.inputs, options.qrels]
    if options.shards is None:
        check_output_file(output, [*inputs, options.scores], options.as_json)
        return _output_format(output, options.to, options.scores)
    if options.to not in (None, Format.parquet):
        raise InputError(f"--shards writes Parquet, and --to says {options.to}; leave one of them out")
    if options.scores is not None:
        raise InputError("--scores is for a run, and --shards writes Parquet; leave one of them out")
    check_shards(output, options.shards)
    for file in inputs:
        if file is not None and os.path.dirname(os.path.realpath(file)) == os.path.realpath(output):
            raise InputError(f"{file} is in the folder to write, whose files are replaced; choose another folder")
    return Format.parquet


def _output_format(output: Path, to: Format | None, scores: Path | None) -> Format:
    if to is None and joined_format_of(output) is JoinedFormat.log:
        raise InputError(f"{output}: no such format is written; name it .txt, .parquet, .run or .qrels, or choose with --to")
    format = to or format_of(output)
    if format is Format.run and scores is None:
        raise InputError("to write a run, give its scores with --scores FILE")
    if format is not Format.run and scores is not None:
        raise InputError(f"--scores is for a run, and {output} is to be {format}; leave it out, or write a run (--to run)")
    return format


def _read(options: ConvertOptions) -> RankingData:
    inputs = options.inputs
    if options.qrels is not None:
        if options.feature_names is not None:
            raise InputError("--feature-names is for LETOR text; joined runs and logs have names of their own")
        return _read_joined(options, options.qrels)
    if options.joined_format is not None or any(joined_format_of(path) is JoinedFormat.log for path in inputs):
        raise InputError(
            f"{inputs[0]}: a {options.joined_format or JoinedFormat.log} is joined with judgments; name them with --qrels"
        )
    joining = {"--unjudged": options.unjudged, "--log": options.log}
    for option, value in joining.items():
        if value is not None:
            raise InputError(f"{option} is for joining with --qrels; name the judgments, or leave {option} out")
    if len(inputs) > 1:
        raise InputError("several inputs are TREC runs and need --qrels")
    filling = None if options.missing is None else _parse_number(options.missing, "--missing")
    data = read_data(inputs[0], feature_names=options.feature_names)
    return data if filling is None else _filled(data, filling)


def _filled(data: RankingData, value: float) -> RankingData:
    """The data with a number for missing values."""
    values = data.X.data if sparse.issparse(data.X) else data.X
    missing = np.isnan(values)
    note(f"{int(missing.sum()):,} of {data.X.shape[0] * data.X.shape[1]:,} values were missing; they are {_shown(value)}")
    filled = np.where(missing, values.dtype.type(value), values)
    X = type(data.X)((filled, data.X.indices, data.X.indptr), shape=data.X.shape) if sparse.issparse(data.X) else filled
    return RankingData(X, data.y, data.qid, docno=data.docno, feature_names=data.feature_names)


def _note_nan(data: RankingData) -> None:
    """Note that other readers of LETOR text may not know missing values."""
    n_missing = int(np.isnan(data.X.data if sparse.issparse(data.X) else data.X).sum())
    if n_missing:
        note(f"{n_missing:,} missing values are written as nan, which RankLib rejects; --missing 0 writes 0")


def _read_joined(options: ConvertOptions, qrels: Path) -> RankingData:
    formats = {options.joined_format or joined_format_of(file) for file in options.inputs}
    if len(formats) > 1:
        raise InputError("some inputs are runs by their names and some are logs; convert them one kind at a time")
    missing, unjudged = options.missing, _parse_unjudged(options.unjudged)
    if formats == {JoinedFormat.log}:
        value = None if missing is None else _parse_number(missing, "--missing")
        return _read_logs(options.inputs, qrels, options.log, value, unjudged)
    if options.log is not None:
        raise InputError("--log selects a log of a search engine, and the inputs are runs; write --from log if they are not")
    is_lowest = missing in (None, "lowest")
    filling: float | Literal["lowest"] = "lowest" if is_lowest else _parse_number(str(missing), "--missing", " or 'lowest'")
    judgments, runs = read_qrels(qrels), read_runs(options.inputs)
    data = join_runs(runs, judgments, missing=filling, unjudged=unjudged)
    _note_dropped_queries({qid for run in runs for qid in run.qid.tolist()}, judgments)
    return data


def _read_logs(
    files: list[Path], qrels: Path, log: str | None, missing: float | None, unjudged: float | Literal["drop"]
) -> RankingData:
    judgments = read_qrels(qrels)
    with noting_warnings(), spinner("Reading logs"):
        logged = read_engine_log(files, log=log, missing=missing)
        data = join_log(logged, judgments, unjudged=unjudged)
    _note_unjudged(logged, judgments)
    _note_missing_values(logged, data, missing)
    return data


def _note_unjudged(logged: EngineLog, judgments: Qrels) -> None:
    """Note which hits and queries have judgments, so that nothing is dropped silently."""
    judged = set(zip(judgments.qid.tolist(), judgments.docno.tolist(), strict=True))
    hits = set(zip(logged.qid.tolist(), logged.docno.tolist(), strict=True))
    queries, n_judged = set(logged.qid.tolist()), len(hits & judged)
    note(f"{len(hits):,} hits of {len(queries):,} queries: {n_judged:,} judged, {len(hits) - n_judged:,} not")
    _note_dropped_queries(queries, judgments)
    if judged - hits:
        advice = "to log them, filter by their ids and raise size (Solr: rows)"
        note(f"{len(judged - hits):,} of {len(judged):,} judged documents are not in the log; {advice}")


def _note_dropped_queries(queries: set[str], judgments: Qrels) -> None:
    others = sorted(queries.difference(judgments.qid.tolist()))
    if others:
        note(f"{len(others):,} of {len(queries):,} queries were dropped: they have no judgments ({some_of(others)})")


def _note_missing_values(logged: EngineLog, data: RankingData, missing: float | None) -> None:
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
        problem = f"so an exported model would score these documents differently from --missing {missing:g}"
        note(f"engines treat a missing feature as 0 or NaN, {problem}")


def _shown(value: float) -> str:
    return "NaN; use --missing 0 for learners that do not accept NaN" if np.isnan(value) else f"{value:g}"


def _parse_unjudged(unjudged: str | None) -> float | Literal["drop"]:
    if unjudged in (None, "drop"):
        return 0.0 if unjudged is None else "drop"
    grade = _parse_number(str(unjudged), "--unjudged", " or 'drop'")
    if not 0 <= grade < float("inf"):
        raise InputError(f"--unjudged must be a number of at least 0, or 'drop', not {unjudged}")
    return grade


def _parse_number(text: str, option: str, others: str = "") -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} must be a number{others}, not {text!r}") from None
