"""Analysers, which turn the text of a document or query into terms."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any

from ..caching import cached_property
from ..data import InputError
from .probe_text import PROBE_TEXT
from .stop_words import as_words

#: Splits a text into words or terms.
Tokeniser = Callable[[str], list[str]]

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """The words of a text in any script (letters with their marks, digits, underscores), normalised (NFC), in lower case."""
    if text.isascii():
        return _WORD.findall(text.lower())
    return _word_with_marks().findall(unicodedata.normalize("NFC", text.lower()))


@cache
def _word_with_marks() -> re.Pattern[str]:
    """In many scripts, letters carry marks (vowel signs, accents) that Python's ``\\w`` does not match."""
    marks = "".join(chr(c) for c in range(0x300, 0x10000) if unicodedata.category(chr(c)) in ("Mn", "Mc"))
    return re.compile(rf"[\w{re.escape(marks)}]+")


@dataclass(frozen=True)
class Analyser:
    """Turns text into terms: splits it into words, and reduces each word to a term or drops it.

    Attributes
    ----------
    name : str
    split : callable
        Splits a text into words.
    reduce : callable
        Maps words to terms; None drops a word.
    """

    name: str
    split: Tokeniser
    reduce: Callable[[list[str]], list[str | None]]

    def __call__(self, text: str) -> list[str]:
        return [term for term in self.reduce(self.split(text)) if term is not None]

    @cached_property
    def digest(self) -> str | None:
        """Digest of the stop words and of the terms of `PROBE_TEXT`; None for custom functions."""
        if self.split is not words or not (self.reduce is _unchanged or isinstance(self.reduce, _Stems)):
            return None
        stop_words = sorted(getattr(self.reduce, "stop_words", ()))
        return blake2b(json.dumps([stop_words, self(PROBE_TEXT)]).encode(), digest_size=16).hexdigest()


def as_analyser(analyser: str | Tokeniser | Analyser) -> Analyser:
    """An analyser by name, or a custom one.

    Names: ``plain``, words; ``porter``, stems; ``porter+stop``, stems without scikit-learn's stop words; ``porter+indri``,
    stems without Indri's stop words.
    """
    if isinstance(analyser, Analyser):
        return analyser
    if callable(analyser):
        return Analyser("own", analyser, _unchanged)
    if analyser not in _REDUCERS:
        raise InputError(f"unknown analyser {analyser!r}; choose one of {', '.join(_REDUCERS)}, or pass a function")
    return Analyser(analyser, words, _REDUCERS[analyser])


def porter(stop_words: str | PathLike[str] | Iterable[str]) -> Analyser:
    """An analyser that drops stop words and stems all other words.

    Parameters
    ----------
    stop_words : "scikit-learn", "indri", a path, or an iterable of str
        scikit-learn's list, Indri's list, a file, or the words themselves. They are split as texts are: "don't" stands for
        "don" and "t".

    Examples
    --------
    >>> porter("indri")("The cats are shown sideways to dogs")
    ['cat', 'dog']
    >>> porter(["cats"])("The cats are running")
    ['the', 'ar', 'run']
    """
    for name, reduce in _REDUCERS.items():
        if isinstance(reduce, _Stems) and reduce.without is not None and stop_words == reduce.without:
            return as_analyser(name)
    own = f"porter+{Path(stop_words).name}" if isinstance(stop_words, (str, PathLike)) else "porter+own"
    return Analyser(own, words, _Stems(frozenset(as_words(stop_words))))


def is_known(analyser: Analyser) -> bool:
    """Whether an analyser is a built-in one, fully identified by its name."""
    return analyser.name in _REDUCERS and analyser == as_analyser(analyser.name)


def _unchanged(found: list[str]) -> list[str | None]:
    return list(found)


@dataclass(frozen=True)
class _Stems:
    """Porter stems without stop words, which are given by the name of a list or as a set."""

    without: str | frozenset[str] | None = None

    def __call__(self, found: list[str]) -> list[str | None]:
        stop_words = self.stop_words
        stems: Iterable[str] = _stemmer().stemWords(found)
        return [None if word in stop_words else stem for word, stem in zip(found, stems, strict=True)]

    @cached_property
    def stop_words(self) -> frozenset[str]:
        listed = () if self.without is None else as_words(self.without)
        return frozenset(word for entry in listed for word in words(entry))


def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("porter")


_REDUCERS: dict[str, Callable[[list[str]], list[str | None]]] = {
    "plain": _unchanged,
    "porter": _Stems(),
    "porter+stop": _Stems("scikit-learn"),
    "porter+indri": _Stems("indri"),
}
