"""Names of tests and corrections in the spellings that people type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..data import InputError


def canonical(name: str, known: Iterable[str], synonyms: Mapping[str, str], what: str) -> str:
    """The canonical spelling of a name; case, hyphens, underscores and spaces do not matter.

    Parameters
    ----------
    what : str
        Noun for the message, such as "test".
    """
    plain = str(name).strip().lower().replace("_", "-").replace(" ", "-")
    found = synonyms.get(plain, plain)
    if found not in known:
        raise InputError(f"there is no {what} {name!r}; there are {', '.join(known)}")
    return found
