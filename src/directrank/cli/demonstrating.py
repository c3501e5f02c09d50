"""Learning to search docstrings, as ``directrank demo`` does."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats
from ..data import RankingData
from ..datasets import Collection, docstrings
from ..evaluation import Evaluation
from ..features import QueryMinMax
from ..measures import name_of, parse
from ..retrieval import TextIndex, pool
from ..selection import Choice
from ..selection.judging import refuse_sets
from .choosing import as_dict, chosen_learners, find, print_choice
from .ctrl_c import was_pressed
from .output import note, print_json, print_line, print_table, spinner

MEASURES = ["AP", "nDCG@10", "RR", "AUC"]

#: Three, for it to take a minute: a third of the queries trains, a third validates, a third tests.
FOLDS = 3

#: How many queries are shown that learning won.
SHOWN = 3


def show_docstrings(measure: str, learners: list[str] | None, quick: bool, as_json: bool) -> None:
    """Find what ranks docstrings best, and show it."""
    chosen = parse(measure)
    refuse_sets([chosen])
    tried = chosen_learners(learners, chosen)
    collection, data = _prepared(quick)
    found = find(data, [chosen, *map(parse, MEASURES)], learners=tried, n_folds=FOLDS, qrels=collection.qrels)
    if found.interrupted or was_pressed():
        raise KeyboardInterrupt
    for line in found.notes:
        note(line)
    if as_json:
        print_json({"queries": len(found.report.qid), **as_dict(found)})
        return
    _print_collection(collection, data)
    print_choice(found, f"Learned for {name_of(chosen)}, beside the best function alone; queries that were held out")
    print_line()
    _print_queries(collection, data, found)
    _print_next(measure)


def _prepared(quick: bool) -> tuple[Collection, RankingData]:
    """The collection, and its 15 base functions' scores, each from 0 to 1 in each query."""
    with spinner("Collecting docstrings"):
        collection = docstrings()
    with spinner("Indexing them: plain, stemmed, stemmed without stop words"):
        indices = TextIndex.build_all(collection.documents.items())
    queries = dict(list(collection.queries.items())[:: 5 if quick else 1])
    with spinner(f"Scoring {len(queries):,} queries by 15 functions"):
        data = pool(indices, queries, collection.qrels, depth=30 if quick else 50)
        X = QueryMinMax().fit_transform(data.X, qid=data.qid)
    return collection, RankingData(X, data.y, data.qid, data.docno, data.feature_names)


def _print_collection(collection: Collection, data: RankingData) -> None:
    print_line(f"Docstrings of NumPy, SciPy and scikit-learn: {collection!r}.")
    print_line(
        f"15 base functions, five on three indices, found {len(data):,} documents for {data.n_queries:,} queries; "
        "their scores are features."
    )
    print_line(f"{FOLDS} folds: each query is ranked by a model that has not seen it.\n")


class _Ranking(NamedTuple):
    name: str
    scores: Floats
    result: Evaluation


def _print_queries(collection: Collection, data: RankingData, found: Choice) -> None:
    """The first five documents by the best function and the best learner, for queries that were won, and one lost."""
    alone, (name, learned) = found.features[0], next(iter(found.results.items()))
    both = (
        _Ranking(alone.name, alone.scores(data, learned.folds), found.report.evaluations[alone.name]),
        _Ranking(name, learned.scores, learned.evaluation),
    )
    measure, qids = found.report.measures[0], learned.evaluation.qid.tolist()
    judged = zip(
        *(part.tolist() for part in (collection.qrels.qid, collection.qrels.docno, collection.qrels.grade)), strict=True
    )
    relevant = {(q, d) for q, d, g in judged if g > 0}
    values = [ranking.result.values(measure) for ranking in both]
    tops = [[_top(data, ranking.scores, qid, relevant) for ranking in both] for qid in qids]
    gain = values[1] - values[0]
    seen = np.array([sum(line[0] == "●" for line in ours) - sum(line[0] == "●" for line in theirs) for theirs, ours in tops])
    for i in (*_spread(gain, seen > 0, SHOWN), *_spread(-gain, seen < 0, 1)):
        heads = [f"{ranking.name} ({measure} {of[i]:.2f})" for ranking, of in zip(both, values, strict=True)]
        rows = [(str(rank), *pair) for rank, pair in enumerate(zip(*tops[i], strict=True), 1)]
        print_table(["", *heads], rows, f"{qids[i]}: {_shortened(collection.queries[str(qids[i])])}", left=3)
    print_line("● is relevant: the function itself, or one that its See Also names.\n")


def _spread(gain: Any, among: Any, n: int) -> list[int]:
    """Some of the queries among which there is a gain, from large to small."""
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
    return [f"{'●' if (str(qid), docno) in relevant else ' '} {docno}" for docno in docnos]


def _shortened(text: str) -> str:
    return text if len(text) <= 90 else f"{text[:89]}…"


def _print_next(measure: str) -> None:
    print_line("On your own data:")
    print_line("  directrank features docs.jsonl queries.tsv qrels.txt -o data.parquet   # text to features")
    print_line("  directrank describe data.parquet")
    print_line(f"  directrank best data.parquet --measure '{measure}' -o model.json             # or LETOR text you have")
    print_line("  directrank fuse --qrels qrels.txt bm25.run neural.run -o fused.run      # runs you have")
