"""trec_eval's names of measures, with trec_eval's meaning; upper and lower case are the same.

Those are its names with an underscore or a dot before the cut-off, such as ``ndcg_cut_10``, ``P.10`` or ``recip_rank``, and
``map``. ``Rprec``, ``bpref`` and ``infAP`` are names of ours too, of the same measures. Its nDCG has linear gains:
``ndcg_cut_10`` is ``nDCG(gain=linear)@10``. But ``ndcg`` is our `nDCG`, with exponential gains; trec_eval's is
``nDCG(gain=linear)``.
"""

from __future__ import annotations

import re
from typing import Any

#: From a name of trec_eval that has no cut-off to our measure and its parameters.
_WHOLE: dict[str, tuple[str, dict[str, Any]]] = {
    "map": ("AP", {}),
    "recip_rank": ("RR", {}),
    "set_P": ("SetP", {}),
    "set_recall": ("SetR", {}),
    "set_F": ("SetF", {}),
}

#: The same for names that go on with ``_`` or ``.`` and a number, and the parameter that the number is.
_NUMBERED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "P": ("P", "k", {}),
    "recall": ("R", "k", {}),
    "success": ("Success", "k", {}),
    "map_cut": ("AP", "k", {}),
    "ndcg_cut": ("nDCG", "k", {"gain": "linear"}),
    "iprec_at_recall": ("IPrec", "k", {}),
}

#: What to do who asks for a name of trec_eval that is no measure of a query.
HINTS = {"gm_map": "it is a geometric mean over queries: Evaluation.geometric_mean('AP'), or directrank evaluate --official"}

#: Names of trec_eval that are ours too, for the same measures.
_SHARED = ("rprec", "bpref", "infap")

_WITH_NUMBER = re.compile(r"(?P<stem>[A-Za-z_]+?)[_.](?P<number>\d+(?:\.\d+)?)")

_WHOLE_OF = {name.lower(): meant for name, meant in _WHOLE.items()}
_NUMBERED_OF = {name.lower(): meant for name, meant in _NUMBERED.items()}


def from_trec(name: str) -> tuple[str, dict[str, Any]] | None:
    """Our measure and its parameters for a name of trec_eval in any case; None where it is not one.

    Examples
    --------
    >>> from_trec("ndcg_cut_10")
    ('nDCG', {'gain': 'linear', 'k': 10})
    """
    if name.lower() in _WHOLE_OF:
        return _WHOLE_OF[name.lower()]
    match = _WITH_NUMBER.fullmatch(name)
    if match is None or match["stem"].lower() not in _NUMBERED_OF:
        return None
    measure, parameter, implied = _NUMBERED_OF[match["stem"].lower()]
    number = match["number"]
    return measure, {**implied, parameter: float(number) if "." in number else int(number)}


def is_trec_name(name: str) -> bool:
    """Whether a measure is named as trec_eval names it, in any case; ``ndcg``, which is ours, is not.

    Examples
    --------
    >>> is_trec_name("MAP"), is_trec_name("Rprec"), is_trec_name("AP"), is_trec_name("P@10")
    (True, True, False, False)
    """
    return name.strip().lower() in _SHARED or from_trec(name.strip()) is not None


def trec_names() -> list[str]:
    """Examples of them, for who wants to complete one."""
    return [*_WHOLE, *(f"{stem}_{'0.10' if stem == 'iprec_at_recall' else 10}" for stem in _NUMBERED)]


def expanded(names: list[str]) -> list[str]:
    """Names with trec_eval's lists of cut-offs written out: ``P.5`` and ``10`` are ``P.5`` and ``P.10``."""
    found: list[str] = []
    for name in names:
        before = _WITH_NUMBER.fullmatch(found[-1]) if found and "." in found[-1] else None
        is_number = re.fullmatch(r"\d+(?:\.\d+)?", name) is not None
        found.append(f"{before['stem']}.{name}" if is_number and before is not None else name)
    return found
