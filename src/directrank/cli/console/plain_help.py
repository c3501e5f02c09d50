"""Help in which flags are flags and arguments have no types of Python."""

from __future__ import annotations

from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup


class PlainHelpCommand(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))


class PlainHelpGroup(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))


def _without_types(parameters: list[Any]) -> list[Any]:
    """Parameters whose help has no ``<bool>`` after a flag, and no ``<list[str]>`` after the name of an argument."""
    for each in parameters:
        if isinstance(each, TyperArgument):
            each.display_type_rich = lambda ctx: None  # type: ignore[method-assign]
        elif each.is_flag and each.metavar is None:
            each.metavar = ""
    return parameters
