"""Checks for custom measures: correct measures pass, and each kind of fault is found."""

from __future__ import annotations

import ast
import inspect
import json
import re

import numpy as np
import plain
import pytest

from directrank.measures import Lambdas, MeasureError, Violation, bind, parse, testing
from directrank.measures.testing import SmallQuery, check_evaluate, check_lambdas, check_most_violated, small_queries

DEFINITIONS = {"AP": plain.ap(), "nDCG@3": plain.ndcg(k=3), "RR(rel=2)": plain.rr(rel=2), "RBP": plain.rbp()}


class Wrong:
    """A measure with one method replaced."""

    def __init__(self, name: str, **changed) -> None:
        self.right, self.changed, self.name = parse(name), changed, f"wrong {name}"
        self.relevant = self.right.relevant

    def evaluate(self, scores, grades, offsets):
        return self.right.evaluate(scores, grades, offsets)

    def bind(self, grades, offsets):
        bound = self.right.bind(grades, offsets)
        for method, change in self.changed.items():
            own = getattr(bound, method)
            setattr(bound, method, lambda scores, *given, own=own, change=change: change(own(scores, *given), scores))
        return bound


@pytest.mark.parametrize("name", DEFINITIONS)
def test_values_and_lambdas_of_right_measures_pass(name: str) -> None:
    check_evaluate(parse(name), DEFINITIONS[name])
    check_lambdas(parse(name), small_queries(count=60))


@pytest.mark.parametrize(("name", "grades"), [("AP", (0, 0, 1, 2)), ("RR", (0, 1)), ("nDCG", (0, 0, 2)), ("P@1", (0, 1))])
def test_exact_violations_pass(name: str, grades: tuple[int, ...]) -> None:
    check_most_violated(parse(name), small_queries(grades, count=60))


@pytest.mark.parametrize("name", ["nDCG@3", "R@2", "AUC"])
def test_violations_of_a_bound_pass_as_such(name: str) -> None:
    check_most_violated(parse(name), exact=False)


def test_violations_of_a_bound_are_not_exact() -> None:
    with pytest.raises(AssertionError, match="nDCG@2: the slack is"):
        check_most_violated(parse("nDCG@2"))


def test_the_worst_order_is_asked_for() -> None:
    of_recall = plain.interpolated_precision(0.5)
    check_evaluate(parse("IPrec@0.5"), of_recall, ties="worst")
    with pytest.raises(AssertionError, match="by brute force"):
        check_evaluate(parse("IPrec@0.5"), of_recall)


def test_pairs_that_contradict_grades() -> None:
    check_lambdas(parse("AUC(grade=1)"), small_queries(count=40), better=lambda grades: (grades == 1) * 1.0)
    with pytest.raises(AssertionError, match="gradient"):
        check_lambdas(parse("AUC(grade=1)"), small_queries(count=40))


def test_a_wrong_definition_is_shown_with_the_smallest_query() -> None:
    def forgetful(ranked, unranked):
        return plain.ap()(ranked, [])

    def differs(query) -> bool:
        ranked = query.scores > -np.inf
        return bool(query.grades[~ranked].any() and query.grades[ranked].any())

    queries = small_queries(unranked=True)
    smallest = min(query.grades.size for query in queries if differs(query))
    for given in (None, queries[::-1]):
        with pytest.raises(AssertionError) as error:
            check_evaluate(parse("AP"), forgetful, given)
        shown = re.fullmatch(
            r"AP: the value is .*, and by brute force .*, at scores \[.*\] of grades (\[.*\])", str(error.value)
        )
        assert shown is not None and len(json.loads(shown[1])) == smallest == 2


def test_a_cut_off_beyond_all_queries_is_an_error() -> None:
    class DeafToCutOff:
        k = 10
        evaluate = staticmethod(parse("AP").evaluate)

    for check in (lambda: check_evaluate(DeafToCutOff(), plain.ap()), lambda: check_lambdas(parse("nDCG@6"))):
        with pytest.raises(MeasureError, match=r"no query has more than 6 documents, so its cut-off cuts none; .* below 6"):
            check()
    longer = [SmallQuery(np.arange(11.0), np.arange(1, 12.0) % 2)]
    with pytest.raises(AssertionError, match="by brute force"):
        check_evaluate(DeafToCutOff(), plain.ap(k=10), longer)


def test_the_checks_have_no_assert_which_python_may_leave_out() -> None:
    assert not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(inspect.getsource(testing))))


def test_a_query_that_changes_with_others_is_found() -> None:
    def shifted(values, scores):
        return values if values.size == 1 else np.roll(values, 1)

    with pytest.raises(AssertionError, match="among other queries"):
        check_evaluate(Wrong("AP", evaluate=shifted), plain.ap())


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda found, s: Lambdas(-found.gradient, found.hessian), "gradient"),
        (lambda found, s: Lambdas(2 * found.gradient, found.hessian), "gradient"),
        (lambda found, s: Lambdas(found.gradient, 0.5 * found.hessian), "hessian"),
    ],
)
def test_wrong_lambdas_are_found(change, fault: str) -> None:
    with pytest.raises(AssertionError, match=f"wrong AP: the {fault} is"):
        check_lambdas(Wrong("AP", lambdas=change))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda found, s: Violation(0 * found.coefficients, 0 * found.losses), "below the loss of the ranking by score"),
        (lambda found, s: Violation(found.coefficients - s, found.losses), "slack"),
    ],
)
def test_wrong_violations_are_found(change, fault: str) -> None:
    with pytest.raises(AssertionError, match=f"wrong AP: the .*{fault}"):
        check_most_violated(Wrong("AP", most_violated=change), exact=False)


def test_a_bound_that_is_too_high_is_not_exact() -> None:
    def looser(found, scores):
        return found._replace(losses=found.losses + 0.1 * (found.losses + np.abs(found.coefficients).sum() > 0))

    queries = [q for q in small_queries((0, 1)) if bind(parse("AP"), q.grades, np.array([0, q.grades.size])).informative[0]]
    with pytest.raises(AssertionError, match="the slack is"):
        check_most_violated(Wrong("AP", most_violated=looser), queries)


def test_queries_are_small_and_the_same_in_every_run() -> None:
    first, second = small_queries(unranked=True), small_queries(unranked=True)
    sizes = [query.grades.size for query in first]
    assert sizes == sorted(sizes) and set(sizes) == set(range(1, 7))
    assert any(np.isinf(query.scores).any() for query in first)
    assert any(np.unique(query.scores).size < query.scores.size for query in first)
    for mine, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(mine.scores, other.scores)
        np.testing.assert_array_equal(mine.grades, other.grades)
