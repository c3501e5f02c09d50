"""Click models by enumeration of all that a user may do: slow and obvious."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from directrank.clicks.click_log import ClickLog


class Document(NamedTuple):
    """Parameters of a document in a session, and whether it was clicked."""

    attractiveness: float
    satisfaction: float
    perseverance: float
    clicked: bool = False


@dataclass
class Course:
    """One course of a session: a probability, and what happened at each document."""

    probability: float
    examined: list[bool]
    clicked: list[bool]
    satisfied: list[bool]
    went_on: list[bool]


def courses(session: Sequence[Document]) -> Iterator[Course]:
    """Every course of a session in a DBN: each document is attractive or not, satisfies or not, is passed or not."""
    for choices in product([False, True], repeat=3 * len(session)):
        probability, is_there = 1.0, True
        course = Course(0.0, [], [], [], [])
        for i, document in enumerate(session):
            attractive, satisfied, goes_on = choices[3 * i : 3 * i + 3]
            for happens, p in zip((attractive, satisfied, goes_on), document[:3], strict=True):
                probability *= p if happens else 1 - p
            clicked = is_there and attractive
            course.examined.append(is_there)
            course.clicked.append(clicked)
            course.satisfied.append(clicked and satisfied)
            is_there = is_there and goes_on and not (clicked and satisfied)
            course.went_on.append(is_there)
        course.probability = probability
        yield course


def session_probability(session: Sequence[Document]) -> float:
    """Probability of the clicks of a session."""
    clicked = [document.clicked for document in session]
    return sum(course.probability for course in courses(session) if course.clicked == clicked)


def documents_of(log: ClickLog, session: int, pairs: Sequence[tuple[float, float, float]]) -> list[Document]:
    """Documents of a session, given the parameters of each pair of the log."""
    rows = range(log.offsets[session], log.offsets[session + 1])
    return [Document(*pairs[log.pair[row]], bool(log.clicked[row])) for row in rows]


def every_pattern(queries: Sequence[str], docnos: Sequence[str], ranks: Sequence[int]) -> ClickLog:
    """A log with one session for each of the 2^n patterns of clicks on the same documents."""
    patterns = np.array(list(product([0, 1], repeat=len(docnos))))
    n = len(patterns)
    session = np.repeat(np.arange(n), len(docnos))
    return ClickLog.from_arrays(session, np.tile(queries, n), np.tile(docnos, n), np.tile(ranks, n), patterns.ravel())


def random_log(seed: int, n_sessions: int, n_documents: int = 5, n_shown: int = 4, n_queries: int = 3) -> ClickLog:
    """Sessions of any length up to `n_shown`, with random documents, ranks and clicks."""
    random = np.random.default_rng(seed)
    rows = []
    for session in range(n_sessions):
        query, size = random.integers(n_queries), random.integers(1, n_shown + 1)
        docnos = random.choice(n_documents, size, replace=False)
        ranks = np.sort(random.choice(np.arange(1, n_shown + 2), size, replace=False))
        clicks = random.random(size) < 0.4
        rows += [(session, f"q{query}", f"d{d}", r, c) for d, r, c in zip(docnos, ranks, clicks, strict=True)]
    rows += [(n_sessions, "q0", "d0", 1, True), (n_sessions, "q0", "d1", 2, False)]  # whatever was drawn
    return ClickLog.from_arrays(*map(np.array, zip(*rows, strict=True)))


def simulated_log(seed: int, n_sessions: int, documents: Sequence[tuple[float, float, float]], n_shown: int) -> ClickLog:
    """Sessions of a DBN whose documents, of one query, are in random order."""
    random = np.random.default_rng(seed)
    order = np.argsort(random.random((n_sessions, len(documents))), axis=1)[:, :n_shown]
    parameters = np.array(documents)[order]
    happens = random.random(parameters.shape) < parameters
    clicked, is_there = np.zeros((n_sessions, n_shown), bool), np.ones(n_sessions, bool)
    for i in range(n_shown):
        attractive, satisfied, goes_on = happens[:, i].T
        clicked[:, i] = is_there & attractive
        is_there &= goes_on & ~(clicked[:, i] & satisfied)
    return ranked_log(order, clicked)


def ranked_log(documents: np.ndarray, clicked: np.ndarray, query: str = "q") -> ClickLog:
    """A log of one query with a session for each row of a table of documents."""
    n, size = documents.shape
    session, rank = np.repeat(np.arange(n), size), np.tile(np.arange(1, size + 1), n)
    return ClickLog.from_arrays(session, np.full(n * size, query), documents.ravel(), rank, clicked.ravel())


def by_docno(log: ClickLog, values: np.ndarray) -> np.ndarray:
    """Values of the pairs of a log of one query in the order of their documents."""
    return values[np.argsort(log.pairs.docno.tolist())]
