"""Real collections and generated families as folds of training, validation and test queries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from directrank.data import InputError, RankingData, join_runs, letor_folds
from directrank.data.splits import Split
from directrank.datasets import docstrings
from directrank.features import QueryMinMax
from directrank.papers.yue.data_sources import read_runs, read_text_folder
from directrank.retrieval import TextIndex, pool

from .families import family, parse_name

#: Number of candidate documents per query, the best by the sum of their scores, if features are retrieval scores.
DEPTH = {"cranfield": 150, "robust03": 300, "docstrings": 30}

#: Generated families of this many queries have one split, as test queries abound.
ONE_SPLIT = 2_000


@lru_cache(maxsize=1)
def read_folds(source: str) -> list[Split]:
    """Read five folds, or one of a large family.

    Parameters
    ----------
    source : str
        A folder with LETOR's ``Fold1`` to ``Fold5``, with Cranfield (``cran.all.1400``) or with TREC runs (``qrels.txt`` and
        ``runs``); or the word ``docstrings``; or a family with its number of queries, such as ``thresholds-200``.
    """
    folder = Path(source)
    generated = parse_name(source)
    if generated is not None:
        name, n_queries = generated
        # The size is the seed too, so that no two sizes share what the grades depend on.
        folds = _five_folds(family(name, n_queries, seed=n_queries))
        return list(islice(folds, 1 if n_queries >= ONE_SPLIT else None))
    if source == "docstrings":
        return list(_five_folds(_scores_as_features(_docstrings(), DEPTH["docstrings"])))
    if (folder / "cran.all.1400").exists():
        return list(_five_folds(_scores_as_features(read_text_folder(folder).data, DEPTH["cranfield"])))
    if (folder / "qrels.txt").exists():
        runs, qrels = read_runs(folder)
        return list(_five_folds(_scores_as_features(join_runs(runs, qrels, missing=np.nan), DEPTH["robust03"])))
    if folder.is_dir():
        return list(letor_folds(folder))
    raise InputError(
        f"{source}: no such folder; name one with Fold1 to Fold5, Cranfield or runs, or docstrings, or linear-200"
    )


def collection_name(source: str) -> str:
    return Path(source).name


def _docstrings() -> RankingData:
    collection = docstrings()
    return pool(TextIndex.build_all(collection.documents.items()), collection.queries, collection.qrels, depth=50)


def _scores_as_features(data: RankingData, depth: int) -> RankingData:
    """Scale scores to [0, 1] within each query, with missing ones as 0, and keep the documents with the highest sums."""
    X = np.nan_to_num(QueryMinMax().fit_transform(data.X, qid=data.qid))
    queries = data.by_query()
    totals = queries.to_query_order(X.sum(axis=1))
    query = np.repeat(np.arange(queries.ids.size), np.diff(queries.offsets))
    best_first = np.lexsort((-totals, query))
    rank = np.arange(query.size) - queries.offsets[:-1][query]
    rows = np.sort(queries.order[best_first[rank < depth]])
    return RankingData(X[rows], data.y[rows], np.asarray(data.qid)[rows])


def _five_folds(data: RankingData) -> Iterator[Split]:
    """Folds as in LETOR: of five parts, three are for training, one for validation and one for testing, in rotation."""
    queries = data.by_query()
    part_of_query = np.random.default_rng(0).permutation(queries.ids.size) % 5
    part = queries.to_row_order(np.repeat(part_of_query, np.diff(queries.offsets)))
    for i in range(5):
        roles = [i, i + 1, i + 2], [i + 3], [i + 4]
        yield Split(*(data.select(np.flatnonzero(np.isin(part, np.array(parts) % 5))) for parts in roles))
