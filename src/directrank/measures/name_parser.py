"""Parsing of measure names."""

from __future__ import annotations

import difflib
import importlib
import re
import sys
from dataclasses import fields
from typing import Any

from ..untrusted import NameFromFile
from .adapted_measure import AdaptedMeasure
from .bound import supports
from .capabilities import Capability, SupportsEvaluate
from .errors import MeasureError
from .measure import Measure
from .measure_sum import MeasureSum
from .naming import is_ours, name_of
from .trec_names import HINTS as TREC_HINTS, expanded, from_trec

#: Common aliases, and the measure and parameters they stand for.
ALIASES: dict[str, tuple[str, dict[str, Any]]] = {
    "map": ("AP", {}),
    "mrr": ("RR", {}),
    "precision": ("P", {}),
    "recall": ("R", {}),
    "rocarea": ("AUC", {}),
    "wta": ("Success", {"k": 1}),
}

#: Further advice where a measure lacks a capability.
HINTS = {"violation_units": ", and every ContingencyMeasure, which one function of the contingency table makes"}

_NAME = re.compile(
    r"(?:(?P<module>[\w.]+):)?(?P<name>\w+(?:\.[\d.]+)?)"  # trec_eval writes P.10
    r"(?:\((?P<parameters>[^()]*)\))?(?:@(?P<k>[^@]*))?"
)
_SUM = re.compile(r"(?<!\d[eE])\+(?![^(]*\))")  # a plus sign outside parentheses and exponents
_COMMA = re.compile(r",(?![^(]*\))")  # a comma outside parentheses
_CONSTANTS = {"True": True, "False": False, "None": None}
_PARAMETER = re.compile(r"\s*(\w+)\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|([^'\"\s]+))\s*")


def parse(name: str) -> Measure:
    """Measure with a given name, such as ``AP``, ``AP(rel=2)``, ``nDCG@10``, ``nDCG(gain=linear)@10`` or ``MAP``.

    Case does not matter, except for ``map``, ``ndcg`` and ``bpref``, which in lower case are trec_eval's, as are
    ``ndcg_cut_10``, ``P.10``, ``recip_rank`` and the like: see `trec_names`. ``package.module:Name@5`` is a custom measure,
    imported from there: a `Measure`, or any class with `evaluate` whose constructor needs no arguments.
    ``0.7*nDCG@10 + 0.3*AUC`` is a weighted sum.

    A name from the provenance of a loaded model imports nothing: a custom measure is found if its module is imported
    already, or if the model was loaded with ``trusted=True``.

    Examples
    --------
    >>> parse("ndcg@10")
    nDCG@10
    >>> parse("WTA") == parse("Success@1")
    True
    >>> parse("ndcg_cut_10"), parse("ndcg"), parse("NDCG")
    (nDCG(gain=linear)@10, nDCG(gain=linear), nDCG)
    """
    return _parse(name, may_import=not isinstance(name, NameFromFile))


def split_names(names: str) -> list[str]:
    """Names in a comma-separated list; commas within parentheses do not separate.

    Examples
    --------
    >>> split_names("AP,nDCG(gain=linear, discount=jarvelin)@10, P.5,10")
    ['AP', 'nDCG(gain=linear, discount=jarvelin)@10', 'P.5', 'P.10']
    """
    parts = [part.strip() for part in _COMMA.split(names)]
    if not all(parts):
        raise MeasureError(f"{names!r} has an empty name; separate measures by commas, as in AP,nDCG@10")
    return [type(names)(part) for part in expanded(parts)]  # a `NameFromFile` remains one


def _parse(name: str, may_import: bool) -> Measure:
    terms = _SUM.split(name)
    if len(terms) > 1 or "*" in name:
        return MeasureSum(terms=tuple(_term(name, term, may_import) for term in terms))
    match = _NAME.fullmatch(name.strip())
    if match is None:
        raise MeasureError(f"{name!r} is not the name of a measure; names look like AP, nDCG@10 or AP(rel=2)@100")
    given = _parameters(name, match["parameters"])
    if match["k"] is not None:
        if "k" in given:
            raise MeasureError(f"{name!r} gives k twice")
        given["k"] = _number(match["k"])
    if match["module"] is not None:
        if not (may_import or match["module"] in sys.modules):
            raise MeasureError(
                f"the name {name!r} is from a model file, and its module is not imported: "
                f"import {match['module']} first if you trust it, or load the model with trusted=True"
            )
        return _make_imported(name, _import(match["module"], match["name"]), given)
    return _known(match["name"], given)


def _known(name: str, given: dict[str, Any]) -> Measure:
    """A measure that is already defined, by name or alias."""
    found = _alias(name, given)
    if found is None:
        return _make(measure_class(name), given)
    meant, implied = found
    if implied.keys() & given.keys():
        raise MeasureError(f"{name} is {_make(measure_class(meant), implied)}; name that measure to change it")
    return _make(measure_class(meant), implied | given)


def _alias(name: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Measure and parameters that an alias stands for: trec_eval's names, which have no ``@``, before others."""
    if "k" not in given or "_" in name or "." in name:
        theirs = from_trec(name)
        if theirs is not None:
            return theirs
    return None if name.lower() in Measure.registry else ALIASES.get(name.lower())


def _term(name: str, term: str, may_import: bool) -> tuple[float, Any]:
    weight, times, measure = term.rpartition("*")
    number = _number(weight.strip()) if times else 1
    if isinstance(number, str):
        raise MeasureError(f"{name!r}: {weight.strip()!r} is not a number; write 0.7*nDCG@10 + 0.3*AUC, for example")
    return number, _parse(measure, may_import)


def as_measure(measure: str | type | SupportsEvaluate) -> SupportsEvaluate:
    """A measure, given by name, class or instance."""
    if isinstance(measure, str):
        return parse(measure)
    if isinstance(measure, type):
        measure = measure()
    if not isinstance(measure, SupportsEvaluate):
        raise MeasureError(f"{measure!r} is not a measure: it has no method evaluate(scores, grades, offsets)")
    return measure


def require(measure: str | type | SupportsEvaluate, capability: Capability, who: str) -> SupportsEvaluate:
    """A measure that has an optional capability, or else a `MeasureError` that says which ones do."""
    found = as_measure(measure)
    if supports(found, capability):
        return found
    lacking = f"{who} needs {capability}, which {name_of(found)} does not have"
    limitation = found.bound.limitation(found, capability) if isinstance(found, Measure) else None
    if limitation is not None:
        raise MeasureError(f"{lacking}; {limitation}")
    able = ", ".join(name for name in known_names() if any(cls.has_method(capability) for cls in _classes(name)))
    raise MeasureError(f"{lacking}; measures that do: {able}{HINTS.get(capability, '')}")


def known_names() -> list[str]:
    """Names of all measures, custom ones included, in alphabetical order."""
    return sorted({cls.__name__ for same in Measure.registry.values() for cls in same.values()}, key=str.lower)


def measure_class(name: str) -> type[Measure]:
    """The class of a name: ours, or the only one that was defined elsewhere."""
    chosen = _classes(name)
    if not chosen:
        raise MeasureError(f"there is no measure {name!r}; {TREC_HINTS.get(name.lower()) or _suggestion(name)}")
    if len(chosen) > 1:
        qualified_names = " or ".join(f"{cls.__module__}:{cls.__name__}" for cls in chosen)
        raise MeasureError(f"{name!r} is the name of several measures; write {qualified_names}")
    return chosen[0]


def _classes(name: str) -> list[type[Measure]]:
    """The class of this package with a given name, or else all custom ones."""
    known = list(Measure.registry.get(name.lower(), {}).values())
    return [cls for cls in known if is_ours(cls)] or known


def _import(module: str, name: str) -> type[SupportsEvaluate]:
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as error:  # whatever the user's module raises
        raise MeasureError(f"cannot import the measure {module}:{name}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, SupportsEvaluate)):
        raise MeasureError(f"{module}:{name} is not a measure: it has no method evaluate(scores, grades, offsets)")
    return found


def _make_imported(name: str, found: type[SupportsEvaluate], given: dict[str, Any]) -> Measure:
    if issubclass(found, Measure):
        return _make(found, given)
    if given:
        raise MeasureError(f"{name!r}: {found.__name__} takes no parameters or cut-off; make it a subclass of Measure")
    try:
        return AdaptedMeasure(custom=found())
    except TypeError as error:
        raise MeasureError(f"{name!r}: {found.__name__} cannot be made without arguments: {error}") from error


def _suggestion(name: str) -> str:
    spelled = {known.lower(): known for known in known_names()} | {alias: alias.upper() for alias in ALIASES}
    near = difflib.get_close_matches(name.lower(), spelled, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(spelled[n] for n in near)}?" if near else f"there are {', '.join(known_names())}"


def _parameters(name: str, inner: str | None) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for part in inner.split(",") if inner and inner.strip() else []:
        match = _PARAMETER.fullmatch(part)
        if match is None:
            raise MeasureError(f"{name!r}: {part.strip()!r} is not of the form parameter=value")
        if match[1] in given:
            raise MeasureError(f"{name!r} gives {match[1]} twice")
        given[match[1]] = _value(match[4]) if match[4] is not None else match[2] or match[3]
    return given


def _value(text: str) -> Any:
    """A parameter value as `Measure.name` writes it, without quotes."""
    return _CONSTANTS[text] if text in _CONSTANTS else _number(text)


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _make(measure: type[Measure], given: dict[str, Any]) -> Measure:
    known = [field.name for field in fields(measure)]  # type: ignore[arg-type]
    for parameter in given:
        if parameter == "k" and "k" not in known:
            raise MeasureError(f"{measure.__name__} has no cut-off; write {measure.__name__} without @k")
        if parameter not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise MeasureError(f"{measure.__name__} has no parameter {parameter!r}; {has}")
    return measure(**given)
