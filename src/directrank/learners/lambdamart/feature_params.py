"""LightGBM's parameters of single features."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Ints
from ...data import InputError
from .param_names import main_name

#: Parameters with one value per feature.
_PER_FEATURE = ("monotone_constraints", "feature_contri", "max_bin_by_feature")


@dataclass(frozen=True)
class FeatureParams:
    """Parameters of single features: by name or index, of all columns or of those used in training.

    Attributes
    ----------
    names : list of str
        Feature names; empty if X has none.
    categorical : list of int
        Unordered categorical columns of the training frame.
    columns : array, optional
        Columns used in training, if not all are.
    n_features : int
        Number of columns of X.
    """

    names: list[str]
    categorical: list[int]
    columns: Ints | None
    n_features: int

    def categorical_feature(self, given: Any) -> list[int]:
        """Indices of categorical features among the columns used in training."""
        if isinstance(given, str) and given == "auto":
            return self.categorical
        parts = given.split(",") if isinstance(given, str) else np.atleast_1d(given).tolist()
        try:
            indices = [self.names.index(part) if part in self.names else int(part) for part in parts]
        except ValueError as error:
            raise InputError(f"categorical_feature must be numbers or names of features, not {given!r}") from error
        if self.columns is None:
            return indices
        position = {int(column): i for i, column in enumerate(self.columns)}
        return [position[index] for index in indices if index in position]  # the other columns are empty

    def resolve(self, given: dict[str, Any]) -> dict[str, Any]:
        """Parameters with one value for each column used in training where they are per feature."""
        resolved = dict(given)
        for name, value in given.items():
            main = main_name(name)
            if main == "monotone_constraints" and isinstance(value, Mapping):
                resolved[name] = self._select(self._constraints_by_name(value))
            elif main in _PER_FEATURE:
                resolved[name] = self._select(self._one_for_each(name, value))
            elif main == "interaction_constraints" and self.columns is not None:
                raise InputError("interaction_constraints cannot be given where X is sparse and very wide; leave them out")
        return resolved

    def _one_for_each(self, name: str, given: Any) -> list[Any]:
        """Values of a parameter with one number for each feature."""
        values = given.split(",") if isinstance(given, str) else given
        try:
            numbers = np.array(values, np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name} must be a list of one number for each feature, not {given!r}") from error
        if numbers.shape != (self.n_features,):
            raise InputError(
                f"{name} must have one number for each of the {self.n_features} features of X, not the shape {numbers.shape}"
            )
        if main_name(name) == "monotone_constraints" and not np.all(np.isin(numbers, (-1, 0, 1))):
            raise InputError(f"{name} must hold 1, 0 and -1 only, not {given!r}")
        return [int(number) if number == round(number) else float(number) for number in numbers.tolist()]

    def _select(self, values: list[Any]) -> list[Any]:
        return values if self.columns is None else [values[column] for column in self.columns]

    def _constraints_by_name(self, given: Mapping[str, Any]) -> list[int]:
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
