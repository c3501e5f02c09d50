"""The learners by the names that the command has for them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from ..data import InputError
from ..learners import AdaRank, CoordinateAscent, LambdaMART, MultivariateSVC, OneVsRestSVM, RankBoost, RankSVM, SVMRanker
from ..measures import Measure


class Learner(StrEnum):
    svm = "svm"
    lambdamart = "lambdamart"
    ranksvm = "ranksvm"
    adarank = "adarank"
    rankboost = "rankboost"
    coordinate_ascent = "coordinate-ascent"
    one_vs_rest = "one-vs-rest"
    multivariate = "multivariate"


_CLASSES: dict[Learner, Any] = {
    Learner.svm: SVMRanker,
    Learner.lambdamart: LambdaMART,
    Learner.ranksvm: RankSVM,
    Learner.adarank: AdaRank,
    Learner.rankboost: RankBoost,
    Learner.coordinate_ascent: CoordinateAscent,
    Learner.one_vs_rest: OneVsRestSVM,
    Learner.multivariate: MultivariateSVC,
}

_WORDS = {"true": True, "false": False, "none": None}


def make_learner(learner: Learner, measure: Measure, settings: list[str]) -> Any:
    """A learner for a measure, with parameters given as ``name=value``; C is chosen by validation unless it is set."""
    model = _CLASSES[learner]()
    has = set(model.get_params()) - {"callback", "measure"}
    open_ended = learner is Learner.lambdamart  # it hands on to LightGBM what it does not know
    given: dict[str, Any] = {"C": "auto"} if "C" in has and learner is not Learner.multivariate else {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"--set {setting}: write NAME=VALUE, such as C=10")
        if name not in has and not (open_ended and name.isidentifier() and not hasattr(model, name)):
            raise InputError(f"--set {setting}: {learner} has no parameter {name!r}; it has {', '.join(sorted(has))}")
        given[name] = _value(value)
    return model.set_params(**given, **({"measure": measure} if "measure" in model.get_params() else {}))


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return _WORDS.get(text.lower(), text)
