"""Reports: comparisons of any number of rankings that print themselves in many formats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ...arrays import Floats, Ints
from ...data import InputError
from ...data.io.files import PathLike
from ..detectable import smallest_detectable
from ..evaluation_result import Evaluation
from ..named_measures import AppliedTies, MeasureLike, shown_name
from ..paired_tests import differences
from ..significance import Comparison
from . import report_sentences, report_tables, text_formats

if TYPE_CHECKING:
    import pandas as pd

    from .page.model_section import ModelLike
    from .page.section import Section

#: Letters of rankings: all but q, which has no superscript in Unicode.
_LETTERS = "abcdefghijklmnoprstuvwxyz"


class Interval(NamedTuple):
    low: float
    high: float


class Mean(NamedTuple):
    """Mean over the queries, with its 95 % bootstrap interval."""

    value: float
    interval: Interval


class Method(NamedTuple):
    """How rankings were compared; see `compare_all`."""

    test: str
    correction: str
    alpha: float
    n_permutations: int
    n_resamples: int
    random_state: int


@dataclass(frozen=True, eq=False)
class Report:
    """Comparison of rankings of the same queries by one or more measures, returned by `compare_all`.

    A notebook shows it as a table, and `print` as text.

    Attributes
    ----------
    evaluations : dict of Evaluation
        Evaluations by name of the ranking.
    qid : list
        Queries.
    positions : dict of arrays
        Position of each query in the evaluation of each ranking; -1 if it is missing.
    missing : dict of int
        Number of queries missing from each ranking; they count 0.
    baseline : str, or None
        Ranking that all others are compared with; None if all pairs are compared.
    method : Method
    values : dict of arrays
        Values by measure: a row for each ranking, a column for each query.
    means : dict
        `Mean` by measure and ranking.
    comparisons : dict
        `Comparison` of the first with the second, by measure and pair of rankings.
    differences : dict
        95 % bootstrap interval of the mean difference to the baseline, by measure and ranking.
    """

    evaluations: dict[str, Evaluation]
    qid: list[Any]
    positions: dict[str, Ints]
    missing: dict[str, int]
    baseline: str | None
    method: Method
    values: dict[str, Floats]
    means: dict[str, dict[str, Mean]]
    comparisons: dict[str, dict[tuple[str, str], Comparison]]
    differences: dict[str, dict[str, Interval]]

    @property
    def names(self) -> list[str]:
        """Names of the rankings."""
        return list(self.evaluations)

    @property
    def measures(self) -> list[str]:
        return list(self.values)

    @property
    def ties(self) -> dict[str, AppliedTies]:
        """How equal scores were ranked, by measure, where all evaluations agree."""
        rules = {name: {each.ties.get(name) for each in self.evaluations.values()} for name in self.measures}
        return {name: rule for name, (rule, *others) in rules.items() if rule is not None and not others}

    @property
    def gains(self) -> dict[str, str]:
        """Gain of grade g, by measure, as in `Evaluation.gains`."""
        known = {name: formula for each in self.evaluations.values() for name, formula in each.gains.items()}
        return {name: known[name] for name in self.measures if name in known}

    @property
    def letters(self) -> dict[str, str]:
        """Letter of each ranking, for marks of significance in tables; numbers if there are more than 25 rankings."""
        signs = _LETTERS if len(self.names) <= len(_LETTERS) else map(str, range(1, len(self.names) + 1))
        return dict(zip(self.names, signs, strict=False))

    def comparison(self, measure: MeasureLike, first: str, second: str) -> Comparison | None:
        """Comparison of the first ranking with the second; None if the two were not compared."""
        known = self.comparisons[self.name_of(measure)]
        if (first, second) in known:
            return known[first, second]
        return known[second, first].reversed() if (second, first) in known else None

    def significantly_below(self, measure: MeasureLike, name: str) -> list[str]:
        """Rankings that this one is significantly better than."""
        found = []
        for other in self.names:
            against = self.comparison(measure, name, other) if other != name else None
            if against is not None and against.is_better(self.method.alpha):
                found.append(other)
        return found

    def detectable(self, measure: MeasureLike, first: str, second: str) -> float:
        """Smallest difference of two rankings that the comparison would detect with a power of 80 %.

        By `directrank.evaluation.detectable.smallest_detectable`, with alpha divided by the number of comparisons, unless
        p-values are not corrected. NaN if it cannot be estimated.
        """
        name = self.name_of(measure)
        rows = [self.values[name][self.names.index(ranking)] for ranking in (first, second)]
        n_tests = 1 if self.method.correction == "none" else len(self.comparisons[name])
        return smallest_detectable(differences(*rows), self.method.alpha / n_tests)

    def best(self, measure: MeasureLike) -> list[str]:
        """Rankings with the highest mean, to the four digits that tables show."""
        means = {name: round(mean.value, 4) for name, mean in self.means[self.name_of(measure)].items()}
        return [name for name, value in means.items() if value == max(means.values())]

    def name_of(self, measure: MeasureLike) -> str:
        """Name of a measure in the report."""
        name = next(iter(self.evaluations.values())).column_of(measure)
        if name is None or name not in self.measures:
            raise InputError(f"{shown_name(measure)} was not compared; there are {', '.join(self.measures)}")
        return name

    def sentences(self, *, intervals: bool = True) -> list[str]:
        """Sentences on how the figures were computed, for the foot of a table."""
        return report_sentences.sentences(self, intervals=intervals)

    def to_rows(self) -> list[dict[str, Any]]:
        """All figures of each ranking by each measure, as flat rows."""
        return report_tables.rows(self)

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with a row for each ranking and measure."""
        import pandas as pd

        return pd.DataFrame(self.to_rows())

    def to_csv(self) -> str:
        """A line for each ranking and measure."""
        return text_formats.csv_text(self)

    def to_json(self) -> str:
        """All figures, how they were computed, and the values of each query."""
        return text_formats.json_text(self)

    def to_markdown(self) -> str:
        """Table of means with letters for significance, best in bold."""
        return text_formats.markdown(self)

    def to_latex(self, *, caption: str | None = None, label: str = "tab:rankings") -> str:
        """Table of means for booktabs, with letters for significance as superscripts, best in bold.

        Parameters
        ----------
        caption : str, optional
            Text before the sentences on how the figures were computed.
        label : str
            Label of the table, for ``\\ref``.
        """
        return text_formats.latex(self, caption, label)

    def _repr_html_(self) -> str:
        return text_formats.html_table(self)

    def __str__(self) -> str:
        return text_formats.text(self)

    def __repr__(self) -> str:
        against = "all pairs" if self.baseline is None else f"against {self.baseline}"
        return f"Report({len(self.names)} rankings of {len(self.qid):,} queries by {', '.join(self.measures)}; {against})"

    def save(
        self,
        path: PathLike,
        *,
        title: str | None = None,
        models: Mapping[str, ModelLike] | None = None,
        curves: Mapping[str, Mapping[str, Any]] | None = None,
        documents: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        queries: Mapping[str, str] | None = None,
        depth: int = 100,
        command: str | None = None,
        sections: Sequence[Section] = (),
    ) -> None:
        """Write an HTML page: one file that needs no network (extra ``report``).

        Parameters
        ----------
        path : path
            File to write; replaced only when the new page is complete.
        title : str, optional
            Page title.
        models : dict of models or fitted learners, optional
            Models by name, whose training curves and weights are shown.
        curves : dict, optional
            Curves from `ScoreBinner.weight_curve`, by name of the model and of the score.
        documents : dict, or iterable of docno and text, optional
            Texts of documents; the first line is the title.
        queries : dict, optional
            Texts of queries by qid.
        depth : int
            Number of documents of each ranking on the page.
        command : str, optional
            Command that reproduces the page.
        sections : list of Section
            Additional tables and charts, shown first.
        """
        from .page.page_file import write_page

        write_page(
            self,
            path,
            title=title,
            models=models or {},
            curves=curves or {},
            documents=documents,
            queries=queries or {},
            depth=depth,
            command=command,
            sections=sections,
        )
