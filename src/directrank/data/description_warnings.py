"""Warnings about what could cause trouble in training, given the statistics of a data set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .description import Description

#: Number of features that a warning names.
_SHOWN = 4

NO_LABELS = (
    "There are no labels: the rows can be scored, but not learned from. If a column holds the labels, name it (in the "
    "command, by --label); judgments in a file of their own join by convert --qrels."
)


def warnings_of(d: Description) -> list[str]:
    """Warnings in sentences, each with what to do."""
    about_queries = _about_queries(d) if d.grades else [NO_LABELS]
    return [*_about_label(d), *about_queries, *_about_features(d), *_about_values(d)]


def _about_label(d: Description) -> list[str]:
    return [
        f"{_label(name)} orders the documents of a query by grade almost without a mistake (AUC {area:.3f}): it may be the "
        "label in disguise, or known only after judging; leave it out if new documents will not have it."
        for name, area in d.label_like.items()
    ]


def _about_queries(d: Description) -> list[str]:
    said = []
    if d.queries_with_equal_grades == d.n_queries:
        said.append("No query has documents of different grades, so there is nothing to learn.")
    elif d.queries_with_equal_grades:
        queries = _counted(d.queries_with_equal_grades, "query has", "queries have")
        said.append(f"{queries} only one grade: skipped in training.")
    if d.queries_without_relevant:
        queries = _counted(d.queries_without_relevant, "query has", "queries have")
        said.append(f"{queries} no relevant document: 0 in every ranking measure.")
    if d.n_queries == 1:
        said.append("There is only one query: check that the file has query ids.")
    if max(d.grades) > 30:
        said.append(
            f"The highest grade is {max(d.grades):g}: with the gain 2^grade - 1 it outweighs all others; use gain=linear."
        )
    return said


def _about_features(d: Description) -> list[str]:
    said = []
    if d.empty_features:
        said.append(f"{_counted(d.empty_features, 'feature is', 'features are')} empty in every row.")
    if d.constant_features:
        features = _counted(len(d.constant_features), "feature has", "features have")
        said.append(f"{features} the same value in every row, or none in any, and can be dropped.")
    if d.constant_within_queries:
        features = _counted(len(d.constant_within_queries), "feature is", "features are")
        said.append(f"{features} constant within every query; no linear model can use them.")
    if d.duplicate_features:
        extra = sum(len(names) - 1 for names in d.duplicate_features)
        said.append(f"{_counted(extra, 'feature is an exact duplicate', 'features are exact duplicates')} of others.")
    return said


def _about_values(d: Description) -> list[str]:
    said = []
    partly = {name: n for name, n in d.features_with_missing.items() if n < d.n_documents}
    if partly:
        most = sorted(partly.items(), key=lambda item: -item[1])
        named = _named(f"{_label(name)} in {n / d.n_documents:.0%} of the documents" for name, n in most)
        features = _counted(len(most), "feature has", "features have")
        said.append(
            f"{features} missing values, which all learners take: {named}. Check that new documents lack them for the same "
            "reasons."
        )
    if d.heavy_tails:
        heaviest = sorted(d.heavy_tails.items(), key=lambda item: -item[1])
        named = _named(f"{_label(name)} up to {_times(ratio)}" for name, ratio in heaviest)
        features = _counted(len(heaviest), "feature has a heavy tail", "features have heavy tails")
        said.append(
            f"{features}, values far above the typical one: {named}. Trees do not mind, and directrank's linear learners "
            "take logarithms by themselves; for another library, take them first."
        )
    if d.far_scales:
        (small, least), (large, most_typical) = d.far_scales.items()
        said.append(
            f"The scales of the features are far apart: typical values are {least:.2g} of {_label(small)} and "
            f"{most_typical:.2g} of {_label(large)}. Trees do not mind, and directrank's linear learners scale "
            "features by themselves; for another library, scale them first."
        )
    return said


def _counted(n: int, one: str, several: str) -> str:
    return f"1 {one}" if n == 1 else f"{n:,} {several}"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} times" if ratio < 1e6 else f"{ratio:.0e} times"


def _label(feature: str) -> str:
    """A feature in a sentence; one without a name is a number."""
    return f"feature {feature}" if feature.isdecimal() else feature


def _named(items: Iterable[str]) -> str:
    """The first of some items, and the number of the others."""
    listed = list(items)
    others = len(listed) - _SHOWN
    return ", ".join(listed[:_SHOWN]) + (f" and {others:,} more" if others > 0 else "")
