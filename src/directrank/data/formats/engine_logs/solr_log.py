"""The features that Solr's ``[features]`` transformer logs into search responses, as JSON or CSV.

With ``fl=id,qid:[value v=7],fv:[features store=mine efi.text=...]``, each document of the response has::

    {"id": "1370", "qid": "7", "fv": "titleBM25=9.51,bodyBM25=10.78"}

Without the alias ``fv`` the field is named ``[features]``. The default format ``dense`` lists every feature, with ``NaN``
for a feature without a value whose ``defaultValue`` is NaN. The format ``sparse`` omits features that have their default
value, which is 0 unless declared otherwise.

References
----------
Solr Reference Guide, "Learning To Rank" and "Document Transformers"; ``CSVFeatureLogger`` in its source.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import InputError
from .logged_hits import LoggedHit, as_id, named, shortened, within

_FIELDS = ("[features]", "fv")

#: Characters that show that a name has swallowed a value, by the separator of names and values.
_NO_NAME = {"=": re.compile(r"[\s=,;]"), ":": re.compile(r"[\s=,;:]")}


def solr_hits(response: dict[str, Any], log: str | None, where: str) -> Iterator[LoggedHit]:
    """Hits of a JSON response, with qid as a field of each document or of the response."""
    _check_complete(response, where)
    documents = within(response, "response", "docs")
    if not isinstance(documents, list):
        raise InputError(f"{where}: the response has no response.docs; log what /select returns, whole and not grouped")
    for document in documents:
        if not isinstance(document, dict):
            raise InputError(f"{where}: a document must be an object, not {shortened(document)}")
        yield _hit(document, response.get("qid"), log, where)


def is_log_header(row: list[str], log: str | None = None) -> bool:
    """Whether a row of CSV is the header of a response with logged features."""
    return "id" in row and any(field in row for field in _fields(log))


def solr_csv_hits(lines: Iterable[str], start: int, log: str | None, path: str) -> Iterator[tuple[LoggedHit, str]]:
    """Hits of concatenated CSV responses, each with its location."""
    rows = csv.reader(lines, strict=True)
    header: list[str] = []
    while True:
        where = f"{path}:{start + rows.line_num}"
        try:
            row = next(rows, None)
        except csv.Error as error:
            what = str(error).split(" - ")[0]
            raise InputError(f"{where}: not a row of CSV, {what}; log this query again with wt=csv") from error
        if row is None:
            return
        if not row:
            continue
        if is_log_header(row, log):
            header = row
            continue
        if not header:
            wanted = " or ".join(_fields(log))
            raise InputError(f"{where}: expected JSON, or CSV with a header line that names id and {wanted}")
        if len(row) != len(header):
            raise InputError(f"{where}: the row has {len(row)} cells, and its header has {len(header)}")
        yield _hit(dict(zip(header, row, strict=True)), None, log, where), where


def _hit(document: dict[str, Any], outer_qid: Any, log: str | None, where: str) -> LoggedHit:
    if "id" not in document:
        raise InputError(f"{where}: a document has no id; add id to fl, or id:KEY if the unique key has another name")
    docno = as_id(document["id"], "the id of a document", where)
    qid = _query_of(document.get("qid"), outer_qid, where)
    place = f"{where}: {named(docno, qid)}"
    names, values = _vector(_logged(document, log, place), place)
    return LoggedHit(qid, docno, names, values)


def _query_of(inner: Any, outer: Any, where: str) -> str:
    if inner is None and outer is None:
        raise InputError(f"{where}: a document does not say its query; add qid:[value v=7] to fl")
    qids = {as_id(qid, "qid", where) for qid in (inner, outer) if qid is not None}
    if len(qids) > 1:
        raise InputError(f"{where}: a document has the qid {inner!r}, and its response {outer!r}; keep one of the two")
    return qids.pop()


def _logged(document: dict[str, Any], log: str | None, where: str) -> Any:
    fields = [field for field in _fields(log) if field in document]
    if not fields:
        raise InputError(f"{where} has no {' or '.join(_fields(log))}; add fv:[features store=NAME] to fl")
    if len(fields) > 1:
        raise InputError(f"{where} has several logs, {' and '.join(fields)}; choose one with log (--log)")
    return document[fields[0]]


def _fields(log: str | None) -> tuple[str, ...]:
    return _FIELDS if log is None else (log,)


def _vector(text: Any, where: str) -> tuple[tuple[str, ...], list[float]]:
    """Names and values of ``name=value,...``, or of ``name:value ...`` as in Solr's example of custom separators."""
    if not isinstance(text, str):
        raise InputError(f"{where}: its features must be a text of name=value,..., not {shortened(text)}")
    between, within_pair = (",", "=") if "=" in text else (" ", ":")
    pairs = [pair.rpartition(within_pair) for pair in text.split(between)] if text else []
    digits = [pair[2] for pair in pairs]
    try:
        if "_" in "".join(digits):  # which Python takes for a digit separator
            raise ValueError
        values = list(map(float, digits))
    except ValueError:
        raise InputError(
            f"{where}: its features must be name=value,..., each value a number, not {shortened(text)}"
        ) from None
    names = tuple([pair[0] for pair in pairs])
    if _NO_NAME[within_pair].search("".join(names)):
        odd = next(name for name in names if _NO_NAME[within_pair].search(name))
        raise InputError(
            f"{where} has a feature named {shortened(odd)}, with white space or a separator in it; separators other than "
            "Solr's = and , or those of its example, : and space (csvKeyValueDelimiter, csvFeatureSeparator), are not read"
        )
    return names, values


def _check_complete(response: dict[str, Any], where: str) -> None:
    status = within(response, "responseHeader", "status")
    if "error" in response or status:
        reason = within(response, "error", "msg") or response.get("error") or f"status {status}"
        raise InputError(f"{where}: the search failed, {shortened(reason)}; log this query again, or delete its response")
    if within(response, "responseHeader", "partialResults"):
        raise InputError(
            f"{where}: the search is not complete (partialResults); log this query again, or delete its response"
        )
