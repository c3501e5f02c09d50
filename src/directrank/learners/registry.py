"""The learners by name: one entry each, which drives the command, saving, fusing and the demo."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..data.errors import InputError

if TYPE_CHECKING:
    from ..measures import SupportsEvaluate


@dataclass(frozen=True)
class Entry:
    """A learner.

    Attributes
    ----------
    name : str
        As the command has it.
    class_name : str
        Name of its class in `directrank.learners`, which imports it when it is first needed.
    learns_queries : bool
        Whether it ranks within queries; False for one that takes all rows as one set.
    extra : str, optional
        Parameter that takes further settings, as a dict: those of another library that the learner hands on.
    cost : int
        About how long it trains, in units of the fastest; in which order to try them where time is short.
    """

    name: str
    class_name: str
    learns_queries: bool = True
    extra: str | None = None
    cost: int = 1

    def load(self) -> Any:
        """The class."""
        return getattr(import_module(__package__), self.class_name)

    def make(self, measure: SupportsEvaluate, parameters: dict[str, Any]) -> Any:
        """A learner for a measure; one that has a measure of its own keeps that.

        Raises
        ------
        InputError
            That names a parameter it does not have.
        """
        learner = self.load()()
        known = set(learner.get_params())
        own = known - {"callback", "measure", "verbose", self.extra}
        further = {name: value for name, value in parameters.items() if name not in own}
        for name in further:
            if self.extra is None or not name.isidentifier() or name in known:
                raise InputError(f"{self.name} has no parameter {name!r}; it has {', '.join(sorted(own))}")
        given = {name: value for name, value in parameters.items() if name in own}
        if further and self.extra is not None:
            given[self.extra] = further
        return learner.set_params(**given, **({"measure": measure} if "measure" in known else {}))


LEARNERS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry("svm", "SVMRanker", cost=3),
        Entry("lambdamart", "LambdaMART", extra="lightgbm", cost=10),
        Entry("ranksvm", "RankSVM", cost=2),
        Entry("smoothrank", "SmoothRank", cost=4),
        Entry("adarank", "AdaRank"),
        Entry("rankboost", "RankBoost", cost=5),
        Entry("coordinate-ascent", "CoordinateAscent", cost=15),
        Entry("ensemble-selection", "EnsembleSelection", cost=8),
        Entry("one-vs-rest", "OneVsRestSVM", cost=3),
        Entry("multivariate", "MultivariateSVC", learns_queries=False),
    )
}


def find_learner(name: str) -> Entry:
    """A learner by its name or that of its class, in upper or lower case, with hyphens, underscores or neither.

    Raises
    ------
    InputError
        That says which names are near it, or which there are.
    """
    spelled = {_letters(word): entry for entry in LEARNERS.values() for word in (entry.name, entry.class_name)}
    if _letters(name) in spelled:
        return spelled[_letters(name)]
    near = difflib.get_close_matches(_letters(name), spelled, n=6, cutoff=0.6)
    meant = list(dict.fromkeys(spelled[word].name for word in near))[:3]
    advice = f"did you mean {' or '.join(meant)}?" if meant else f"there are {', '.join(LEARNERS)}"
    raise InputError(f"there is no learner {name!r}; {advice}")


def _letters(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
