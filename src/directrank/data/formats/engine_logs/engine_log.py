"""Search responses with logged features, of Elasticsearch, OpenSearch or Solr, and joining them with judgments.

A file has JSON responses, one in a line or each laid out over several lines, or CSV responses of Solr; plain or gzip.
The engines do not say which query a response belongs to, so a field ``qid`` must.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ....arrays import Ints
from ...checked_arrays import as_features
from ...errors import InputError, InputWarning
from ...feature_names import as_feature_names
from ...io.files import PathLike, text_lines
from ...ranking_data import RankingData
from ...strings import STRING
from ..trec.joining import judged_rows
from ..trec.runs_and_qrels import Qrels, QueryDocuments
from .elasticsearch_log import hits_of_elasticsearch
from .json_values import json_values
from .logged_hits import NAN, HitCollector, LoggedHit, shortened
from .solr_log import hits_of_solr, hits_of_solr_csv

Engine = Literal["Elasticsearch", "Solr"]

#: What a feature of Solr is unless it is declared otherwise.
_SOLR_DEFAULT = 0.0

_LARGEST = float(np.finfo(np.float32).max)

#: The start of a list of objects, which a header line of CSV with the field [features] is not.
_JSON_LIST = re.compile(r"\s*\[\s*(?:\{|$)")


@dataclass(frozen=True, eq=False)
class EngineLog(QueryDocuments):
    """The features that a search engine logged of the documents it returned.

    Attributes
    ----------
    qid, docno : arrays of strings
    X : float32 array, rows x features
        The engines compute features in single precision and write digits enough to tell them apart, so these are the numbers
        that a model will see in the engine. Only where more digits are written can the last bit differ: such a number is
        rounded to double precision first and then to single.
    feature_names : list of str
        Of all responses, in the order of their first appearance.
    engine : {"Elasticsearch", "Solr"}
        OpenSearch logs as Elasticsearch does.
    n_left_out, n_nan : integer arrays
        How many features of each document the engine left out, and how many Solr logged as NaN, whatever they are in X.
    """

    X: NDArray[np.float32]
    feature_names: list[str]
    engine: Engine
    n_left_out: Ints
    n_nan: Ints

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

    A document that is returned twice for a query is kept once, with the features of both; it is refused if a feature has two
    values. Responses that failed, timed out or lack the results of a shard are refused.

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
            for hit, where in hits_of_solr_csv(chain([line], lines), number, log, str(path)):
                yield "Solr", hit, where
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
