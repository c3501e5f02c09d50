"""From text to terms: the analysers of an index."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..data import InputError

#: Splits a text into terms.
Tokeniser = Callable[[str], list[str]]

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """The runs of letters with their marks, digits and underscores of a text, composed and in lower case; of any script."""
    if text.isascii():
        return _WORD.findall(text.lower())
    return _word_with_marks().findall(unicodedata.normalize("NFC", text.lower()))


@cache
def _word_with_marks() -> re.Pattern[str]:
    """Letters of many scripts have marks (vowel signs, accents) that Python's ``\\w`` leaves out."""
    marks = "".join(chr(c) for c in range(0x300, 0x10000) if unicodedata.category(chr(c)) in ("Mn", "Mc"))
    return re.compile(rf"[\w{re.escape(marks)}]+")


@dataclass(frozen=True)
class Analyser:
    """How text becomes terms: split, then every different word reduced to its term, or left out.

    Attributes
    ----------
    name : str
    split : callable
        Text to words.
    reduce : callable
        Words to terms, one for each; None leaves the word out.
    """

    name: str
    split: Tokeniser
    reduce: Callable[[list[str]], list[str | None]]

    def __call__(self, text: str) -> list[str]:
        return [term for term in self.reduce(self.split(text)) if term is not None]


def as_analyser(analyser: str | Tokeniser | Analyser) -> Analyser:
    """An analyser by its name, ``plain``, ``porter`` (stemmed) or ``porter+stop`` (without stop words too); or one's own."""
    if isinstance(analyser, Analyser):
        return analyser
    if callable(analyser):
        return Analyser("own", analyser, _unchanged)
    if analyser not in _REDUCERS:
        raise InputError(f"there is no analyser {analyser!r}; there are {', '.join(_REDUCERS)}, or give a function")
    return Analyser(analyser, words, _REDUCERS[analyser])


def is_known(analyser: Analyser) -> bool:
    """Whether its name says all of it."""
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
