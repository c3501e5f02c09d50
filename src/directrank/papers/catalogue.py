"""Catalogue of the experiments of all papers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module

from ..data import InputError
from .experiment import Experiment

#: Citations of the papers, by subpackage.
PAPERS = {
    "yue": "Y. Yue, T. Finley, F. Radlinski, T. Joachims: A support vector method for optimizing average precision. "
    "SIGIR 2007",
    "joachims": "T. Joachims: A support vector method for multivariate performance measures. ICML 2005",
    "adarank": "J. Xu, H. Li: AdaRank: a boosting algorithm for information retrieval. SIGIR 2007",
    "welleck": "S. Welleck: Efficient AUC optimization for information ranking applications. ECIR 2016",
    "letor": "T. Qin, T.-Y. Liu, J. Xu, H. Li: LETOR: a benchmark collection for research on learning to rank for "
    "information retrieval. Information Retrieval 2010",
}


@cache
def experiments() -> dict[str, Experiment]:
    """All experiments by name, in the order of the papers."""
    found: list[Experiment] = []
    for paper in PAPERS:
        found += import_module(f".{paper}", __package__).EXPERIMENTS
    return {experiment.name: experiment for experiment in found}


def experiment(name: str) -> Experiment:
    """Look up an experiment by name."""
    known = experiments()
    if name not in known:
        raise InputError(f"there is no experiment {name!r}; there are {', '.join(_nearest(name, known))}")
    return known[name]


def _nearest(name: str, known: Iterable[str]) -> list[str]:
    """Names of experiments of the same paper, if there are any; otherwise all names."""
    paper = name.partition("/")[0]
    return [each for each in known if each.startswith(f"{paper}/")] or list(known)
