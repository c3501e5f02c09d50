"""Versions of engines, where an export depends on them."""

from __future__ import annotations

import re

from ..errors import ModelError

Version = tuple[int, int]


def parse_version(version: str | None, target: str, oldest: Version) -> Version | None:
    """Major and minor number of an engine's version such as 3.5 or 9.2.1; None for None.

    Parameters
    ----------
    version : str, optional
    target : str
        Name of the engine.
    oldest : (int, int)
        First version that has learning to rank.
    """
    if version is None:
        return None
    if not re.fullmatch(r"[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4})*", version, re.ASCII):
        raise ModelError(f"the version of {target} must be numbers such as {oldest[0]}.{oldest[1]}, not {version!r}")
    major, minor = version.split(".")[:2]
    found = int(major), int(minor)
    if found < oldest:
        raise ModelError(f"{target} {version} cannot read this export: it needs {oldest[0]}.{oldest[1]} or later")
    return found
