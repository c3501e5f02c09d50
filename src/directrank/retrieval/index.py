"""An inverted index of text: which term is in which document how often."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..data import InputError
from ..data.ranking_data import as_docno
from .analysis import Analyser, Tokeniser, as_analyser, is_known
from .names import Names

Small = NDArray[np.int32]
Counts = NDArray[np.unsignedinteger]

_FORMAT = "directrank text index, version 1"
_ARRAYS = ("starts", "documents", "counts", "lengths")


class Query(NamedTuple):
    """The terms of a query that an index knows, and how often each is in the query.

    Attributes
    ----------
    terms : int64 array
        Numbers of terms, without repetition.
    counts : float64 array
    """

    terms: Ints
    counts: Floats


class TextIndex:
    """Documents as bags of terms, inverted; made by `build`, or opened from a folder by `open`.

    Attributes
    ----------
    docnos : sequence of str
    terms : Names
        Sorted.
    starts : int64 array
        Postings ``starts[t]:starts[t + 1]`` are those of term t.
    documents, counts : int32 array, array of the narrowest unsigned integers
        Of each posting, the document's number and how often the term is in it.
    lengths : int64 array
        How many terms each document has.
    analyser : Analyser

    Examples
    --------
    >>> index = TextIndex.build([("a", "a cat and a dog"), ("b", "the cat")], analyser="plain")
    >>> index.n_documents, index.n_terms, index.frequency("cat"), index.frequency("cow")
    (2, 5, 2, 0)
    """

    def __init__(
        self, docnos: Names, terms: Names, starts: Ints, documents: Small, counts: Counts, lengths: Ints, analyser: Analyser
    ) -> None:
        self.docnos, self.terms, self.analyser = docnos, terms, analyser
        self.starts, self.documents, self.counts, self.lengths = starts, documents, counts, lengths
        self.document_frequencies = np.diff(starts)
        self.collection_frequencies = _sums(counts, starts)

    @classmethod
    def build(
        cls,
        documents: Iterable[tuple[str, str | Mapping[str, str]]],
        analyser: str | Tokeniser | Analyser = "porter+stop",
        *,
        fields: Sequence[str] | None = None,
    ) -> Self:
        """Index documents.

        Parameters
        ----------
        documents : iterable of (docno, text), or of (docno, fields)
            Texts of any script; empty ones count as documents. A document of fields is their texts one after another.
        analyser : str or callable
            "plain", "porter" or "porter+stop"; or a function from a text to its terms.
        fields : sequence of str, optional
            Which fields to take; all by default.
        """
        return cls.build_all(documents, (analyser,), fields=fields)[0]

    @classmethod
    def build_all(
        cls,
        documents: Iterable[tuple[str, str | Mapping[str, str]]],
        analysers: Sequence[str | Tokeniser | Analyser] = ("plain", "porter", "porter+stop"),
        *,
        fields: Sequence[str] | None = None,
    ) -> list[Self]:
        """An index for each of several analysers that split text in the same way; the documents are read once."""
        chosen = [as_analyser(analyser) for analyser in analysers]
        if len({analyser.split for analyser in chosen}) != 1:
            raise InputError("these analysers split text in different ways; build an index for each")
        words = _read(documents, chosen[0].split, fields)
        return [cls._of_words(*words, analyser) for analyser in chosen]

    @classmethod
    def _of_words(cls, docnos: Names, found: list[str], tokens: Small, lengths: Ints, analyser: Analyser) -> Self:
        """From every word of every document, numbered by first appearance, to the postings of sorted terms."""
        reduced = analyser.reduce(found)
        terms = sorted({term for term in reduced if term is not None}, key=str.encode)
        number = {term: i for i, term in enumerate(terms)}
        term_of = np.array([-1 if term is None else number[term] for term in reduced], np.int32)
        document = np.repeat(np.arange(lengths.size, dtype=np.int32), lengths)
        tokens = term_of[tokens] if tokens.size else tokens
        kept = tokens >= 0
        starts, documents, counts = _invert(tokens[kept], document[kept], len(terms))
        counts = counts.astype(np.min_scalar_type(int(counts.max(initial=0))))
        lengths = np.bincount(document[kept], minlength=lengths.size).astype(np.int64)
        return cls(docnos, Names.of(terms), starts, documents, counts, lengths, analyser)

    @property
    def n_documents(self) -> int:
        return int(self.lengths.size)

    @property
    def n_terms(self) -> int:
        return len(self.terms)

    @property
    def n_tokens(self) -> int:
        """How many terms all documents have together."""
        return int(self.lengths.sum())

    @cached_property
    def docno_array(self) -> NDArray[Any]:
        """The docnos as an array of strings; made once."""
        return as_docno(list(self.docnos), self.n_documents)

    def frequency(self, term: str) -> int:
        """In how many documents a term is."""
        t = self.terms.find(term)
        return int(self.document_frequencies[t]) if t >= 0 else 0

    def query(self, text: str) -> Query:
        """A query's terms; those that no document has are left out."""
        return self.queries([text])[0]

    def queries(self, texts: Iterable[str]) -> list[Query]:
        """The terms of many queries."""
        bags = [Counter(self.analyser(text)) for text in texts]
        number = {term: self.terms.find(term) for term in set().union(*bags)}
        return [_known(bag, number) for bag in bags]

    def matrix(self) -> Any:
        """Documents x terms, how often each is in each, as a SciPy CSC array."""
        from scipy import sparse

        return sparse.csc_array(
            (self.counts.astype(np.int32), self.documents, self.starts), shape=(self.n_documents, self.n_terms)
        )

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the index to a folder, which is replaced only when the new one is whole."""
        target = Path(folder)
        if target.exists() and not (target / "index.json").exists() and not _is_empty(target):
            raise InputError(f"{target} exists and is not an index; choose another folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        try:
            for name in _ARRAYS:
                np.save(made / f"{name}.npy", getattr(self, name))
            self.docnos.save(made, "docnos")
            self.terms.save(made, "terms")
            about = {"format": _FORMAT, "analyser": self.analyser.name if is_known(self.analyser) else "own"}
            (made / "index.json").write_text(json.dumps(about))
            umask = os.umask(0)
            os.umask(umask)
            made.chmod(0o777 & ~umask)  # a temporary folder is nobody else's to read
            if target.exists():
                shutil.rmtree(target)
            made.rename(target)
        finally:
            shutil.rmtree(made, ignore_errors=True)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], analyser: Tokeniser | None = None) -> Self:
        """Open an index that `save` wrote; its arrays are mapped, not read.

        Parameters
        ----------
        analyser : callable, optional
            The function that it was built with, if it was one's own.
        """
        folder = Path(folder)
        try:
            about = json.loads((folder / "index.json").read_text())
        except (OSError, ValueError) as error:
            raise InputError(f"{folder} is not a text index: {error}") from error
        if about.get("format") != _FORMAT:
            raise InputError(f"{folder} is a {about.get('format')!r}, not a {_FORMAT!r}")
        if about["analyser"] == "own" and analyser is None:
            raise InputError(f"{folder} was built with an analyser of one's own; give it as analyser=")
        starts, posted, counts, lengths = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS)
        docnos, terms = Names.open(folder, "docnos"), Names.open(folder, "terms")
        return cls(docnos, terms, starts, posted, counts, lengths, as_analyser(analyser or about["analyser"]))


def _read(
    documents: Iterable[tuple[str, str | Mapping[str, str]]], split: Tokeniser, fields: Sequence[str] | None
) -> tuple[Names, list[str], Small, Ints]:
    """The docnos, the different words by first appearance, the number of each word of the text, and each length."""
    docnos: list[str] = []
    vocabulary: dict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__  # type: ignore[attr-defined]
    number, parts = vocabulary.__getitem__, []
    for docno, content in documents:
        found = split(_text(docno, content, fields))
        docnos.append(str(docno))
        parts.append(np.fromiter(map(number, found), np.int32, len(found)))
    _refuse_twice(docnos)
    lengths = np.array([part.size for part in parts], np.int64)
    tokens = np.concatenate(parts) if parts else np.empty(0, np.int32)
    return Names.of(docnos), list(vocabulary), tokens, lengths


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _text(docno: str, content: str | Mapping[str, str], fields: Sequence[str] | None) -> str:
    if isinstance(content, str):
        return content
    try:
        return "\n".join(content[field] for field in (content if fields is None else fields))
    except (KeyError, TypeError) as error:
        raise InputError(f"document {docno!r} must be a text or have the fields asked for: {error!r}") from error


def _refuse_twice(docnos: list[str]) -> None:
    if len(set(docnos)) < len(docnos):
        twice, _ = Counter(docnos).most_common(1)[0]
        raise InputError(f"document {twice!r} is there twice; every docno must be different")


def _known(bag: Counter[str], number: dict[str, int]) -> Query:
    found = sorted((number[term], count) for term, count in bag.items() if number[term] >= 0)
    return Query(np.array([t for t, _ in found], np.int64), np.array([count for _, count in found], np.float64))


def _sums(counts: Counts, starts: Ints) -> Ints:
    """The sum of the counts of each term."""
    totals = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    return totals[starts[1:]] - totals[starts[:-1]]


@njit(cache=True)
def _invert(tokens, documents, n_terms):  # type: ignore[no-untyped-def]
    """Postings of each term by rising document, from the term and the document of each token, documents rising."""
    ends = np.zeros(n_terms + 1, np.int64)
    last = np.full(n_terms, -1, np.int32)
    for k in range(tokens.size):  # how many different documents each term has
        if last[tokens[k]] != documents[k]:
            last[tokens[k]] = documents[k]
            ends[tokens[k] + 1] += 1
    starts = np.cumsum(ends)
    posted, counts = np.empty(starts[-1], np.int32), np.zeros(starts[-1], np.int32)
    place = starts[:-1] - 1
    last[:] = -1
    for k in range(tokens.size):
        term = tokens[k]
        if last[term] != documents[k]:
            last[term] = documents[k]
            place[term] += 1
            posted[place[term]] = documents[k]
        counts[place[term]] += 1
    return starts, posted, counts
