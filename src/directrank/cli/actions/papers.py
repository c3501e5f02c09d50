"""``directrank papers``: list, show and run the experiments of papers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ...data import InputError
from ...papers import PAPERS, Experiment, Outcome, Rows, Source, experiment, experiments
from ..console.output import print_json, print_line, print_sentence, print_table
from ..console.progress import progress, spinner
from ..console.report_page import check_report_page, save_report_page
from ..console.streams import note
from ._paper_tables import QUICK_RUN, outcome_section, print_outcome, print_published


class RunOptions(NamedTuple):
    """Options of ``directrank papers run``."""

    name: str
    data: list[str]
    quick: bool
    as_json: bool
    report: Path | None
    results: Path


def list_experiments(as_json: bool) -> None:
    """Print the experiments by paper, with the data that each can be run on."""
    if as_json:
        print_json({name: _described(found) for name, found in experiments().items()})
        return
    for paper, citation in PAPERS.items():
        mine = [each for each in experiments().values() if each.paper == paper]
        rows = [(each.name, each.title, ", ".join(source.name for source in each.sources)) for each in mine]
        print_table(["experiment", "", "--data"], rows, citation, left=3, wrapped=(1, 2))


def show_experiment(name: str, as_json: bool) -> None:
    """Print the data that an experiment needs, the published figures, and the claims."""
    found = experiment(name)
    if as_json:
        claims = [{"claim": claim.text, "sources": list(claim.sources)} for claim in found.claims]
        print_json({**_described(found), "published": found.published, "claims": claims, "differences": found.differences})
        return
    print_line(f"{found.name}: {found.title}")
    print_sentence(f"{PAPERS[found.paper]}.")
    print_table(
        ["--data", "the folder contains", "from"],
        [(source.name, source.contents, source.origin) for source in found.sources],
        "Data",
        left=3,
        wrapped=(1, 2),
    )
    print_published(found)
    if found.differences:
        print_sentence(f"Differences from the paper: {found.differences}")
    print_line(f"To run it: directrank papers run {found.name} --data {found.sources[0].name}=FOLDER")


def run_experiment(options: RunOptions) -> None:
    """Print our figures beside the published ones, and whether the claims hold; write a report of them."""
    found = experiment(options.name)
    sources = _parse_sources(found, options.data)
    if options.report is not None:
        _check_report(found, len(sources), options.report, options.as_json)
    outcomes = {}
    for label, (source, folder) in sources.items():
        outcome = _run(found, source, folder, options.results, options.quick)
        outcomes[label] = _as_dict(found, source, outcome)
        if options.report is not None:
            _save(found, source, label, outcome, options.report, silent=options.as_json)
        if not options.as_json:
            print_outcome(found, source, label, outcome)
    if options.as_json:
        print_json({"experiment": options.name, "quick": options.quick, "data": outcomes})


def _described(found: Experiment) -> dict[str, Any]:
    data = {source.name: {"contents": source.contents, "from": source.origin} for source in found.sources}
    return {"experiment": found.name, "title": found.title, "paper": PAPERS[found.paper], "data": data}


def _parse_sources(found: Experiment, data: list[str]) -> dict[str, tuple[Source, Path]]:
    """Source and folder of each ``--data``, by the folder's name, or by its path if two have the same name."""
    given: dict[str, tuple[Source, Path]] = {}
    for each in data:
        source, folder = _parse_source(found, each)
        if any(folder.resolve() == other.resolve() for _, other in given.values()):
            raise InputError(f"--data {each}: this folder is given twice; name it once")
        label = folder.resolve().name
        given[label if label not in given else str(folder)] = source, folder
    return given


def _check_report(found: Experiment, n_collections: int, report: Path, as_json: bool) -> None:
    """Raise an error, before any work, if there can be no report."""
    if not found.has_report:
        raise InputError(f"{found.name} compares no rankings, so it has no HTML report; leave out --report, or use --json")
    if n_collections > 1:
        raise InputError("an HTML report shows one collection: give one --data, or leave out --report")
    check_report_page(report, [], as_json)


def _parse_source(found: Experiment, given: str) -> tuple[Source, Path]:
    """Parse NAME=FOLDER."""
    name, equals, folder = given.partition("=")
    known = {source.name: source for source in found.sources}
    if not equals or name not in known:
        raise InputError(f"--data {given}: write NAME=FOLDER; {found.name} can be run on {', '.join(known)}")
    if not Path(folder).is_dir():
        problem = "is a file" if Path(folder).exists() else "does not exist"
        raise InputError(f"--data {given}: {folder} {problem}; name a folder with {known[name].contents}")
    return known[name], Path(folder)


def _run(found: Experiment, source: Source, folder: Path, results: Path, quick: bool) -> Outcome:
    rows = Rows.open(results, found.paper, source.name, folder, quick, progress)
    if rows.n_loaded:
        note(f"{rows.file} has {rows.n_loaded:,} finished rows, which are not computed again; delete it to start over")
    elif rows.outdated:
        note(f"{rows.outdated[-1]} is not used: its rows were computed by other code or libraries")
    with spinner(f"Reading {folder}"):
        content = source.read(folder)
    try:
        outcome = found.run(content, rows, quick)
    except KeyboardInterrupt:
        kept = f"{rows.n_loaded + rows.n_computed:,} finished rows are in {rows.file}"
        raise KeyboardInterrupt(f"interrupted; {kept}, and the same command continues from there") from None
    return replace(outcome, remarks=(QUICK_RUN, *outcome.remarks)) if quick else outcome


def _as_dict(found: Experiment, source: Source, outcome: Outcome) -> dict[str, Any]:
    """An outcome for JSON."""
    return {
        "ours": outcome.figures,
        "published": found.published,
        "claims": [{"claim": text, "holds": holds} for text, holds in found.check_claims(outcome, source)],
        "remarks": outcome.remarks,
        "comparison": None if outcome.report is None else json.loads(outcome.report.to_json()),
    }


def _save(found: Experiment, source: Source, label: str, outcome: Outcome, report: Path, silent: bool) -> None:
    assert outcome.report is not None
    title = f"{found.name} on {label}: {found.title}"
    sections = [outcome_section(found, source, label, outcome)]
    save_report_page(outcome.report, report, silent=silent, title=title, sections=sections)
