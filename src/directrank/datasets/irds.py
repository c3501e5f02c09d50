"""Collections of the ir_datasets library (extra ``irds``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ..data import InputError, Qrels


class Texts(NamedTuple):
    """Documents as an iterator, because they may not fit in memory; queries and judgments."""

    documents: Iterator[tuple[str, str | Mapping[str, str]]]
    queries: dict[str, str]
    qrels: Qrels


def from_ir_datasets(name: str) -> Texts:
    """The documents, queries and judgments of a collection, such as ``vaswani`` or ``beir/scifact/test``.

    ir_datasets downloads missing files, and gives instructions if a licence is required.
    """
    try:
        import ir_datasets
    except ImportError as error:
        raise InputError("this collection needs ir_datasets: pip install 'directrank[irds]'") from error
    try:
        found = ir_datasets.load(name)
    except KeyError as error:
        raise InputError(f"ir_datasets has no collection {name!r}; see https://ir-datasets.com for their names") from error
    for part in ("docs", "queries", "qrels"):
        if not getattr(found, f"has_{part}")():
            raise InputError(f"{name!r} has no {part}; choose a subset that has, such as {name}/train")
    judged = list(_fetched(name, "judgments", found.qrels_iter))
    return Texts(
        ((document.doc_id, document.default_text()) for document in _fetched(name, "documents", found.docs_iter)),
        {query.query_id: query.default_text() for query in _fetched(name, "queries", found.queries_iter)},
        Qrels(
            [judgment.query_id for judgment in judged],
            [judgment.doc_id for judgment in judged],
            [judgment.relevance for judgment in judged],
        ),
    )


def _fetched(name: str, part: str, iterate: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Iterate over a part of a collection; a failure of ir_datasets, which has many kinds, becomes an `InputError`."""
    try:
        yield from iterate()
    except Exception as error:
        reason = (str(error).strip().splitlines() or ["no reason given"])[0][:200]
        raise InputError(f"ir_datasets failed to read the {part} of {name!r}: {type(error).__name__}: {reason}") from error
