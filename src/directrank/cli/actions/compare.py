"""``directrank compare``: compare rankings and print the comparison."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...data import InputError, Qrels, Run
from ...data.formats.trec.joining import select_judged
from ...data.ranking_names import shortest_names
from ...data.shown_ids import some_of
from ...evaluation import Evaluation, Report, compare_all
from ...evaluation.significance import canonical_method
from ...models import Model
from ..console.output import as_text, print_json, print_line, print_text
from ..console.progress import spinner
from ..console.report_page import check_report_page, save_report_page
from ..console.streams import note
from ..options.measures import parse_sort, split_measures
from ..options.rankings import ComparisonOptions, MissingQueries, QuerySet, RankingFiles
from ._rankings import (
    check_options_of_rankings,
    evaluate_runs,
    evaluate_scored_data,
    note_missing_queries,
    queries_of,
    queries_without_relevant,
    read_judged_runs,
    read_scored_data,
    sort_rankings,
    suggest_queries_of_runs,
)
from ._report_table import print_report

DEFAULT_PERMUTATIONS = 100_000


class CompareOptions(NamedTuple):
    """Options of ``directrank compare``: the rankings, how to compare them, and what to print and write."""

    files: RankingFiles
    comparison: ComparisonOptions
    latex: bool
    markdown: bool
    as_csv: bool
    as_json: bool
    report: Path | None


class Comparison(NamedTuple):
    """A report, and the models among its rankings by name."""

    report: Report
    models: dict[str, Model]


def run(options: CompareOptions) -> None:
    """Print the comparison, and write its report."""
    formats = {
        "--latex": options.latex,
        "--markdown": options.markdown,
        "--csv": options.as_csv,
        "--json": options.as_json,
    }
    chosen = [option for option, value in formats.items() if value]
    if len(chosen) > 1:
        raise InputError(f"give only one of {' and '.join(chosen)}: the output has one format")
    if options.report is not None:
        check_report_page(options.report, options.files.inputs, options.as_json)
    compared = compare_rankings(options.files, options.comparison)
    _print(compared.report, chosen[0] if chosen else None)
    if options.report is not None:
        save_report_page(compared.report, options.report, silent=bool(chosen), models=compared.models)


def compare_rankings(files: RankingFiles, options: ComparisonOptions) -> Comparison:
    """Read, evaluate and compare rankings."""
    files.check(minimum=2)
    check_options_of_rankings(files, options.queries, options.columns)
    if not 0 < options.alpha < 1:
        raise InputError(f"--alpha must lie between 0 and 1, not {options.alpha:g}")
    _check_test(options)
    measures = split_measures(options.measures)
    sort = parse_sort(options.sort, measures)
    models: dict[str, Model] = {}
    if files.qrels:
        evaluations = _evaluate_runs(files, measures, options)
    else:
        scored = read_scored_data(files, options.columns)
        evaluations, models = evaluate_scored_data(files, scored, measures, options.ties), scored.models
    baseline = _baseline(options.baseline, files, list(evaluations))
    evaluations = sort_rankings(evaluations, sort)
    with spinner("Comparing"):
        report = compare_all(
            evaluations,
            baseline,
            test=options.test,
            correction=options.correction,
            missing="zero",  # --missing-queries error was checked as the runs were read
            alpha=options.alpha,
            n_permutations=options.permutations or DEFAULT_PERMUTATIONS,
        )
    return Comparison(report, models)


def _check_test(options: ComparisonOptions) -> None:
    """Raise an error if a test is unknown, or is given options that it does not have."""
    test, _ = canonical_method(options.test, options.correction)
    if options.permutations is not None and test != "randomisation":
        raise InputError(f"--permutations is for the randomisation test, and --test is {test}; leave it out")


def _baseline(wanted: str | None, files: RankingFiles, names: list[str]) -> str | None:
    """The baseline: as given, or else, of two rankings, the only feature or the first one as given."""
    if wanted is None:
        return names[-1 if len(files.features) == 1 else 0] if len(names) == 2 else None
    return find_ranking(wanted, files.rankings, names, [each.feature for each in files.features])


def find_ranking(wanted: str, files: Sequence[Path], names: list[str], features: Sequence[str] = ()) -> str:
    """The ranking that ``--baseline`` gives by its name, its path, its file name, its shortest file name, or its feature."""
    paths = [Path(as_text(file)) for file in files]
    of_files = [str(path) for path in paths], [path.name for path in paths], shortest_names(paths)
    for words in (names, *([*each, *features] for each in of_files)):
        found = [name for name, word in zip(names, words, strict=True) if word == as_text(wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(f"--baseline {wanted} may be any of {', '.join(found)}; name one of these")
    raise InputError(f"--baseline {wanted}: there is no such ranking; there are {', '.join(names)}")


def _evaluate_runs(files: RankingFiles, measures: list[str], options: ComparisonOptions) -> dict[str, Evaluation]:
    runs, qrels = read_judged_runs(files)
    answered = select_judged(qrels, *runs)
    if options.queries is QuerySet.run:
        qrels = answered
    if options.missing_queries is MissingQueries.error:
        for file, each in zip(files.files, runs, strict=True):
            _check_complete(file, each, qrels)
    evaluations = evaluate_runs(files, runs, qrels, measures, options.ties)
    for each in runs:
        note_missing_queries(each, qrels)
    if options.queries is None:
        suggest_queries_of_runs("the runs were", len(queries_of(answered)), len(queries_of(qrels)))
    return evaluations


def _check_complete(file: Path, run: Run, qrels: Qrels) -> None:
    judged = queries_of(qrels)
    missing = sorted(judged - queries_of(run))
    if missing:
        raise InputError(
            f"{file} lacks {len(missing):,} of the {len(judged):,} judged queries ({some_of(missing)}); "
            "complete it, or count them as 0 with --missing-queries zero"
        )


def _print(report: Report, option: str | None) -> None:
    """Print the comparison in the format that an option names; a table by default."""
    lines = queries_without_relevant(next(iter(report.evaluations.values())))
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
