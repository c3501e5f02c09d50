"""Analysers, which turn the text of a document or query into terms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..data import InputError

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
    """How text becomes terms: it is split into words, and each word is reduced to a term or left out.

    Attributes
    ----------
    name : str
    split : callable
        From a text to its words.
    reduce : callable
        From words to terms, one for each word; None leaves the word out.
    """

    name: str
    split: Tokeniser
    reduce: Callable[[list[str]], list[str | None]]

    def __call__(self, text: str) -> list[str]:
        return [term for term in self.reduce(self.split(text)) if term is not None]


def as_analyser(analyser: str | Tokeniser | Analyser) -> Analyser:
    """An analyser by name, ``plain``, ``porter`` (stems) or ``porter+stop`` (stems without stop words); or a custom one."""
    if isinstance(analyser, Analyser):
        return analyser
    if callable(analyser):
        return Analyser("own", analyser, _unchanged)
    if analyser not in _REDUCERS:
        raise InputError(f"unknown analyser {analyser!r}; choose one of {', '.join(_REDUCERS)}, or pass a function")
    return Analyser(analyser, words, _REDUCERS[analyser])


def is_known(analyser: Analyser) -> bool:
    """Whether it is fully identified by its name: one of ours, not a custom one."""
    return analyser.name in _REDUCERS and analyser == as_analyser(analyser.name)


def _unchanged(found: list[str]) -> list[str | None]:
    return list(found)


def _stemmed(found: list[str]) -> list[str | None]:
    return list(_stemmer().stemWords(found))


def _stemmed_without_stop_words(found: list[str]) -> list[str | None]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    stems: Iterable[str] = _stemmer().stemWords(found)
    return [None if word in ENGLISH_STOP_WORDS else stem for word, stem in zip(found, stems, strict=True)]


def _stemmer() -> Any:
    try:
        import Stemmer
    except ImportError as error:
        raise InputError("stemming needs PyStemmer: pip install 'directrank[text]'") from error
    return Stemmer.Stemmer("porter")


_REDUCERS: dict[str, Callable[[list[str]], list[str | None]]] = {
    "plain": _unchanged,
    "porter": _stemmed,
    "porter+stop": _stemmed_without_stop_words,
}
