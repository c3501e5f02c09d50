"""Yue et al. (2007), sections 4 and 5: ``python -m directrank.papers.yue cranfield|robust03 FOLDER [TRIALS]``.

Scores of retrieval functions or of TREC runs become binary features, 50 thresholds each, and SVMs learn to combine them. In
each of 50 trials 10 queries train, 5 choose C and the rest test; all queries are in each role equally often. A query's value
is its mean over the trials that test it, and the tables count the queries that SVM-map wins and loses, with two stars
where the Wilcoxon test gives p < 0.05, as in the paper; beside them stands p corrected by Holm's method.

FOLDER of ``cranfield`` holds ``cran.all.1400``, ``cran.qry`` and ``cranqrel.trec.txt`` (as Tables 6 and 9, base functions);
that of ``robust03`` holds ``qrels.txt`` and ``runs/*.gz`` (as Tables 7, 8, 10 and 11, runs).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ..arrays import Floats
from ..data import Qrels, QueryTrials, RankingData, join_runs, read_qrels, read_run
from ..data.splits import Split
from ..evaluation import Comparison, Evaluation, Report, compare_all
from ..evaluation.report.tables import shown_p
from ..features import QueryMinMax, QueryPercentile, ScoreBinner
from ..fusion import FUSIONS
from ..learners import SVMRanker
from ..measures import AP
from ..retrieval import TextIndex, pool
from .letor import Candidates, accuracy_svm, path_of_C, test_scores

#: MAP and W/L of SVM-map against each, on TREC 9 and on TREC 10, as published.
TABLES_6_AND_9 = {
    "SVM-map": "0.242, 0.236",
    "best function": "0.204 39/11 **, 0.181 37/13 **",
    "2nd best": "0.199 38/12 **, 0.174 43/7 **",
    "3rd best": "0.188 34/16 **, 0.174 38/12 **",
    "SVM-roc": "0.237 29/21, 0.234 24/26",
    "SVM-acc": "0.147 47/3 **, 0.155 47/3 **",
    "SVM-acc2": "0.219 39/11 **, 0.207 43/7 **",
    "SVM-acc3": "0.113 49/1 **, 0.153 45/5 **",
    "SVM-acc4": "0.155 48/2 **, 0.155 48/2 **",
}
TABLES_7_AND_10 = {
    "SVM-map": "0.290, 0.287",
    "best function": "0.280 28/22, 0.283 29/21",
    "2nd best": "0.269 30/20, 0.251 36/14 **",
    "3rd best": "0.266 30/20, 0.233 36/14 **",
    "SVM-roc": "0.282 29/21, 0.278 35/15 **",
    "SVM-acc": "0.213 49/1 **, 0.222 49/1 **",
    "SVM-acc2": "0.270 34/16 **, 0.261 42/8 **",
    "SVM-acc3": "0.133 50/0 **, 0.182 46/4 **",
    "SVM-acc4": "0.233 47/3 **, 0.238 46/4 **",
}
TABLES_8_AND_11 = {
    "SVM-map": "0.284, 0.288",
    "best function": "0.280 27/23, 0.283 31/19",
    "2nd best": "0.269 30/20, 0.251 36/14 **",
    "3rd best": "0.266 30/20, 0.233 35/15 **",
    "SVM-roc": "0.274 31/19 **, 0.272 38/12 **",
    "SVM-acc": "0.215 49/1 **, 0.211 50/0 **",
    "SVM-acc2": "0.267 35/15 **, 0.258 44/6 **",
    "SVM-acc3": "0.133 50/0 **, 0.174 46/4 **",
    "SVM-acc4": "0.228 46/4 **, 0.234 45/5 **",
}

Fit = Callable[[Split], Candidates]


def _accuracy(name: str) -> Fit:
    return accuracy_svm(name, (1e-4, 1e-3, 1e-2))  # with C = 10 one fit on thousands of documents a query takes minutes


#: Which scores are binned, and what learns from them.
METHODS: dict[str, tuple[str, Fit]] = {
    "SVM-map": ("scores", path_of_C(SVMRanker("AP", bound="convex"))),
    "SVM-roc": ("scores", path_of_C(SVMRanker("AUC", bound="convex"))),
    "SVM-acc": ("scores", _accuracy("SVM-acc")),
    "SVM-acc2": ("scores", _accuracy("SVM-acc2")),
    "SVM-acc3": ("percentiles", _accuracy("SVM-acc")),
    "SVM-acc4": ("min-max", _accuracy("SVM-acc")),
    "SVM-map, min-max": ("min-max", path_of_C(SVMRanker("AP", bound="convex"))),
    "SVM-roc, min-max": ("min-max", path_of_C(SVMRanker("AUC", bound="convex"))),
}

SCALES: dict[str, Any] = {"scores": None, "percentiles": QueryPercentile(), "min-max": QueryMinMax()}


@dataclass(frozen=True)
class Experiment:
    """Scores of documents by several functions, NaN where a function does not have the document, and all judgments."""

    data: RankingData
    qrels: Qrels

    def average_precision(self, scores: Floats, rows: NDArray[Any] | None = None) -> dict[Any, float]:
        """Of each query of these rows; relevant documents that are not in the data count as not found."""
        part = self.data if rows is None else self.data.select(rows)
        queries = part.by_query()
        values = AP().evaluate(queries.to_query_order(scores), queries.to_query_order(part.y), queries.offsets)
        return {q: value * self.found[q] for q, value in zip(queries.ids.tolist(), values.tolist(), strict=True)}

    @cached_property
    def found(self) -> dict[Any, float]:
        """The share of each query's relevant documents that are in the data."""
        known = Counter(self.qrels.qid[self.qrels.grade > 0].tolist())
        pooled: Counter[Any] = Counter(self.data.qid[self.data.y > 0].tolist())  # type: ignore[index]
        return {q: pooled[q] / max(known[str(q)], 1) for q in self.data.by_query().ids.tolist()}

    def without(self, function: str) -> Experiment:
        """The same documents, without one function."""
        names = self.data.feature_names or []
        kept = [j for j, name in enumerate(names) if name != function]
        d = self.data
        return replace(self, data=RankingData(d.X[:, kept], d.y, d.qid, d.docno, [names[j] for j in kept]))

    def base(self) -> dict[str, dict[Any, float]]:
        """The functions alone, best first. What a function does not have comes after all it has, as not found."""
        names = self.data.feature_names or []
        columns = np.where(np.isnan(self.data.X), -np.inf, self.data.X).T
        values = {name: self.average_precision(column) for name, column in zip(names, columns, strict=True)}
        return dict(sorted(values.items(), key=lambda item: -_mean(item[1])))

    def fusions(self) -> dict[str, dict[Any, float]]:
        """What needs no learning."""
        return {name: self.average_precision(fuse(self.data)) for name, fuse in FUSIONS.items()}

    def learned(self, names: Iterable[str], n_trials: int, random_state: int = 0) -> Iterator[tuple[str, dict[Any, float]]]:
        """Each method's mean value of each query over the trials that test it."""
        trials = list(QueryTrials(10, 5, n_trials, random_state=random_state).roles(self.data.qid))
        for scale, group in _by_scale(names).items():
            binned = RankingData(_binned(self.data, scale), self.data.y, self.data.qid, self.data.docno)
            for name in group:
                values: dict[Any, list[float]] = {}
                for roles in track(trials, name, console=Console(stderr=True), transient=True):
                    scores, _ = test_scores(METHODS[name][1], Split(*(binned.select(rows) for rows in roles)))
                    for qid, value in self.average_precision(scores, roles[2]).items():
                        values.setdefault(qid, []).append(value)
                yield name, {qid: float(np.mean(each)) for qid, each in values.items()}


def cranfield(folder: Path) -> Experiment:
    """The 15 base functions on Cranfield, the union of the first 1000 documents of each."""
    documents = {name: _field(text, "T") + "\n" + _field(text, "W") for name, text in _entries(folder / "cran.all.1400")}
    # The judgments number the queries by their order, not by the numbers in the file.
    queries = {str(i): _field(text, "W") for i, (_, text) in enumerate(_entries(folder / "cran.qry"), 1)}
    qrels = read_qrels(folder / "cranqrel.trec.txt")
    return Experiment(pool(TextIndex.build_all(documents.items()), queries, qrels, depth=1000), qrels)


def robust03(folder: Path) -> Experiment:
    """The runs of the TREC 2003 Robust track that are there."""
    qrels = read_qrels(folder / "qrels.txt")
    runs = [read_run(file) for file in sorted((folder / "runs").glob("*.gz"))]
    return Experiment(join_runs(runs, qrels, missing=np.nan), qrels)


def table(experiment: Experiment, names: Iterable[str], n_trials: int, best: dict[str, dict[Any, float]]) -> Report:
    """Yue's tables: AP of each on the queries that were tested, compared with SVM-map (the first name)."""
    learned = dict(experiment.learned(names, n_trials))
    subject, tested = next(iter(learned.items()))
    places = zip(("best function", "2nd best", "3rd best"), best.items(), strict=False)
    ranked = {f"{place}, {name}": values for place, (name, values) in places}
    rankings = {**learned, **ranked, **experiment.fusions()}
    return compare_all(
        {name: _evaluation([values[qid] for qid in tested], tested) for name, values in rankings.items()}, subject
    )


def _evaluation(values: list[float], queries: Iterable[Any]) -> Evaluation:
    return Evaluation(np.array(list(queries)), {"AP": np.array(values)}, {"AP": 0})


def _binned(data: RankingData, scale: str) -> Any:
    """The features; thresholds stand by the scores of all queries, whose grades they do not see."""
    X = data.X if SCALES[scale] is None else SCALES[scale].fit_transform(data.X, qid=data.qid)
    return ScoreBinner(50).fit_transform(X)


def _by_scale(names: Iterable[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(METHODS[name][0], []).append(name)
    return groups


def _mean(values: dict[Any, float]) -> float:
    return float(np.mean(list(values.values())))


def _entries(path: Path) -> Iterator[tuple[str, str]]:
    """The number and the rest of each entry of a file of the SMART system."""
    for entry in re.split(r"^\.I ", path.read_text(), flags=re.MULTILINE)[1:]:
        number, _, rest = entry.partition("\n")
        yield number.strip(), rest


def _field(text: str, name: str) -> str:
    found = re.search(rf"^\.{name}\n(.*?)(?=^\.[A-Z]$|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def main() -> None:
    if len(sys.argv) < 3 or sys.argv[1] not in ("cranfield", "robust03"):
        print("usage: python -m directrank.papers.yue cranfield|robust03 FOLDER [TRIALS]", file=sys.stderr)
        sys.exit(2)
    which, folder = sys.argv[1], Path(sys.argv[2])
    n_trials = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    experiment = {"cranfield": cranfield, "robust03": robust03}[which](folder)
    best = experiment.base()
    published = TABLES_6_AND_9 if which == "cranfield" else TABLES_7_AND_10
    _print(f"{which}: {experiment.data}", table(experiment, METHODS, n_trials, best), published)
    if which == "robust03":
        strongest = next(iter(best))
        without = table(experiment.without(strongest), METHODS, n_trials, best)
        _print(f"{which}, trained without {strongest}", without, TABLES_8_AND_11)


def _as_in_the_paper(found: Comparison) -> str:
    """Wins and losses, with stars by the p-value that is not corrected."""
    return str(replace(found, corrected_p=found.p))


def _print(title: str, report: Report, published: dict[str, str]) -> None:
    printed = Table(title=title)
    subject = str(report.baseline)
    for column in ("", "MAP", f"W/L of {subject}", "corrected p", "Yue et al., TREC 9 and TREC 10"):
        printed.add_column(column, justify="left" if not column else "right", no_wrap=True)
    for name in report.names:
        against = report.comparison("AP", subject, name) if name != subject else None
        shown = ["", ""] if against is None else [_as_in_the_paper(against), shown_p(against.corrected_p)]
        theirs = published.get(name.split(",")[0] if "best" in name else name, "")
        printed.add_row(name, f"{report.means['AP'][name].value:.4f}", *shown, theirs)
    console = Console()
    console.width = max(console.width, 120)
    console.print(printed)


if __name__ == "__main__":
    main()
