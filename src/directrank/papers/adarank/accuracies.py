"""Table 3 and Figures 2 to 5: the data, and how well five methods rank it.

On OHSUMED the paper's AdaRank.MAP is significantly better than all baselines by MAP, and AdaRank.NDCG by NDCG@5; on WSJ and
AP both are by MAP, and by NDCG@5 in part; on .Gov, which has 50 queries, in part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...evaluation import Report, compare_all
from ..claims import is_higher, is_significantly_higher
from ..experiment import Claim, Experiment, Figures, Outcome
from ..per_query import as_evaluation, joined, mean
from ..rows import Rows
from .collection import Collection
from .gov_folder import GOV
from .letor_ohsumed import LETOR
from .protocol import BOOST, CUTS, MAP, NDCG, SVM, Row, run_trials, tuned
from .text_features import TEXT

BASELINES = ("BM25", SVM, BOOST)
COLUMNS = ("MAP", *(f"NDCG@{k}" for k in CUTS))

NOT_SAID = (
    "The paper does not say how C of Ranking SVM and the rounds of RankBoost were chosen: here by MAP on a third of the "
    "training queries. It stops AdaRank when the measure no longer improves; taken literally that can be after the first "
    "round (see adarank/figure11), so here a feature that does not improve it is set aside, until none does."
)


def statistics(collection: Collection, rows: Rows, quick: bool) -> Outcome:
    """Table 3: how many queries and documents there are."""
    data = collection.data
    figures = {"queries": data.n_queries, "retrieved": len(data), "per query": len(data) / data.n_queries}
    return Outcome({"statistics": {**collection.sizes, **figures}}, remarks=collection.remarks)


def accuracies(collection: Collection, rows: Rows, quick: bool) -> Outcome:
    """Figures 2 to 5: MAP and NDCG on the test queries, averaged over the trials."""
    found = run_trials(collection, rows, quick)
    figures = {name: {column: _average(parts, column) for column in COLUMNS} for name, parts in found.items()}
    return Outcome(figures, _compared(found), remarks=(*collection.remarks, *_choices(collection, rows, quick, found)))


def _average(parts: Sequence[Row], column: str) -> float:
    return float(np.mean([mean(part["test"][column]) for part in parts]))


def _compared(found: dict[str, list[Row]]) -> Report:
    """The methods by the values of all test queries, by Student's paired test."""
    evaluations = {
        name: as_evaluation({column: joined(part["test"][column] for part in parts) for column in COLUMNS})
        for name, parts in found.items()
    }
    return compare_all(evaluations, test="t", correction="none")


def _choices(collection: Collection, rows: Rows, quick: bool, found: dict[str, list[Row]]) -> list[str]:
    """What was chosen in each trial."""
    chosen = {name: [part["chosen"] for part in parts if part["chosen"]] for name, parts in found.items()}
    said = [
        f"{name}: {key} {', '.join(f'{each[key]:.4g}' for each in mine)} in the trials."
        for name, mine in chosen.items()
        for key in (mine[0] if mine else ())
    ]
    function = tuned(collection, rows, quick)
    return [collection.about_bm25 or f"BM25: k1 {function.k1:g}, b {function.b:g}.", *said]


def _wins() -> tuple[Claim, ...]:
    """Both AdaRanks outperform all baselines in terms of all measures."""
    return tuple(is_higher(column, name, *BASELINES) for column in COLUMNS for name in (MAP, NDCG))


def _significantly(column: str, name: str) -> tuple[Claim, ...]:
    return tuple(is_significantly_higher(column, column, name, baseline) for baseline in BASELINES)


def _axis(collection: str, axis: str) -> dict[str, Figures]:
    """The paper prints no values: only the figure's axis is in its text."""
    return {collection: {"axis of the figure": {"all measures": axis}}}


EXPERIMENTS = [
    Experiment(
        "adarank/table3",
        "Queries and documents",
        (LETOR, TEXT, GOV),
        statistics,
        {
            "OHSUMED": {"statistics": {"documents": 348_566, "queries": 106, "retrieved": 16_140}},
            "WSJ": {"statistics": {"documents": 74_520, "queries": 126, "retrieved": 40_230, "per query": 319.29}},
            "AP": {"statistics": {"documents": 158_240, "queries": 116, "retrieved": 24_727, "per query": 213.16}},
            ".Gov": {"statistics": {"documents": 1_053_110, "links": 11_164_829, "queries": 50}},
        },
        differs="Table 3 has WSJ and AP; the numbers of OHSUMED and .Gov are from the text of sections 4.2 and 4.4.",
        compares=False,
    ),
    Experiment(
        "adarank/figure2",
        "Ranking accuracies on OHSUMED",
        (LETOR, TEXT),
        accuracies,
        _axis("OHSUMED", "0.2 to 0.6"),
        (*_wins(), *_significantly("MAP", MAP), *_significantly("NDCG@5", NDCG)),
        f"{NOT_SAID} LETOR has 45 features, of title, abstract and both, where the paper has the 7 of its Table 2.",
    ),
    Experiment(
        "adarank/figure3",
        "Ranking accuracies on WSJ",
        (TEXT,),
        accuracies,
        _axis("WSJ", "0.40 to 0.60"),
        (*_wins(), *_significantly("MAP", MAP), *_significantly("MAP", NDCG)),
        NOT_SAID,
    ),
    Experiment(
        "adarank/figure4",
        "Ranking accuracies on AP",
        (TEXT,),
        accuracies,
        _axis("AP", "0.40 to 0.55"),
        (*_wins(), *_significantly("MAP", MAP), *_significantly("MAP", NDCG)),
        NOT_SAID,
    ),
    Experiment(
        "adarank/figure5",
        "Ranking accuracies on .Gov",
        (GOV,),
        accuracies,
        _axis(".Gov", "0.1 to 0.7"),
        _wins(),
        f"{NOT_SAID} The paper has ten features of relevance propagation and does not say which; here they are eight: "
        "scores and terms, along links in three ways and along the tree of URLs.",
    ),
]
