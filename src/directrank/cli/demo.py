"""``directrank demo``: the main job, on real text that every machine has."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from ..data import Qrels, RankingData, as_run, train_validation_test
from ..data.splits import Split
from ..datasets import Collection, docstrings
from ..evaluation import Evaluation, Report, compare_all, evaluate_run
from ..features import QueryMinMax
from ..measures import Measure, MeasureError, parse
from ..retrieval import TextIndex, pool
from .learners import RANKERS, RankerName, make_learner
from .output import note, print_json, print_line, print_table, progress, spinner
from .report_table import print_report

MEASURES = ["AP", "nDCG@10", "RR", "AUC"]
SHOWN = 3


class Ranking(NamedTuple):
    """A ranking of the test queries, by a score for each document."""

    name: str
    scores: Any
    result: Evaluation


def demo(
    measure: Annotated[str, typer.Option("--measure", "-m", help="The measure you are judged by.")] = "AP",
    learners: Annotated[
        list[RankerName] | None, typer.Option("--learner", help="Which to train; may be repeated. All by default.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A fifth of the queries, fewer documents of each.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn to search the docstrings of NumPy, SciPy and scikit-learn.

    A query is the summary of a function, and to be found are the function, by the rest of its docstring, and those that its
    "See Also" names. Retrieval functions score the documents, learners combine them for the measure you name, and both are
    measured on queries that nobody has seen.
    """
    chosen = parse(measure)
    collection, split = _prepared(quick)
    names = [measure, *(name for name in MEASURES if parse(name) != chosen)]
    qrels = _judgments(collection.qrels, split.test)
    base = _base_functions(split.test, qrels, names)
    learned = _learned(learners, chosen, split, qrels, names)
    with spinner("Comparing"):
        results = {ranking.name: ranking.result for ranking in (*learned, *base)}
        report = compare_all(results, baseline=base[0].name, missing="zero")
    if as_json:
        _print_json(split, base, learned, report)
        return
    _print_collection(collection, split)
    print_report(report, title=f"Learned for {chosen.name}, then each function alone; test queries", detailed=[chosen.name])
    print_line()
    _print_queries(collection, qrels, split.test, base[0], learned[0])
    _print_next(measure)


def _prepared(quick: bool) -> tuple[Collection, Split]:
    """The collection, and its 15 base functions' scores, each from 0 to 1 in each query."""
    with spinner("Collecting docstrings"):
        collection = docstrings()
    with spinner("Indexing them: plain, stemmed, stemmed without stop words"):
        indices = TextIndex.build_all(collection.documents.items())
    queries = dict(list(collection.queries.items())[:: 5 if quick else 1])
    with spinner(f"Scoring {len(queries):,} queries by 15 functions"):
        data = pool(indices, queries, collection.qrels, depth=30 if quick else 100)
        X = QueryMinMax().fit_transform(data.X, qid=data.qid)
    scaled = RankingData(X, data.y, data.qid, data.docno, data.feature_names)
    return collection, train_validation_test(scaled, (0.5, 0.2, 0.3), random_state=0)


def _judgments(qrels: Qrels, data: RankingData) -> Qrels:
    """Those of the data's queries; also of documents that no function found, which count as missed."""
    mine = np.isin(qrels.qid, data.by_query().ids)
    return Qrels(qrels.qid[mine], qrels.docno[mine], qrels.grade[mine])


def _base_functions(test: RankingData, qrels: Qrels, measures: list[str]) -> list[Ranking]:
    """Each function alone, best first."""
    found = []
    for j, name in enumerate(progress(test.feature_names or [], "Measuring each function")):
        found.append(Ranking(name, test.X[:, j], evaluate_run(as_run(test, test.X[:, j]), qrels, measures)))
    return sorted(found, key=lambda ranking: -ranking.result[measures[0]])


def _learned(wanted: list[str] | None, measure: Measure, split: Split, qrels: Qrels, measures: list[str]) -> list[Ranking]:
    """Each learner, best first; those that cannot optimise the measure are left out, unless they were asked for."""
    found = []
    for learner in progress(wanted or RANKERS, "Training"):
        try:
            scores = _scores(learner, measure, split)
        except MeasureError as error:
            if wanted:
                raise
            note(f"{learner} is left out: {error}")
            continue
        found.append(Ranking(learner, scores, evaluate_run(as_run(split.test, scores), qrels, measures)))
    return sorted(found, key=lambda ranking: -ranking.result[measures[0]])


def _scores(learner: str, measure: Measure, split: Split) -> Any:
    """Of the test rows; what the learner leaves open (C, how many rounds) is chosen by the validation queries."""
    train, validation, test = split
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = make_learner(learner, measure, [])
        model.fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
    for message in sorted({str(warning.message) for warning in caught}):
        note(f"{learner}: {message}")
    if model.interrupted_:
        raise KeyboardInterrupt
    return model.predict(test.X)


def _print_json(split: Split, base: list[Ranking], learned: list[Ranking], report: Report) -> None:
    def shown(ranking: Ranking) -> dict[str, Any]:
        against = report.comparison(report.measures[0], ranking.name, base[0].name)
        means = {"means": ranking.result.means}
        return means if against is None else {**means, f"against {base[0].name}": asdict(against)}

    queries = dict(zip(("train", "validation", "test"), (part.n_queries for part in split), strict=True))
    groups = {"learned": learned, "base functions": base}
    print_json({"queries": queries, **{group: {r.name: shown(r) for r in each} for group, each in groups.items()}})


def _print_collection(collection: Collection, split: Split) -> None:
    train, validation, test = split
    rows = sum(len(part) for part in split)
    print_line(f"Docstrings of NumPy, SciPy and scikit-learn: {collection!r}.")
    print_line(
        f"15 base functions, five on three indices, found {rows:,} documents for the queries; their scores are features."
    )
    print_line(f"{train.n_queries:,} queries train, {validation.n_queries:,} validate, {test.n_queries:,} test.\n")


def _print_queries(collection: Collection, qrels: Qrels, test: RankingData, base: Ranking, learned: Ranking) -> None:
    """The first five documents of both rankings, for queries that were won, much or little, and one that was lost."""
    measure = next(iter(base.result.per_query))
    qids = learned.result.qid.tolist()
    judged = zip(qrels.qid.tolist(), qrels.docno.tolist(), qrels.grade.tolist(), strict=True)
    relevant = {(q, d) for q, d, g in judged if g > 0}
    tops = [[_top(test, ranking.scores, qid, relevant) for ranking in (base, learned)] for qid in qids]
    gain = learned.result.values(measure) - base.result.values(measure)
    seen = np.array([sum(line[0] == "●" for line in ours) - sum(line[0] == "●" for line in theirs) for theirs, ours in tops])
    for i in (*_spread(gain, seen > 0, SHOWN), *_spread(-gain, seen < 0, 1)):
        heads = [f"{ranking.name} ({measure} {ranking.result.values(measure)[i]:.2f})" for ranking in (base, learned)]
        rows = [(str(rank), *pair) for rank, pair in enumerate(zip(*tops[i], strict=True), 1)]
        print_table(["", *heads], rows, f"{qids[i]}: {_shortened(collection.queries[str(qids[i])])}", left=3)
    print_line("● is relevant: the function itself, or one that its See Also names.\n")


def _spread(gain: Any, among: Any, n: int) -> list[int]:
    """Some of the queries among which there is a gain, from large to small."""
    candidates = np.flatnonzero(among & (gain > 0))
    ranked = candidates[np.argsort(-gain[candidates], kind="stable")]
    places = sorted({int((k + 0.5) * ranked.size / n) for k in range(n)}) if ranked.size else []
    return [int(ranked[place]) for place in places]


def _top(test: RankingData, scores: Any, qid: Any, relevant: set[tuple[str, str]]) -> list[str]:
    queries = test.by_query()
    i = int(np.argmax(queries.ids == qid))
    rows = queries.order[queries.offsets[i] : queries.offsets[i + 1]]
    best = rows[np.argsort(-scores[rows], kind="stable")][:5]
    docnos = [str(test.docno[row]) for row in best] + [""] * (5 - best.size)  # type: ignore[index]
    return [f"{'●' if (str(qid), docno) in relevant else ' '} {docno}" for docno in docnos]


def _shortened(text: str) -> str:
    return text if len(text) <= 90 else f"{text[:89]}…"


def _print_next(measure: str) -> None:
    print_line("On your own data:")
    print_line("  directrank features docs.jsonl queries.tsv qrels.txt -o data.parquet   # text to features")
    print_line("  directrank describe data.parquet")
    print_line(f"  directrank train data.parquet --measure '{measure}' -o model.json            # or LETOR text you have")
    print_line("  directrank fuse --qrels qrels.txt bm25.run neural.run -o fused.run      # runs you have")
