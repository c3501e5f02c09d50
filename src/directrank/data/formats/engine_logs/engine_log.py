"""Feature logs of Elasticsearch, OpenSearch and Solr: reading them and joining them with judgments.

A file has JSON responses, one per line or pretty-printed, or CSV responses of Solr; plain or gzip. Responses do not identify
their query, so a field ``qid`` must be added.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import Ints
from ...checked_arrays import as_features
from ...errors import InputError, InputWarning
from ...feature_names import as_feature_names
from ...io.files import PathLike, text_lines
from ...ranking_data import RankingData
from ...strings import STRING
from ..trec.joining import judged_rows
from ..trec.runs_and_qrels import Qrels, QueryDocuments
from .elasticsearch_log import elasticsearch_hits
from .json_values import json_values
from .logged_hits import NAN, HitCollector, LoggedHit, shortened
from .solr_log import solr_csv_hits, solr_hits

Engine = Literal["Elasticsearch", "Solr"]

#: Solr's default value of a feature.
_SOLR_DEFAULT = 0.0

_LARGEST = float(np.finfo(np.float32).max)

#: Start of a list of objects, unlike a CSV header with the field [features].
_JSON_LIST = re.compile(r"\s*\[\s*(?:\{|$)")


@dataclass(frozen=True, eq=False, init=False)
class EngineLog(QueryDocuments):
    """Features that a search engine logged for the documents it returned.

    Attributes
    ----------
    qid, docno : arrays of strings
    X : float32 array, rows x features
        Engines compute features in single precision and write enough digits to identify them, so these are the values that a
        model sees in the engine. If more digits are written, the last bit may differ by double rounding.
    feature_names : list of str
        Features of all responses, by first appearance.
    engine : {"Elasticsearch", "Solr"}
        OpenSearch logs as Elasticsearch does.
    n_left_out, n_nan : integer arrays
        Number of features of each document that the engine left out, and that Solr logged as NaN.
    """

    X: NDArray[np.float32]
    feature_names: list[str]
    engine: Engine
    n_left_out: Ints
    n_nan: Ints

    def __init__(
        self,
        qid: ArrayLike,
        docno: ArrayLike,
        X: ArrayLike,
        feature_names: Sequence[str],
        engine: Engine,
        n_left_out: Ints,
        n_nan: Ints,
    ) -> None:
        super().__init__(qid, docno)
        features = as_features(X)
        vars(self).update(X=features, feature_names=as_feature_names(feature_names, features.shape[1]))
        vars(self).update(engine=engine, n_left_out=n_left_out, n_nan=n_nan)


def read_engine_log(
    paths: PathLike | Iterable[PathLike],
    *,
    log: str | None = None,
    missing: float | None = None,
    max_size: int | None = None,
) -> EngineLog:
    """Read the features that Elasticsearch or OpenSearch (``_ltrlog``) or Solr (``[features]``) logged into responses.

    A document that is returned twice for a query is kept once, with the features of both; two values for a feature are an
    error, and so are responses that failed, timed out or lack the results of a shard.

    Parameters
    ----------
    paths : path, or several of the same engine
        Each is read once, from its start to its end, so it may be a pipe.
    log : str, optional
        Name of the log, if responses have several: a log spec in Elasticsearch, a field in Solr.
    missing : number, optional
        Value for features that were not logged. By default NaN for Elasticsearch; for Solr 0 for a feature that is left out,
        as default values are in the format ``sparse``, and NaN where Solr writes NaN.
    max_size : int, optional
        Maximum number of bytes to read from a file, after decompression.

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
    files = _as_paths(paths)
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
    """Join logged features with judgments into ranking data of the judged queries.

    Parameters
    ----------
    log : EngineLog
    qrels : Qrels
    unjudged : number or "drop"
        Grade of documents that were not judged, by default 0 as in trec_eval; "drop" leaves them out.
    """
    if not isinstance(log, EngineLog):
        raise InputError(f"log must be an EngineLog, not {type(log).__name__}; read_engine_log reads one from files")
    rows, y, qid = judged_rows(log, qrels, unjudged)
    return RankingData(log.X[rows], y, qid, log.docno[rows], log.feature_names)


def _as_paths(paths: Any) -> list[PathLike]:
    several = isinstance(paths, Iterable) and not isinstance(paths, (str, bytes, bytearray)) and not hasattr(paths, "read")
    files: list[Any] = list(paths) if several else [paths]
    if not files:
        raise InputError("there are no logs to read; name at least one file")
    for file in files:
        if not isinstance(file, (str, os.PathLike)):
            raise InputError(f"paths must be a path or several, each a string or os.PathLike, not {type(file).__name__}")
    return files


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
    n_logged, n_nan = collector.counts()
    _warn_of_documents_without_features(collector, np.flatnonzero(n_logged == 0))
    n_left_out = len(collector.columns) - n_logged
    if engine == "Elasticsearch":  # which names a feature that it leaves out
        n_left_out, n_nan = n_left_out + n_nan, np.zeros_like(n_nan)
    X = collector.matrix(_SOLR_DEFAULT if engine == "Solr" and missing is None else NAN)
    if missing is not None:
        X[np.isnan(X)] = missing
    qid, docno = (np.array(ids, STRING) for ids in zip(*collector.rows, strict=True))
    return EngineLog(qid, docno, X, list(collector.columns), engine, n_left_out, n_nan)


def _warn_of_documents_without_features(collector: HitCollector, rows: Ints) -> None:
    if rows.size:
        others = f", nor have {rows.size - 1:,} other documents" if rows.size > 1 else ""
        warnings.warn(f"{collector.place(int(rows[0]))} has no feature at all{others}", InputWarning, stacklevel=4)


def _hits(path: PathLike, log: str | None, max_size: int | None) -> Iterator[tuple[Engine, LoggedHit, str]]:
    lines = text_lines(path, max_size)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if _JSON_LIST.match(line):
            what = "a response must be a JSON object, and this is a list; write each of them in a line with jq -c '.[]'"
            raise InputError(f"{path}:{number}: {what}")
        if line.lstrip().startswith("{"):
            for value, at in json_values(chain([line], lines), number, path):
                yield from _hits_of_response(value, log, f"{path}:{at}")
                del value
        else:
            for hit, where in solr_csv_hits(chain([line], lines), number, log, str(path)):
                yield "Solr", hit, where
        return
    raise InputError(f"{path}: the file has no responses")


def _hits_of_response(response: Any, log: str | None, where: str) -> Iterator[tuple[Engine, LoggedHit, str]]:
    if not isinstance(response, dict):
        raise InputError(f"{where}: a response must be a JSON object, not {shortened(response)}; write one in a line")
    if "response" in response or "responseHeader" in response:
        for hit in solr_hits(response, log, where):
            yield "Solr", hit, where
    elif "hits" in response or "responses" in response or "error" in response:
        for hit in elasticsearch_hits(response, log, where):
            yield "Elasticsearch", hit, where
    else:
        raise InputError(f"{where}: this is no search response: it has none of hits, responses and response")
