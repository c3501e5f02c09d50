"""Search responses with logged features, of Elasticsearch, OpenSearch or Solr, and joining them with judgments.

A file has JSON responses, one in a line or each laid out over several lines, or CSV responses of Solr; plain or gzip.
The engines do not say which query a response belongs to, so a field ``qid`` must.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..bytes.files import PathLike, text_lines
from ..errors import InputError, InputWarning
from ..feature_names import as_feature_names
from ..ranking_data import RankingData, as_features
from ..strings import STRING
from .elasticsearch_log import hits_of_elasticsearch
from .logged_hits import NAN, HitCollector, LoggedHit, shortened
from .solr_log import hits_of_solr, hits_of_solr_csv
from .trec import Qrels, QueryDocuments, judged_rows

Engine = Literal["Elasticsearch", "Solr"]

#: What a feature of Solr is unless it is declared otherwise.
_SOLR_DEFAULT = 0.0

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class EngineLog(QueryDocuments):
    """The features that a search engine logged of the documents it returned.

    Attributes
    ----------
    qid, docno : arrays of strings
    X : float32 array, rows x features
        The engines compute features in single precision and write digits enough to tell them apart, so these are the very
        numbers that a model will see in the engine.
    feature_names : list of str
        Of all responses, in the order of their first appearance.
    engine : {"Elasticsearch", "Solr"}
        OpenSearch logs as Elasticsearch does.
    n_missing : int
        How many values the engine left out or logged as NaN, whatever they are in X.
    """

    X: NDArray[np.float32]
    feature_names: list[str]
    engine: Engine
    n_missing: int

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "X", as_features(self.X))
        object.__setattr__(self, "feature_names", as_feature_names(self.feature_names, self.X.shape[1]))


def read_engine_log(
    paths: PathLike | Iterable[PathLike],
    *,
    log: str | None = None,
    missing: float | None = None,
    max_size: int | None = None,
) -> EngineLog:
    """Read the features that Elasticsearch or OpenSearch (``_ltrlog``) or Solr (``[features]``) logged into responses.

    A document that is returned twice for a query is kept once, and refused if its features differ. Responses that failed,
    timed out or lack the results of a shard are refused.

    Parameters
    ----------
    paths : path, or several of the same engine
        Each is read once, from its start to its end, so it may be a pipe.
    log : str, optional
        Which log, if the responses have several: the name of a log spec in Elasticsearch, the name of a field in Solr.
    missing : number, optional
        What a feature without a value is, 0 for example. By default NaN in Elasticsearch; in Solr, 0 for a feature that is
        left out, as the format ``sparse`` does with default values, and NaN where Solr writes NaN.
    max_size : int, optional
        The most bytes to read of a file, decompressed.

    Examples
    --------
    >>> import json, pathlib
    >>> features = [{"name": "bm25", "value": 9.5}, {"name": "clicks"}]
    >>> hit = {"_id": "a", "fields": {"_ltrlog": [{"main": features}]}}
    >>> _ = pathlib.Path("log.jsonl").write_text(json.dumps({"qid": "7", "hits": {"hits": [hit]}}))
    >>> log = read_engine_log("log.jsonl")
    >>> log.feature_names, log.X.tolist()
    (['bm25', 'clicks'], [[9.5, nan]])
    """
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not files:
        raise InputError("there are no logs to read; name at least one file")
    if missing is not None:
        missing = _as_single(missing)
    collector = HitCollector()
    engine: Engine | None = None
    for path in files:
        for found, hit, where in _hits(path, log, max_size):
            if engine not in (None, found):
                raise InputError(f"{where}: this is a response of {found}, and those before are {engine}'s; read them apart")
            engine = found
            collector.add(hit, where)
    return _as_log(collector, engine, missing, files)


def join_log(log: EngineLog, qrels: Qrels, *, unjudged: float | Literal["drop"] = 0.0) -> RankingData:
    """Ranking data of the logged documents of judged queries, with their logged features and their grades.

    Parameters
    ----------
    log : EngineLog
    qrels : Qrels
    unjudged : number or "drop"
        The grade of documents that were not judged, by default 0 as in trec_eval; "drop" leaves them out.
    """
    if not isinstance(log, EngineLog):
        raise InputError(f"log must be an EngineLog, not {type(log).__name__}; read_engine_log reads one from files")
    rows, y, qid = judged_rows(log, qrels, unjudged)
    return RankingData(log.X[rows], y, qid, log.docno[rows], log.feature_names)


def _as_single(missing: Any) -> float:
    if isinstance(missing, bool) or not isinstance(missing, (int, float, np.integer, np.floating)):
        raise InputError(f"missing must be a number, not {missing!r}")
    number: Any = missing
    if abs(number) > _LARGEST:
        raise InputError(f"missing must be a number of single precision, or NaN, not {shortened(number)}")
    return float(number)


def _as_log(collector: HitCollector, engine: Engine | None, missing: float | None, files: list[PathLike]) -> EngineLog:
    where = ", ".join(map(str, files))
    if engine is None:
        raise InputError(f"{where}: the responses have no hits at all")
    if not collector.columns:
        raise InputError(f"{where}: no document has any feature; check the feature set or store that the request names")
    if collector.without_features:
        first, others = collector.without_features[0], len(collector.without_features) - 1
        warnings.warn(
            f"{first} has no feature at all" + (f", nor have {others:,} other documents" if others else ""),
            InputWarning,
            stacklevel=3,
        )
    X = collector.matrix(NAN)
    n_missing = int(np.count_nonzero(np.isnan(X)))
    if n_missing and missing is not None:
        X[np.isnan(X)] = missing
    elif n_missing and engine == "Solr":
        X = collector.matrix(_SOLR_DEFAULT)
    qid, docno = (np.array(ids, STRING) for ids in zip(*collector.rows, strict=True))
    return EngineLog(qid, docno, X, list(collector.columns), engine, n_missing)


def _hits(path: PathLike, log: str | None, max_size: int | None) -> Iterator[tuple[Engine, LoggedHit, str]]:
    lines = text_lines(path, max_size)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if line.lstrip()[0] not in "{[":
            for hit, where in hits_of_solr_csv(chain([line], lines), number, log, str(path)):
                yield "Solr", hit, where
        else:
            for value, at in _json_values(line, lines, number, path):
                yield from _hits_of_response(value, log, f"{path}:{at}")
                del value
        return
    raise InputError(f"{path}: the file has no responses")


def _hits_of_response(response: Any, log: str | None, where: str) -> Iterator[tuple[Engine, LoggedHit, str]]:
    if not isinstance(response, dict):
        raise InputError(f"{where}: a response must be a JSON object, not {shortened(response)}; write one in a line")
    if "response" in response or "responseHeader" in response:
        for hit in hits_of_solr(response, log, where):
            yield "Solr", hit, where
    elif "hits" in response or "responses" in response or "error" in response:
        for hit in hits_of_elasticsearch(response, log, where):
            yield "Elasticsearch", hit, where
    else:
        raise InputError(f"{where}: this is no search response: it has none of hits, responses and response")


def _json_values(first: str, rest: Iterator[str], number: int, path: PathLike) -> Iterator[tuple[Any, int]]:
    """Each JSON value and the line in which it starts: one in a line, or, if the first goes on, anywhere."""
    try:
        yield json.loads(first), number
    except (ValueError, RecursionError):
        yield from _spread_values(first + "".join(rest), number, path)
        return
    for at, line in enumerate(rest, number + 1):
        if line.strip():
            yield _value(line, at, path), at  # in no variable, so that it is gone before the next is read


def _value(line: str, number: int, path: PathLike) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _not_json(path, number, error) from error


def _spread_values(text: str, number: int, path: PathLike) -> Iterator[tuple[Any, int]]:
    decoder = json.JSONDecoder()
    at = counted = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        number, counted = number + text.count("\n", counted, at), at
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            wrong = error.pos if isinstance(error, json.JSONDecodeError) else at
            raise _not_json(path, number + text.count("\n", counted, wrong), error) from error
        yield value, number


def _not_json(path: PathLike, line: int, error: Exception) -> InputError:
    what = "nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", error)
    return InputError(f"{path}:{line}: not valid JSON ({what}); log this query again, or delete its response")
