"""trec_eval's names of measures, with trec_eval's meaning.

They are ``map``, ``ndcg`` and ``bpref``, in lower case, and names with an underscore or a dot, such as ``ndcg_cut_10``,
``P.10`` or ``recip_rank``, in any case. trec_eval's nDCG has linear gains: ``ndcg_cut_10`` is ``nDCG(gain=linear)@10``. In
runs, `evaluate_run` orders tied documents of a measure with such a name as trec_eval does. ``MAP``, ``nDCG``, ``ndcg@10``
and all other names are ours, and so are ``Rprec`` and ``infAP``, which are spelled alike in both.
"""

from __future__ import annotations

import re
from typing import Any

#: From a name of trec_eval without a cut-off to our measure and its parameters.
_WHOLE: dict[str, tuple[str, dict[str, Any]]] = {
    "map": ("AP", {}),
    "ndcg": ("nDCG", {"gain": "linear"}),
    "bpref": ("Bpref", {}),
    "recip_rank": ("RR", {}),
    "set_P": ("SetP", {}),
    "set_recall": ("SetR", {}),
    "set_F": ("SetF", {}),
}

#: The same for names that end in ``_`` or ``.`` and a number, and the parameter that the number is.
_NUMBERED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "P": ("P", "k", {}),
    "recall": ("R", "k", {}),
    "success": ("Success", "k", {}),
    "map_cut": ("AP", "k", {}),
    "ndcg_cut": ("nDCG", "k", {"gain": "linear"}),
    "iprec_at_recall": ("IPrec", "k", {}),
}

#: Geometric means over queries, and the measure of each query that they are of.
_GEOMETRIC = {"gm_map": "map"}

#: Advice for names of trec_eval that are not measures of a query.
HINTS = {"gm_map": "it is a geometric mean over queries, for evaluation only; for a value of each query use map or AP"}

_WITH_NUMBER = re.compile(r"(?P<stem>[A-Za-z_]+?)[_.](?P<number>\d+(?:\.\d+)?)")
_WITH_PARAMETERS = re.compile(r"\s*(?P<stem>[^()@\s]+)\s*(?:\([^()]*\))?\s*")

#: Names without an underscore are trec_eval's in lower case only: in other cases they are ours.
_WHOLE_BY_CASE = {name if "_" not in name else name.lower(): meaning for name, meaning in _WHOLE.items()}
_NUMBERED_BY_CASE = {name.lower(): meaning for name, meaning in _NUMBERED.items()}


def from_trec(name: str) -> tuple[str, dict[str, Any]] | None:
    """Our measure and its parameters for a name of trec_eval; None for any other name.

    Examples
    --------
    >>> from_trec("ndcg_cut_10")
    ('nDCG', {'gain': 'linear', 'k': 10})
    """
    whole = _WHOLE_BY_CASE.get(name.lower() if "_" in name else name)
    if whole is not None:
        return whole
    match = _WITH_NUMBER.fullmatch(name)
    if match is None or match["stem"].lower() not in _NUMBERED_BY_CASE:
        return None
    measure, parameter, implied = _NUMBERED_BY_CASE[match["stem"].lower()]
    number = match["number"]
    return measure, {**implied, parameter: float(number) if "." in number else int(number)}


def is_trec_name(name: str) -> bool:
    """Whether a measure is named as trec_eval names it, with or without parameters in brackets.

    Examples
    --------
    >>> is_trec_name("map"), is_trec_name("P_10(rel=2)"), is_trec_name("MAP"), is_trec_name("ndcg@10")
    (True, True, False, False)
    """
    match = _WITH_PARAMETERS.fullmatch(name)
    return match is not None and from_trec(match["stem"]) is not None


def of_geometric_mean(name: str) -> str | None:
    """Measure that a name of trec_eval is the geometric mean of; None for any other name.

    Examples
    --------
    >>> of_geometric_mean("gm_map")
    'map'
    """
    return _GEOMETRIC.get(name.strip().lower())


def trec_names() -> list[str]:
    """Examples of trec_eval's names, for completion."""
    return [*_WHOLE, *(f"{stem}_{'0.10' if stem == 'iprec_at_recall' else 10}" for stem in _NUMBERED)]


def expanded(names: list[str]) -> list[str]:
    """Names with trec_eval's lists of cut-offs written out: ``P.5`` and ``10`` are ``P.5`` and ``P.10``."""
    found: list[str] = []
    for name in names:
        before = _WITH_NUMBER.fullmatch(found[-1]) if found and "." in found[-1] else None
        is_number = re.fullmatch(r"\d+(?:\.\d+)?", name) is not None
        found.append(f"{before['stem']}.{name}" if is_number and before is not None else name)
    return found
