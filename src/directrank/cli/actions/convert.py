"""``directrank convert``: read data, join it with judgments if asked to, and write it in another format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from ...data import (
    EngineLog,
    InputError,
    Qrels,
    RankingData,
    Run,
    as_run,
    join_log,
    join_runs,
    join_table,
    read_engine_log,
    read_qrels,
    read_scores,
    write_parquet,
    write_qrels,
    write_run,
)
from ...data.arrow_columns import NoFeaturesError
from ...data.formats.engine_logs.recognition import is_engine_log
from ...data.formats.file_format import Format, format_of, known_format
from ...data.formats.parquet.shard_set import check_shards
from ...data.formats.ranking_writer import write_ranking_data
from ...data.formats.tables.pairs import table_of_pairs
from ...data.formats.tables.writer import write_table
from ...data.shown_ids import some_of
from ..console.output import as_text, print_json
from ..console.output_files import as_output_file, check_output_file, display_name
from ..console.progress import spinner
from ..console.streams import note
from ..options.columns import ColumnOptions
from ..options.formats import InputFormat
from ._data import noting_warnings, read_rows
from ._rankings import read_runs


class ConvertOptions(NamedTuple):
    """Options of ``directrank convert``; the last of `files` is the output."""

    files: list[Path]
    to: Format | None
    qrels: Path | None
    input_format: InputFormat | None
    log: str | None
    missing: str | None
    unjudged: str | None
    scores: Path | None
    shards: int | None
    columns: ColumnOptions
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
    kind = _input_format(options, format)
    if options.qrels is None and kind in (InputFormat.run, InputFormat.qrels):
        _convert_pairs(kind, format, options)
        return
    if format is Format.run and options.scores is None:
        raise InputError("to write a run, give its scores with --scores FILE")
    try:
        data = _read(kind, options)
    except NoFeaturesError:
        if options.qrels is not None or not format.is_table:
            raise
        _convert_pairs(InputFormat.qrels, format, options)
        return
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
    if shards is not None:
        write_parquet(output, data, shards=shards)
    elif format is Format.qrels:
        if data.y.min() < 0:
            raise InputError("in qrels a grade below 0 marks a document that was not judged; write gains as Parquet or CSV")
        judged = as_run(data, data.y)
        write_qrels(output, Qrels(judged.qid, judged.docno, data.y))
    elif format is Format.run:
        assert scores is not None
        write_run(output, as_run(data, read_scores(scores, data), as_text(scores.stem)))
    else:
        write_ranking_data(output, data, format)


def _check_output(options: ConvertOptions) -> Format:
    """The format to write; raises an error, before anything is read, if the output cannot be written."""
    output, inputs = options.output, [*options.inputs, options.qrels]
    if options.shards is None:
        check_output_file(output, [*inputs, options.scores], options.as_json)
        format = options.to or format_of(output)
        if format is not Format.run and options.scores is not None:
            advice = "leave it out, or write a run (--to run)"
            raise InputError(f"--scores is for a run, and {output} is to be {format}; {advice}")
        return format
    if options.to not in (None, Format.parquet):
        raise InputError(f"--shards writes Parquet, and --to says {options.to}; leave one of them out")
    if options.scores is not None:
        raise InputError("--scores is for a run, and --shards writes Parquet; leave one of them out")
    check_shards(output, options.shards)
    for file in inputs:
        if file is not None and os.path.dirname(os.path.realpath(file)) == os.path.realpath(output):
            raise InputError(f"{file} is in the folder to write, whose files are replaced; choose another folder")
    return Format.parquet


def _input_format(options: ConvertOptions, output: Format) -> InputFormat:
    """What the inputs hold, as ``--from`` says, or by their names, contents and the output."""
    if options.input_format is not None:
        return options.input_format
    kinds = {_kind_of(file, options, output) for file in options.inputs}
    if len(kinds) > 1:
        names = " and some are ".join(sorted({"log": "logs", "run": "runs"}.get(kind, str(kind)) for kind in kinds))
        raise InputError(f"some inputs are {names}; convert them one kind at a time, or name the kind with --from")
    return kinds.pop()


def _kind_of(file: Path, options: ConvertOptions, output: Format) -> InputFormat:
    format = None if file.is_dir() else known_format(file)
    if format in (Format.run, Format.qrels):
        return InputFormat(format.value)
    if format is None:
        return InputFormat.run if options.qrels is not None and not file.is_dir() else InputFormat.table
    if format in (Format.jsonl, Format.csv) and is_engine_log(file):
        return InputFormat.log
    if output is Format.qrels and options.qrels is None:
        return InputFormat.qrels
    return InputFormat.run if output is Format.run and options.scores is None else InputFormat.table


def _read(kind: InputFormat, options: ConvertOptions) -> RankingData:
    """Read ranking data, or join the inputs with judgments."""
    if options.qrels is None:
        if kind is InputFormat.log:
            raise InputError(f"{options.inputs[0]}: a log is joined with judgments; name them with --qrels")
        return _read_table(options)
    if kind is not InputFormat.table and options.columns.arguments():
        raise InputError(f"{options.columns.arguments()[0]} is for ranking data; runs and logs have names of their own")
    if options.log is not None and kind is not InputFormat.log:
        raise InputError(f"--log selects a log of a search engine, and the input is a {kind}; write --from log if it is not")
    unjudged = _parse_unjudged(options.unjudged)
    if kind is InputFormat.log:
        return _read_logs(options, options.qrels, unjudged)
    if kind is InputFormat.table:
        return _read_joined_table(options, options.qrels, unjudged)
    missing, is_lowest = options.missing, options.missing in (None, "lowest")
    filling: float | Literal["lowest"] = "lowest" if is_lowest else _parse_number(str(missing), "--missing", " or 'lowest'")
    judgments, runs = read_qrels(options.qrels), read_runs(options.inputs)
    data = join_runs(runs, judgments, missing=filling, unjudged=unjudged)
    _note_dropped_queries({qid for run in runs for qid in run.qid.tolist()}, judgments)
    return data


def _read_table(options: ConvertOptions) -> RankingData:
    """Read ranking data; labels may be absent."""
    joining = {"--unjudged": options.unjudged, "--log": options.log}
    for option, value in joining.items():
        if value is not None:
            raise InputError(f"{option} is for joining with --qrels; name the judgments, or leave {option} out")
    filling = None if options.missing is None else _parse_number(options.missing, "--missing")
    data = read_rows(options.inputs, options.columns.names(), options.columns.names_of_features()).data
    return data if filling is None else _filled(data, filling)


def _read_joined_table(options: ConvertOptions, qrels: Path, unjudged: float | Literal["drop"]) -> RankingData:
    """Rows of features, with the grades of the judgments in place of labels."""
    if options.columns.label is not None:
        raise InputError("labels come from --label or from the judgments of --qrels; give one of them")
    columns = options.columns
    rows = read_rows(options.inputs, columns.names()._replace(label=None), columns.names_of_features()).data
    judgments = read_qrels(qrels)
    data = join_table(rows, judgments, unjudged=unjudged)
    queries = set(map(str, rows.by_query().ids.tolist()))
    _note_joined(rows, judgments)
    _note_dropped_queries(queries, judgments)
    filling = None if options.missing is None else _parse_number(options.missing, "--missing")
    return data if filling is None else _filled(data, filling)


def _convert_pairs(kind: InputFormat, format: Format, options: ConvertOptions) -> None:
    """Convert judgments or a run between TREC's format and tables."""
    if len(options.inputs) > 1:
        raise InputError("several runs are joined with judgments: name them with --qrels, or convert one at a time")
    if format not in (Format(kind.value), *(each for each in Format if each.is_table)):
        advice = f"write it as a table (.csv, .parquet) or .{kind}"
        raise InputError(f"{options.inputs[0]} holds a {kind} without features; {advice}")
    if options.columns.arguments() or options.scores is not None:
        option = "--scores" if options.scores is not None else options.columns.arguments()[0]
        raise InputError(f"{option} is for ranking data, and the input is a {kind}; leave it out")
    read: Callable[[Path], Any] = read_run_file if kind is InputFormat.run else read_qrels
    pairs = read(options.inputs[0])
    if not format.is_table:
        (write_run if kind is InputFormat.run else write_qrels)(options.output, pairs)
    else:
        values = {"score": pairs.score} if isinstance(pairs, Run) else {"rating": pairs.grade}
        write_table(options.output, table_of_pairs(pairs.qid, pairs.docno, **values), format)
    counts = {"queries": len(pairs.number_queries()[1]), "documents": len(pairs)}
    if options.as_json:
        print_json({"output": str(options.output), "format": format.value, **counts})
    else:
        note(f"{display_name(options.output)}: {counts['documents']:,} documents of {counts['queries']:,} queries")


def read_run_file(file: Path) -> Run:
    """Read and name a run."""
    return read_runs([file])[0]


def _filled(data: RankingData, value: float) -> RankingData:
    """The data with a number for missing values."""
    values = data.X.data if sparse.issparse(data.X) else data.X
    missing = np.isnan(values)
    note(f"{int(missing.sum()):,} of {data.X.shape[0] * data.X.shape[1]:,} values were missing; they are {_shown(value)}")
    filled = np.where(missing, values.dtype.type(value), values)
    X = type(data.X)((filled, data.X.indices, data.X.indptr), shape=data.X.shape) if sparse.issparse(data.X) else filled
    return data.replace(X=X)


def _note_nan(data: RankingData) -> None:
    """Note that other readers of LETOR text may not know missing values."""
    n_missing = int(np.isnan(data.X.data if sparse.issparse(data.X) else data.X).sum())
    if n_missing:
        note(f"{n_missing:,} missing values are written as nan, which RankLib rejects; --missing 0 writes 0")


def _read_logs(options: ConvertOptions, qrels: Path, unjudged: float | Literal["drop"]) -> RankingData:
    missing = None if options.missing is None else _parse_number(options.missing, "--missing")
    judgments = read_qrels(qrels)
    with noting_warnings(), spinner("Reading logs"):
        logged = read_engine_log(options.inputs, log=options.log, missing=missing)
        data = join_log(logged, judgments, unjudged=unjudged)
    _note_unjudged(logged, judgments)
    _note_missing_values(logged, data, missing)
    return data


def _note_joined(rows: RankingData, judgments: Qrels) -> None:
    """Note how many rows have a judgment."""
    assert rows.qid is not None and rows.docno is not None
    judged = set(zip(judgments.qid.tolist(), judgments.docno.tolist(), strict=True))
    pairs = list(zip(map(str, rows.qid.tolist()), rows.docno.tolist(), strict=True))
    n_judged = sum(pair in judged for pair in pairs)
    note(f"{len(pairs):,} rows of {rows.n_queries:,} queries: {n_judged:,} judged, {len(pairs) - n_judged:,} not")


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
    return "NaN, a missing value" if np.isnan(value) else f"{value:g}"


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
