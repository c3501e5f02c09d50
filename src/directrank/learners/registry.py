"""Registry of learners: one entry each, which drives the commands and `selection.best`."""

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
        Name in the command.
    class_name : str
        Name of its class in `directrank.learners`; it is imported on first use.
    learns_queries : bool
        Whether it ranks within queries; False if it takes all rows as one set.
    extra : str, optional
        Parameter that takes further settings, as a dict: those of another library that the learner hands on.
    init : str, optional
        Name of the learner whose model it starts from, its parameter `init`.
    cost : int
        Approximate training time relative to the fastest; cheap learners are tried first.
    is_favourite : bool
        Whether it is often the best; favourites are tried before all others, and time is kept for them.
    """

    name: str
    class_name: str
    learns_queries: bool = True
    extra: str | None = None
    init: str | None = None
    cost: int = 1
    is_favourite: bool = False

    def load(self) -> Any:
        """Class of the learner."""
        return getattr(import_module(__package__), self.class_name)

    def new(self) -> Any:
        """A learner with default parameters."""
        return self.load()() if self.init is None else self.load()(init=LEARNERS[self.init].new())

    def make(self, measure: SupportsEvaluate, parameters: dict[str, Any]) -> Any:
        """A learner for a measure; a learner with a fixed measure keeps it.

        Raises
        ------
        InputError
            For a parameter that it does not have.
        """
        learner = self.new()
        known = set(learner.get_params())
        own = known - {"measure", "verbose", self.extra, *(["init"] if self.init else [])}
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
        Entry("svm", "SVMRanker", cost=5),
        Entry("lambdamart", "LambdaMART", extra="lightgbm", cost=10, is_favourite=True),
        Entry("ranksvm+lambdamart", "LambdaMART", extra="lightgbm", init="ranksvm", cost=12, is_favourite=True),
        Entry("ranksvm", "RankSVM", cost=2, is_favourite=True),
        Entry("smoothrank", "SmoothRank", cost=3),
        Entry("adarank", "AdaRank"),
        Entry("rankboost", "RankBoost", cost=5),
        Entry("coordinate-ascent", "CoordinateAscent", cost=15),
        Entry("ensemble-selection", "EnsembleSelection", cost=8),
        Entry("one-vs-rest", "OneVsRestSVM", cost=5),
        Entry("multivariate", "MultivariateSVC", learns_queries=False),
    )
}


def find_learner(name: str) -> Entry:
    """Learner by its name or that of its class, in upper or lower case, with hyphens, underscores or neither.

    A class is the learner without `init`.

    Raises
    ------
    InputError
        With similar names, or with all of them.
    """
    spelled = {_letters(entry.class_name): entry for entry in LEARNERS.values() if entry.init is None}
    spelled |= {_letters(entry.name): entry for entry in LEARNERS.values()}
    if _letters(name) in spelled:
        return spelled[_letters(name)]
    near = difflib.get_close_matches(_letters(name), spelled, n=6, cutoff=0.6)
    meant = list(dict.fromkeys(spelled[word].name for word in near))[:3]
    advice = f"did you mean {' or '.join(meant)}?" if meant else f"there are {', '.join(LEARNERS)}"
    raise InputError(f"there is no learner {name!r}; {advice}")


def _letters(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
