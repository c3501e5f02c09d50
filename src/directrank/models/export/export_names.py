"""Validation of feature names and model names for export targets."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..errors import ModelError

#: Advice for a name that a target does not support.
RENAME = "rename it with --feature-names, or in Python model.with_feature_names(names)"


def check_names(target: str, names: Iterable[str], allowed: str, otherwise: str) -> None:
    """Raise a `ModelError` for the first feature name that a target does not support.

    Parameters
    ----------
    target : str
        Name of the target.
    names : iterable of str
        Names of the features.
    allowed : str
        Regular expression for valid names.
    otherwise : str
        Description of invalid names.
    """
    for name in names:
        if not name:
            raise ModelError(f"a feature has an empty name, which {target} does not accept; {RENAME}")
        if not re.fullmatch(allowed, name, re.DOTALL):
            what = f"{target} does not take the name of the feature {name!r}: it refuses {otherwise}"
            raise ModelError(f"{what}; {RENAME}")


def check_model_name(name: str) -> str:
    """Validate a name for URLs, file names and quoted identifiers."""
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}", name):
        raise ModelError(
            f"{name!r} cannot be the name of a model elsewhere: use up to 63 letters, digits, '_', '-' and '.' (--name)"
        )
    return name
