"""Validation of feature names and model names for export targets."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..errors import ModelError

#: Advice for a name that a target does not support.
RENAME = "rename it with --feature-names, or in Python model.with_feature_names(names)"


#: Names without white space and without the tags of Mustache, the template language of Elasticsearch and OpenSearch.
NO_TEMPLATE = r"(?!.*\{\{)\S+"

#: Control characters, line separators and bidirectional overrides, which hide or break the text around a name.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def check_safe_names(names: Iterable[str]) -> None:
    """Raise a `ModelError` for the first feature name that no target should have in its text."""
    for name in names:
        if _UNSAFE.search(name):
            what = f"the name of the feature {name!a} has a control character, line separator or direction override in it"
            raise ModelError(f"{what}, which does not belong into an export; {RENAME}")


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
