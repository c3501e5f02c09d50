"""Listing, showing and running the experiments of papers as ``directrank papers`` does it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...data import InputError
from ...papers import PAPERS, Experiment, Outcome, Rows, Source, experiment, experiments
from ..console.output import note, print_json, print_line, print_table, progress, spinner
from ..console.report_page import check_page, save_page
from ._paper_tables import TASTE, print_outcome, print_published, section


def list_experiments(as_json: bool) -> None:
    """By paper, with the data that each can be run on."""
    if as_json:
        print_json({name: _described(found) for name, found in experiments().items()})
        return
    for paper, citation in PAPERS.items():
        mine = [each for each in experiments().values() if each.paper == paper]
        rows = [(each.name, each.title, ", ".join(source.name for source in each.sources)) for each in mine]
        print_table(["experiment", "", "--data"], rows, citation, left=3, folded=(1, 2))


def show_experiment(name: str, as_json: bool) -> None:
    """What data it needs, what was published, and what was claimed."""
    found = experiment(name)
    if as_json:
        claims = [{"claim": claim.text, "sources": list(claim.sources)} for claim in found.claims]
        print_json({**_described(found), "published": found.published, "claims": claims, "differs": found.differs})
        return
    print_line(f"{found.name}: {found.title}")
    print_line(f"{PAPERS[found.paper]}.")
    print_table(
        ["--data", "the folder holds", "from"],
        [(source.name, source.holds, source.origin) for source in found.sources],
        "Data",
        left=3,
        folded=(1, 2),
    )
    print_published(found)
    if found.differs:
        print_line(f"Not as in the paper: {found.differs}")
    print_line(f"To run it: directrank papers run {found.name} --data {found.sources[0].name}=FOLDER")


def run_experiment(name: str, data: list[str], quick: bool, as_json: bool, output: Path | None, results: Path) -> None:
    """Our figures, those published, and whether what was claimed holds."""
    found = experiment(name)
    given = _sources(found, data)
    if output is not None:
        _check_output(found, len(given), output, as_json)
    contents = {}
    for label, (source, folder) in given.items():
        outcome = _run(found, source, folder, results, quick)
        contents[label] = _content(found, source, outcome)
        if output is not None:
            _save(found, source, label, outcome, output, silent=as_json)
        elif not as_json:
            print_outcome(found, source, label, outcome)
    if as_json:
        print_json({"experiment": name, "quick": quick, "data": contents})


def _described(found: Experiment) -> dict[str, Any]:
    data = {source.name: {"holds": source.holds, "from": source.origin} for source in found.sources}
    return {"experiment": found.name, "title": found.title, "paper": PAPERS[found.paper], "data": data}


def _sources(found: Experiment, data: list[str]) -> dict[str, tuple[Source, Path]]:
    """Of each --data, by the name of its folder, or by its path where two have the same name."""
    given: dict[str, tuple[Source, Path]] = {}
    for each in data:
        source, folder = _source(found, each)
        if any(folder.resolve() == other.resolve() for _, other in given.values()):
            raise InputError(f"--data {each}: this folder was named before; name it once")
        label = folder.resolve().name
        given[label if label not in given else str(folder)] = source, folder
    return given


def _check_output(found: Experiment, n_collections: int, output: Path, as_json: bool) -> None:
    """Refuse, before any work, a page that there cannot be."""
    if not found.compares:
        raise InputError(f"{found.name} compares no rankings, so there is no page of it; leave out --output, or use --json")
    if n_collections > 1:
        raise InputError("a page shows one collection: give one --data, or leave out --output")
    check_page(output, [], as_json)


def _source(found: Experiment, given: str) -> tuple[Source, Path]:
    """From NAME=FOLDER."""
    name, equals, folder = given.partition("=")
    known = {source.name: source for source in found.sources}
    if not equals or name not in known:
        raise InputError(f"--data {given}: write NAME=FOLDER; {found.name} can be run on {', '.join(known)}")
    if not Path(folder).is_dir():
        what = "is a file" if Path(folder).exists() else "is not there"
        raise InputError(f"--data {given}: {folder} {what}; name a folder that holds {known[name].holds}")
    return known[name], Path(folder)


def _run(found: Experiment, source: Source, folder: Path, results: Path, quick: bool) -> Outcome:
    rows = Rows.of(results, found.paper, source.name, folder, quick, progress)
    if rows.found:
        note(f"{rows.file} has {rows.found:,} rows that are not computed again; delete it to start afresh")
    with spinner(f"Reading {folder}"):
        content = source.read(folder)
    try:
        outcome = found.measure(content, rows, quick)
    except KeyboardInterrupt:
        kept = f"{rows.found + rows.computed:,} finished rows are in {rows.file}"
        raise KeyboardInterrupt(f"interrupted; {kept}, and the same command goes on from there") from None
    return replace(outcome, remarks=(TASTE, *outcome.remarks)) if quick else outcome


def _content(found: Experiment, source: Source, outcome: Outcome) -> dict[str, Any]:
    """Of an outcome, for JSON."""
    return {
        "ours": outcome.figures,
        "published": found.published,
        "claims": [{"claim": text, "holds": holds} for text, holds in found.judged(outcome, source)],
        "remarks": outcome.remarks,
        "comparison": None if outcome.report is None else json.loads(outcome.report.to_json()),
    }


def _save(found: Experiment, source: Source, label: str, outcome: Outcome, output: Path, silent: bool) -> None:
    assert outcome.report is not None
    title = f"{found.name} on {label}: {found.title}"
    sections = [section(found, source, label, outcome)]
    save_page(outcome.report, output, silent=silent, title=title, sections=sections)
