"""Collections of the ir_datasets library (extra ``irds``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..data import InputError, Qrels


class Texts(NamedTuple):
    """Documents one after another, for they may not fit in memory; queries and judgments."""

    documents: Iterator[tuple[str, str]]
    queries: dict[str, str]
    qrels: Qrels


def from_ir_datasets(name: str) -> Texts:
    """The documents, queries and judgments of a collection, such as ``vaswani`` or ``beir/scifact/test``.

    ir_datasets fetches what is not on the machine, and says what to do where a licence is needed.
    """
    try:
        import ir_datasets
    except ImportError as error:
        raise InputError("collections of ir_datasets need it: pip install 'directrank[irds]'") from error
    try:
        found = ir_datasets.load(name)
    except KeyError as error:
        raise InputError(f"ir_datasets has no collection {name!r}") from error
    for part in ("docs", "queries", "qrels"):
        if not getattr(found, f"has_{part}")():
            raise InputError(f"{name!r} has no {part}; name a part of it that has, such as {name}/train")
    judged = list(_fetched(name, found.qrels_iter))
    return Texts(
        ((document.doc_id, document.default_text()) for document in _fetched(name, found.docs_iter)),
        {query.query_id: query.default_text() for query in _fetched(name, found.queries_iter)},
        Qrels(
            [judgment.query_id for judgment in judged],  # type: ignore[arg-type]
            [judgment.doc_id for judgment in judged],  # type: ignore[arg-type]
            [judgment.relevance for judgment in judged],  # type: ignore[arg-type]
        ),
    )


def _fetched(name: str, iterate: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """What an iterator of ir_datasets gives; it may fail while it fetches, in many ways."""
    try:
        yield from iterate()
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise InputError(f"ir_datasets could not fetch {name!r}: {reason}") from error
