"""Inverted indexes of text: term counts of documents."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..caching import cached_property
from ..core import index as kernels
from ..data import InputError
from ..data.checked_arrays import as_docno
from ..data.parsing.byte_strings import ByteStrings
from .analysis import Analyser, Tokeniser, as_analyser, is_known
from .common_terms import CommonTerms
from .index_files import damaged, read_index, write_index

Small = NDArray[np.int32]
Counts = NDArray[np.unsignedinteger]

#: The arrays of an index folder and their types.
_ARRAYS = {
    "starts": np.int64,
    "documents": np.int32,
    "counts": np.unsignedinteger,
    "lengths": np.int64,
    "docnos": np.uint8,
    "docnos_ends": np.int64,
    "terms": np.uint8,
    "terms_ends": np.int64,
}


class Query(NamedTuple):
    """The terms of a query that are in the index, with their counts in the query.

    Attributes
    ----------
    terms : int64 array
        Indices of the distinct terms.
    counts : float64 array
    """

    terms: Ints
    counts: Floats


class TextIndex:
    """An inverted index of documents as bags of terms, created by `build` or opened from a folder by `open`.

    Attributes
    ----------
    docnos : ByteStrings
    terms : ByteStrings
        In ascending order of their bytes.
    starts : int64 array
        Term t has the postings ``starts[t]:starts[t + 1]``.
    documents, counts : int32 array, array of the narrowest sufficient unsigned integers
        For each posting, the index of the document and the term's count in it.
    lengths : int64 array
        The number of tokens of each document.
    analyser : Analyser

    Examples
    --------
    >>> index = TextIndex.build([("a", "a cat and a dog"), ("b", "the cat")], analyser="plain")
    >>> index.n_documents, index.n_terms, index.frequency("cat"), index.frequency("cow")
    (2, 5, 2, 0)
    """

    def __init__(
        self,
        docnos: ByteStrings,
        terms: ByteStrings,
        starts: Ints,
        documents: Small,
        counts: Counts,
        lengths: Ints,
        analyser: Analyser,
    ) -> None:
        self.docnos, self.terms, self.analyser = docnos, terms, analyser
        self.starts, self.documents, self.counts, self.lengths = starts, documents, counts, lengths
        self._folder: Path | None = None  # set while the postings are unchecked

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
            Texts in any script; empty documents count. The fields of a document are joined.
        analyser : str or callable
            "plain", "porter", "porter+stop" or "porter+indri"; or a function that splits a text into terms.
        fields : sequence of str, optional
            The fields to index; all by default.
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
        """Build an index for each of several analysers that split text in the same way, reading the documents once."""
        chosen = [as_analyser(analyser) for analyser in analysers]
        if len({analyser.split for analyser in chosen}) != 1:
            raise InputError("these analysers split text in different ways; build their indexes one by one")
        words = _read(documents, chosen[0].split, fields)
        return [cls._from_words(*words, analyser) for analyser in chosen]

    @classmethod
    def _from_words(cls, docnos: ByteStrings, found: list[str], tokens: Small, lengths: Ints, analyser: Analyser) -> Self:
        """Invert documents given as `tokens`, indices into the words `found`."""
        reduced = analyser.reduce(found)
        terms = sorted({term for term in reduced if term is not None}, key=str.encode)
        number = {term: i for i, term in enumerate(terms)}
        term_of = np.array([-1 if term is None else number[term] for term in reduced], np.int32)
        document = np.repeat(np.arange(lengths.size, dtype=np.int32), lengths)
        tokens = term_of[tokens] if tokens.size else tokens
        kept = tokens >= 0
        starts, documents, counts = kernels.invert(tokens[kept], document[kept], len(terms))
        counts = counts.astype(np.min_scalar_type(int(counts.max(initial=0))))
        lengths = np.bincount(document[kept], minlength=lengths.size).astype(np.int64)
        return cls(docnos, ByteStrings.from_strings(terms), starts, documents, counts, lengths, analyser)

    @property
    def n_documents(self) -> int:
        return int(self.lengths.size)

    @property
    def n_terms(self) -> int:
        return len(self.terms)

    @property
    def n_tokens(self) -> int:
        """Number of tokens in all documents."""
        return int(self.lengths.sum())

    @cached_property
    def document_frequencies(self) -> Ints:
        """Number of documents that contain each term."""
        return np.diff(self.starts)

    @cached_property
    def collection_frequencies(self) -> Ints:
        """Number of occurrences of each term in all documents."""
        return kernels.sum_counts(self.counts, self.starts)  # type: ignore[no-any-return]

    @cached_property
    def common_terms(self) -> CommonTerms:
        """Bit vectors for looking up postings in long lists."""
        self.check_postings()
        return CommonTerms.from_postings(self.starts, self.documents, self.n_documents)

    @cached_property
    def docno_array(self) -> NDArray[Any]:
        """The docnos as an array of strings."""
        return as_docno(list(self.docnos), self.n_documents)

    def frequency(self, term: str) -> int:
        """Number of documents that contain a term."""
        t = int(self.terms.find_sorted([term])[0])
        return int(self.starts[t + 1] - self.starts[t]) if t >= 0 else 0

    def query(self, text: str) -> Query:
        """The terms of a query; terms that are in no document are left out."""
        return self.queries([text])[0]

    def queries(self, texts: Iterable[str]) -> list[Query]:
        """The terms of many queries."""
        words = [self.analyser.split(text) for text in texts]
        number = self._numbers(list({word for found in words for word in found}))
        offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
        tokens = np.fromiter(map(number.__getitem__, chain.from_iterable(words)), np.int64, offsets[-1])
        terms, counts, ends = kernels.count(tokens, offsets)
        return [Query(terms[a:b], counts[a:b]) for a, b in pairwise([0, *ends.tolist()])]

    def _numbers(self, words: list[str]) -> dict[str, int]:
        """Index of each word's term; -1 for stop words and terms that are in no document."""
        reduced = self.analyser.reduce(words)
        terms = [term for term in reduced if term is not None]
        number = dict(zip(terms, self.terms.find_sorted(terms).tolist(), strict=True))
        return {word: -1 if term is None else number[term] for word, term in zip(words, reduced, strict=True)}

    def matrix(self) -> Any:
        """Term counts, documents x terms, as a SciPy CSC array."""
        from scipy import sparse

        self.check_postings()
        return sparse.csc_array(
            (self.counts.astype(np.int32), self.documents, self.starts), shape=(self.n_documents, self.n_terms)
        )

    def check_postings(self) -> None:
        """Validate memory-mapped postings against the documents, once, before their first use."""
        if self._folder is not None:
            if not kernels.fits(self.starts, self.documents, self.counts, self.lengths):
                raise damaged(self._folder, "its postings do not fit the lengths of its documents")
            self._folder = None

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the index to a folder.

        An existing index is replaced once the new one is complete: a process killed at any moment leaves the old one
        intact, and the next `save` removes its leftovers. If several processes or threads save to the same folder, the last
        one to finish wins.
        """
        arrays = {name: getattr(self, name) for name in ("starts", "documents", "counts", "lengths")}
        for name, strings in (("docnos", self.docnos), ("terms", self.terms)):
            arrays |= {name: strings.text, f"{name}_ends": strings.ends}
        name = self.analyser.name if is_known(self.analyser) else "own"
        write_index(Path(folder), arrays, {"name": name, "digest": self.analyser.digest})

    @classmethod
    def open(cls, folder: str | os.PathLike[str], analyser: Tokeniser | Analyser | None = None) -> Self:
        """Open a saved index. Its arrays are memory-mapped: opening does not read the postings.

        An open index is not affected by saving another one to the same folder. Nothing else may change the files while it
        is open: a process whose mapped file shrinks is killed.

        Parameters
        ----------
        analyser : callable, optional
            The function that the index was built with, if it was a custom one.

        Raises
        ------
        InputError
            If the folder holds no index or a damaged one, or one whose analyser would now give other terms: with other stop
            words, or another version of the stemmer. Postings are validated when they are first used.
        """
        folder = Path(folder)
        arrays, saved = read_index(folder, list(_ARRAYS))
        _check(folder, arrays)
        chosen = _saved_analyser(folder, saved, analyser)
        docnos, terms = (
            ByteStrings.from_ends(arrays[part], arrays[f"{part}_ends"], f"text index {folder}")
            for part in ("docnos", "terms")
        )
        postings = {part: arrays[part] for part in ("starts", "documents", "counts", "lengths")}
        index = cls(docnos, terms, analyser=chosen, **postings)
        index._folder = folder
        return index


def _saved_analyser(folder: Path, saved: dict[str, Any], given: Tokeniser | Analyser | None) -> Analyser:
    """The analyser that an index was built with, by its name or as it is given."""
    name, digest = saved["name"], saved["digest"]
    if name == "own" and given is None:
        raise InputError(f"{folder} was built with a custom analyser; pass it as analyser=")
    try:
        chosen = as_analyser(name if given is None else given)
    except InputError as error:
        raise InputError(f"{folder}: {error}") from error
    if chosen.digest == digest:
        return chosen
    if given is not None:
        advice = "pass that one" if name == "own" else f"leave out analyser= to use {name}"
        raise InputError(f"{folder} was built with another analyser than {chosen.name}; {advice}")
    raise InputError(
        f"{folder} was built with a version of the analyser {name} that gives other terms: its stop words, or the stems of "
        "PyStemmer, have changed; build the index again"
    )


def _check(folder: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Validate the types of arrays and that their lengths fit together."""
    for name, kind in _ARRAYS.items():
        array = arrays[name]
        if array.ndim != 1 or not np.issubdtype(array.dtype, kind) or not array.dtype.isnative:
            raise damaged(folder, f"{name} has the shape {array.shape} and holds {array.dtype}")
        if not array.flags.aligned:
            raise damaged(folder, f"{name} starts at an unaligned offset in its file")
    starts, lengths, ascend = arrays["starts"], arrays["lengths"], kernels.ascend
    sizes = {
        "postings": starts.size > 0 and starts[0] == 0 and ascend(starts, arrays["documents"].size),
        "counts": arrays["counts"].size == arrays["documents"].size,
        "docnos": lengths.size == arrays["docnos_ends"].size and ascend(arrays["docnos_ends"], arrays["docnos"].size),
        "terms": starts.size == arrays["terms_ends"].size + 1 and ascend(arrays["terms_ends"], arrays["terms"].size),
    }
    for name, fits in sizes.items():
        if not fits:
            raise damaged(folder, f"its {name} do not fit the other arrays")


def _read(
    documents: Iterable[tuple[str, str | Mapping[str, str]]], split: Tokeniser, fields: Sequence[str] | None
) -> tuple[ByteStrings, list[str], Small, Ints]:
    """Docnos, distinct words by first appearance, all texts as indices of words, and text lengths."""
    docnos: list[str] = []
    vocabulary: dict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__  # type: ignore[attr-defined]
    number, parts = vocabulary.__getitem__, []
    for docno, content in documents:
        found = split(_text(docno, content, fields))
        docnos.append(str(docno))
        parts.append(np.fromiter(map(number, found), np.int32, len(found)))
    _check_unique(docnos)
    lengths = np.array([part.size for part in parts], np.int64)
    tokens = np.concatenate(parts) if parts else np.empty(0, np.int32)
    return ByteStrings.from_strings(docnos), list(vocabulary), tokens, lengths


def _text(docno: str, content: str | Mapping[str, str], fields: Sequence[str] | None) -> str:
    if isinstance(content, str):
        return content
    try:
        return "\n".join(content[field] for field in (content if fields is None else fields))
    except (KeyError, TypeError) as error:
        raise InputError(f"document {docno!r} must be a text or have all requested fields: {error!r}") from error


def _check_unique(docnos: list[str]) -> None:
    if len(set(docnos)) < len(docnos):
        repeated, _ = Counter(docnos).most_common(1)[0]
        raise InputError(f"document {repeated!r} is given more than once; every docno must be unique")
