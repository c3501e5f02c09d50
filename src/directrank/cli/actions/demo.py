"""``directrank demo``: learn to search docstrings."""

from __future__ import annotations

import shlex
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ...data import RankingData
from ...datasets import Collection, docstrings
from ...evaluation import Evaluation
from ...features import QueryMinMax
from ...measures import name_of, parse
from ...retrieval import TextIndex, pool
from ...selection import Choice
from ...selection.held_out_evaluation import check_ranking_measures
from ..console.ctrl_c import was_pressed
from ..console.output import print_json, print_line, print_table
from ..console.progress import spinner
from ..console.streams import note
from .best import choice_as_dict, choose, make_learners, print_choice

MEASURES = ["AP", "nDCG@10", "RR", "AUC"]

#: Three, so that it takes a minute: one third of the queries each for training, validation and test.
FOLDS = 3

#: Number of queries to print on which the learner wins.
QUERIES_SHOWN = 3


#: Number of characters of a document's name.
LONGEST_NAME = 32


class DemoOptions(NamedTuple):
    """Options of ``directrank demo``."""

    measure: str
    learners: list[str] | None
    quick: bool
    as_json: bool


def run(options: DemoOptions) -> None:
    """Find what ranks docstrings best, and print it."""
    measure = parse(options.measure)
    check_ranking_measures([measure])
    learners = make_learners(options.learners, measure)
    collection, data = _prepared(options.quick)
    choice = choose(data, [measure, *map(parse, MEASURES)], learners=learners, n_folds=FOLDS, qrels=collection.qrels)
    if choice.interrupted or was_pressed():
        raise KeyboardInterrupt
    for line in choice.notes:
        note(line)
    if options.as_json:
        print_json({"queries": len(choice.report.qid), **choice_as_dict(choice)})
        return
    _print_collection(collection, data)
    print_choice(choice, f"Learners optimised for {name_of(measure)}, and the best single function, on held-out queries")
    print_line()
    _print_queries(collection, data, choice)
    _print_next(options.measure)


def _prepared(quick: bool) -> tuple[Collection, RankingData]:
    """The collection, and the scores of 15 retrieval functions, scaled to [0, 1] within each query."""
    with spinner("Collecting docstrings"):
        collection = docstrings()
    with spinner("Building indexes: plain, stemmed, stemmed without stop words"):
        indices = TextIndex.build_all(collection.documents.items())
    queries = dict(list(collection.queries.items())[:: 5 if quick else 1])
    with spinner(f"Scoring {len(queries):,} queries with 15 retrieval functions"):
        data = pool(indices, queries, collection.qrels, depth=30 if quick else 50)
        X = QueryMinMax().fit_transform(data.X, qid=data.qid)
    return collection, RankingData(X, data.y, data.qid, data.docno, data.feature_names)


def _print_collection(collection: Collection, data: RankingData) -> None:
    print_line(f"Docstrings of NumPy, SciPy and scikit-learn: {collection!r}.")
    print_line(
        f"15 retrieval functions (five on three indexes) found {len(data):,} documents for {data.n_queries:,} queries; "
        "their scores are the features."
    )
    print_line(f"{FOLDS} folds: each query is ranked by a model that was not trained on it.\n")


class _Ranking(NamedTuple):
    name: str
    scores: Floats
    result: Evaluation


def _print_queries(collection: Collection, data: RankingData, choice: Choice) -> None:
    """Print the top five of the best function and the best learner, for queries that learning won, and one that it lost."""
    feature, (name, learned) = choice.features[0], next(iter(choice.results.items()))
    both = (
        _Ranking(feature.name, feature.scores(data, learned.folds), choice.report.evaluations[feature.name]),
        _Ranking(name, learned.scores, learned.evaluation),
    )
    measure, qids = choice.report.measures[0], learned.evaluation.qid.tolist()
    judged = zip(
        *(part.tolist() for part in (collection.qrels.qid, collection.qrels.docno, collection.qrels.grade)), strict=True
    )
    relevant = {(q, d) for q, d, g in judged if g > 0}
    values = [ranking.result.values(measure) for ranking in both]
    tops = [[_top(data, ranking.scores, qid, relevant) for ranking in both] for qid in qids]
    gain = values[1] - values[0]
    visible = np.array([_n_relevant(ours) - _n_relevant(theirs) for theirs, ours in tops])
    for i in (*_spread(gain, visible > 0, QUERIES_SHOWN), *_spread(-gain, visible < 0, 1)):
        heads = [f"{ranking.name} ({measure} {value[i]:.2f})" for ranking, value in zip(both, values, strict=True)]
        rows = [(str(rank), *pair) for rank, pair in enumerate(zip(*tops[i], strict=True), 1)]
        print_table(["", *heads], rows, f"{qids[i]}: {_shortened(collection.queries[str(qids[i])])}", left=3, wrapped=(1, 2))
    print_line("● marks relevant documents: the function itself, and those in its See Also section.\n")


def _spread(gain: Any, among: Any, n: int) -> list[int]:
    """Pick n candidate queries with a gain, spread from the largest gain to the smallest."""
    candidates = np.flatnonzero(among & (gain > 0))
    ranked = candidates[np.argsort(-gain[candidates], kind="stable")]
    places = sorted({int((k + 0.5) * ranked.size / n) for k in range(n)}) if ranked.size else []
    return [int(ranked[place]) for place in places]


def _top(data: RankingData, scores: Any, qid: Any, relevant: set[tuple[str, str]]) -> list[str]:
    queries = data.by_query()
    i = int(np.argmax(queries.ids == qid))
    rows = queries.order[queries.offsets[i] : queries.offsets[i + 1]]
    best = rows[np.argsort(-scores[rows], kind="stable")][:5]
    docnos = [str(data.docno[row]) for row in best] + [""] * (5 - best.size)  # type: ignore[index]
    return [f"{'●' if (str(qid), docno) in relevant else ' '} {_end_of(docno)}" for docno in docnos]


def _n_relevant(top: list[str]) -> int:
    return sum(line.startswith("●") for line in top)


def _shortened(text: str) -> str:
    return text if len(text) <= 90 else f"{text[:89]}…"


def _end_of(docno: str) -> str:
    """A name, without its beginning if two would not fit side by side into 80 columns."""
    return docno if len(docno) <= LONGEST_NAME else f"…{docno[-LONGEST_NAME + 1 :]}"


def _print_next(measure: str) -> None:
    print_line("For your own data:")
    print_line("  directrank features docs.jsonl queries.tsv qrels.txt -o data.parquet   # features from text")
    print_line("  directrank describe data.parquet")
    print_line(
        f"  directrank best data.parquet --measure {shlex.quote(measure)} -o model.json             # or your own LETOR text"
    )
    print_line("  directrank fuse --qrels qrels.txt bm25.run neural.run -o fused.run      # or your own runs")
