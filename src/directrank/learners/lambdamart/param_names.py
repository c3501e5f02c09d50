"""Names of LightGBM's parameters and their aliases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import lightgbm as lgb


def param_value(given: Mapping[str, Any], wanted: str, default: Any) -> Any:
    """Value of a parameter that may be given by an alias."""
    return next((value for name, value in given.items() if main_name(name) == wanted), default)


def main_name(name: str) -> str | None:
    """LightGBM's main name of a parameter or alias; None if it has no such parameter."""
    return next((main for main, others in aliases().items() if name in (main, *others)), None)


def aliases() -> dict[str, list[str]]:
    """Other names of each of LightGBM's parameters."""
    return lgb.basic._ConfigAliases._get_all_param_aliases()  # type: ignore[no-any-return]
