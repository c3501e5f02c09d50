"""The features that the learning-to-rank plugins of Elasticsearch and OpenSearch log into search responses.

With ``"ext": {"ltr_log": {"log_specs": {"name": "log_entry1", "named_query": ...}}}`` in the request, each hit has::

    "fields": {"_ltrlog": [{"log_entry1": [{"name": "title_bm25", "value": 9.51}, {"name": "body_bm25"}]}]}

A feature without a value did not match the document; with ``"missing_as_zero": true`` the engine logs 0 instead. An entry
``extra_logging`` holds an object logged by a feature's script, and is not a feature.

References
----------
The plugin's documentation, "Logging Feature Scores"; ``LoggingFetchSubPhase`` in its source.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import InputError
from .logged_hits import NAN, LoggedHit, as_id, named, shortened, within

_NUMBERS = {float, int}


def elasticsearch_hits(response: dict[str, Any], log: str | None, where: str) -> Iterator[LoggedHit]:
    """Hits of a ``_search`` response, or of an ``_msearch`` response, whose qid is a list."""
    if "responses" not in response:
        yield from _hits_of_search(response, response.get("qid"), log, where)
        return
    searches, qids = response["responses"], response.get("qid")
    if not isinstance(searches, list):
        raise InputError(f"{where}: responses must be a list, not {shortened(searches)}")
    if not isinstance(qids, list) or len(qids) != len(searches):
        raise InputError(
            f"{where}: the response of _msearch needs a list of {len(searches)} query ids, in the order of its searches; "
            """add it with jq -c '. + {qid: ["7", "8"]}'"""
        )
    for number, (search, qid) in enumerate(zip(searches, qids, strict=True), 1):
        yield from _hits_of_search(search, qid, log, f"{where}: search {number}")


def _hits_of_search(search: Any, qid: Any, log: str | None, where: str) -> Iterator[LoggedHit]:
    _check_complete(search, where)
    hits = within(search, "hits", "hits")
    if not isinstance(hits, list):
        raise InputError(f"{where}: the response has no hits.hits; log what _search returns, whole")
    if qid is None:
        raise InputError(f"""{where}: the response does not say its query; add it with jq -c '. + {{qid: "7"}}'""")
    qid = as_id(qid, "qid", where)
    for hit in hits:
        docno = as_id(within(hit, "_id"), "the _id of a hit", where)
        place = f"{where}: {named(docno, qid)}"
        entries = _entries(hit, log, place)
        try:
            names = tuple([entry["name"] for entry in entries])
            values = [entry.get("value", NAN) for entry in entries]
            if not {*map(type, values)} <= _NUMBERS:
                names, values = _numbers_only(names, values)
        except (TypeError, KeyError, AttributeError, ValueError):
            what = 'its log must be a list of {"name": ..., "value": number}'
            raise InputError(f"{place}: {what}, not {shortened(entries)}") from None
        yield LoggedHit(qid, docno, names, values)


def _check_complete(search: Any, where: str) -> None:
    if within(search, "error") is not None:
        reason = within(search, "error", "reason") or within(search, "error", "type") or search["error"]
        raise InputError(f"{where}: the search failed, {shortened(reason)}; log this query again, or delete its response")
    failed = within(search, "_shards", "failed")
    if within(search, "timed_out") or failed:
        what = f"{failed} of its shards failed" if failed else "it timed out"
        raise InputError(f"{where}: the search is not complete, {what}; log this query again, or delete its response")


def _entries(hit: dict[str, Any], log: str | None, where: str) -> Any:
    """The entries of one log for a hit."""
    logs = within(hit, "fields", "_ltrlog")
    if not isinstance(logs, list) or len(logs) != 1 or not isinstance(logs[0], dict):
        raise InputError(f"{where} has no fields._ltrlog; ask for it with ext.ltr_log in the request")
    known = ", ".join(map(repr, logs[0]))
    if log is not None:
        if log not in logs[0]:
            raise InputError(f"{where} has no log named {log!r}, only {known}; choose one of these with log (--log)")
        return logs[0][log]
    if len(logs[0]) != 1:
        raise InputError(f"{where} has several logs, {known}; choose one with log (--log)")
    return next(iter(logs[0].values()))


def _numbers_only(names: tuple[str, ...], values: list[Any]) -> tuple[tuple[str, ...], list[float]]:
    """Names and values without extra_logging, with null and strings such as "NaN" as numbers."""
    pairs = [
        (name, value)
        for name, value in zip(names, values, strict=True)
        if name != "extra_logging" or not isinstance(value, dict)
    ]
    return tuple(name for name, _ in pairs), [_number(value) for _, value in pairs]


def _number(value: Any) -> float:
    if value is None or value == "NaN":
        return NAN
    if value in ("Infinity", "-Infinity"):
        return float(value)
    if type(value) not in _NUMBERS:
        raise TypeError
    return float(value)
