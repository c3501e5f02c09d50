"""``directrank compare``: any number of rankings of the same queries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..data.errors import InputError
from . import rankings as given
from .feature_names import FeatureNames
from .formats import MaxSize
from .measure_names import TiesOption
from .options import TARGET, MeasuresOption
from .output import note, print_json, print_line, print_text
from .queries_option import QueriesOption

if TYPE_CHECKING:
    from ..evaluation import Report


def compare(
    files: given.FilesArgument,
    qrels: given.QrelsOption = None,
    models: given.ModelsOption = None,
    scores: given.ScoresOption = None,
    measures: MeasuresOption = None,
    baseline: given.BaselineOption = None,
    test: given.TestOption = "randomisation",
    correction: given.CorrectionOption = "holm",
    ties: TiesOption = None,
    queries: QueriesOption = None,
    missing: given.MissingOption = given.Missing.zero,
    alpha: given.AlphaOption = 0.05,
    permutations: given.PermutationsOption = 100_000,
    latex: Annotated[bool, typer.Option("--latex", help="Print a table for LaTeX with booktabs.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a table in Markdown.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, a line for each ranking and measure.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with the values of each query.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a page to look at, as directrank report does.", **TARGET)
    ] = None,
    feature_names: FeatureNames = None,
    max_size: MaxSize = None,
) -> None:
    """Compare rankings, with intervals, effect sizes and corrected tests: TREC runs, or models and scores of ranking data.

    directrank compare --qrels QRELS RUN... --baseline bm25.run

    directrank compare DATA --model svm.json --model trees.json --scores theirs.txt
    """
    from .comparing import compare_sources
    from .page import check_page, save_page

    wanted = {"--latex": latex, "--markdown": markdown, "--csv": as_csv, "--json": as_json, "--output": output}
    chosen = [option for option, value in wanted.items() if value]
    if len(chosen) > 1:
        raise InputError(f"give one of {' and '.join(chosen)}: what is printed has one format")
    sources = given.Sources(files, qrels, models or [], scores or [])
    if output is not None:
        check_page(output, sources.all)
    how = given.How(measures, baseline, test, correction, ties, queries, missing, alpha, permutations, feature_names)
    found = compare_sources(sources, how)
    if output is not None:
        save_page(found.report, output, models=found.models)
    else:
        _print(found.report, chosen[0] if chosen else None)


def _print(report: Report, option: str | None) -> None:
    from .measuring import without_relevant
    from .report_table import print_report

    lines = without_relevant(next(iter(report.evaluations.values())))
    if option is None:
        print_report(report)
    elif option == "--json":
        print_json(json.loads(report.to_json()))
    else:
        print_text({"--latex": report.to_latex, "--markdown": report.to_markdown, "--csv": report.to_csv}[option]())
    if option == "--csv":  # which has no place for them
        lines = [*report.sentences(), *lines]
    for line in lines:
        (print_line if option is None else note)(line)
