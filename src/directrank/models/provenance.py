"""Provenance of models: learner, parameters, measure and training figures."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from ..untrusted import NameFromFile
from .errors import ModelError
from .json_fields import number


@dataclass(frozen=True)
class Provenance:
    """Learner, parameters, measure and training figures of a model.

    Attributes
    ----------
    learner : str
        Class name of the learner; empty for a model that was not learned here.
    parameters : dict
        Parameters of the learner, with measures as names.
    measure : str
        Name of the training measure for `directrank.measures.parse`; ``module:Name@k`` for a custom one. For a name read
        from a file, `parse` imports nothing unless the file was loaded with ``trusted=True``.
    version : str
        Version of directrank.
    training : dict
        Training figures, such as the selected C, the final gap and the number of rounds.
    history : dict of lists
        Training curves by name, all of the same length, with an entry for each round or iteration; None for values that are
        not finite.
    """

    learner: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    measure: str = ""
    version: str = ""
    training: dict[str, float] = field(default_factory=dict)
    history: dict[str, list[float | None]] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, content: Any) -> Self:
        """Read provenance from a file, with measures as untrusted names."""
        kinds = {"learner": str, "parameters": dict, "measure": str, "version": str, "training": dict, "history": dict}
        if not isinstance(content, dict) or "learner" not in content or not content.keys() <= kinds.keys():
            raise ModelError(f"its provenance must have the fields {', '.join(part.name for part in fields(cls))}")
        for name, value in content.items():
            if not isinstance(value, kinds[name]):
                raise ModelError(f"its provenance has a {name} of the wrong type")
        for name, value in content.get("training", {}).items():
            number(f"provenance's training figure {name!r}", value, finite=False)
        history = _checked_curves(content.get("history", {}))
        return cls(**{**content, "history": history})._with_measures(NameFromFile)

    def trusted(self) -> Self:
        """The same provenance, with measures whose modules may be imported."""
        return self._with_measures(str)

    def _with_measures(self, kind: type[str]) -> Self:
        named = self.parameters.get("measure")
        parameters = {**self.parameters, "measure": kind(named)} if isinstance(named, str) else self.parameters
        return replace(self, measure=kind(self.measure), parameters=parameters)


def _checked_curves(content: dict[str, Any]) -> dict[str, list[float | None]]:
    """Curves of a file, checked: lists of finite numbers and nulls, all of the same length."""
    curves = {}
    for name, values in content.items():
        called = f"provenance's history {reprlib.repr(name)}"
        if not isinstance(values, list):
            raise ModelError(f"its {called} must be a list of numbers")
        curves[name] = [None if value is None else number(called, value) for value in values]
    if len({len(values) for values in curves.values()}) > 1:
        raise ModelError("its provenance's history must have curves of one length")
    return curves
