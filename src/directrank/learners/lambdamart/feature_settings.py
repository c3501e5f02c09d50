"""LightGBM's parameters that speak of single features: by name or number, of all columns or of those that training sees."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Ints
from ...data import InputError
from .lightgbm import main_name

#: Those with a value for each feature.
_OF_EACH = ("monotone_constraints", "feature_contri", "max_bin_by_feature")


@dataclass(frozen=True)
class FeatureSettings:
    """The features that settings may speak of.

    Attributes
    ----------
    names : list of str
        Theirs, if they have any.
    unordered : list of int
        Those that are categories without an order.
    columns : array, optional
        Those that training sees, where it does not see all.
    """

    names: list[str]
    unordered: list[int]
    columns: Ints | None

    def categorical(self, given: Any) -> list[int]:
        """The categorical features that a user names, as LightGBM takes them: numbers among what training sees."""
        if isinstance(given, str) and given == "auto":
            return self.unordered
        parts = given.split(",") if isinstance(given, str) else np.atleast_1d(given).tolist()
        try:
            numbers = [self.names.index(part) if part in self.names else int(part) for part in parts]
        except ValueError as error:
            raise InputError(f"categorical_feature must be numbers or names of features, not {given!r}") from error
        return self._seen(numbers)

    def of_each(self, given: dict[str, Any]) -> dict[str, Any]:
        """LightGBM's parameters with constraints by name as a list, and lists for what training sees."""
        found = dict(given)
        for name, value in given.items():
            main = main_name(name)
            if main == "monotone_constraints" and isinstance(value, Mapping):
                found[name] = self._chosen(self._constraint_of_each(value))
            elif main in _OF_EACH and not isinstance(value, str):
                found[name] = self._chosen(list(value))
            elif main == "interaction_constraints" and self.columns is not None:
                raise InputError("interaction_constraints cannot be given where X is sparse and very wide; leave them out")
        return found

    def _seen(self, numbers: list[int]) -> list[int]:
        """The same features, numbered among those that training sees; without the others, which are empty."""
        if self.columns is None:
            return numbers
        place = {int(column): seen for seen, column in enumerate(self.columns)}
        return [place[number] for number in numbers if number in place]

    def _chosen(self, values: list[Any]) -> list[Any]:
        """A value for each feature that training sees, of one for each of all."""
        if self.columns is None or len(values) <= self.columns[-1]:
            return values
        return [values[column] for column in self.columns]

    def _constraint_of_each(self, given: Mapping[str, Any]) -> list[int]:
        """A constraint for each feature, 0 where none is given."""
        for feature, value in given.items():
            if feature not in self.names:
                raise InputError(f"monotone_constraints: there is no feature {feature!r}; {self._advice(feature)}")
            if value not in (-1, 0, 1):
                raise InputError(f"monotone_constraints: that of {feature!r} must be 1, 0 or -1, not {value!r}")
        return [int(given.get(name, 0)) for name in self.names]

    def _advice(self, feature: Any) -> str:
        near = difflib.get_close_matches(str(feature), self.names, 1)
        if near:
            return f"did you mean {near[0]!r}?"
        return "name columns of the frame X" if self.names else "X has no names; give a frame, or a list"
