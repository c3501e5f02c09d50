"""Whether a target can say the names of a model and its features."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..errors import ModelError

#: What to do about a name that a target does not take.
RENAME = "rename it with --feature-names, or in Python model.with_feature_names(names)"


def check_names(target: str, names: Iterable[str], allowed: str, otherwise: str) -> None:
    """Raise a `ModelError` that names the first feature whose name a target does not take.

    Parameters
    ----------
    target : str
    names : of features
    allowed : str
        A regular expression.
    otherwise : str
        What the target refuses, in words.
    """
    for name in names:
        if not name:
            raise ModelError(f"a feature has an empty name, by which {target} cannot know it; {RENAME}")
        if not re.fullmatch(allowed, name, re.DOTALL):
            what = f"{target} does not take the name of the feature {name!r}: it refuses {otherwise}"
            raise ModelError(f"{what}; {RENAME}")


def check_model_name(name: str) -> str:
    """A name that can stand in an address, a file name and a quoted identifier."""
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}", name):
        raise ModelError(
            f"{name!r} cannot be the name of a model elsewhere: use up to 63 letters, digits, '_', '-' and '.' (--name)"
        )
    return name
