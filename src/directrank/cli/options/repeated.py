"""Options that take one value and are given twice, an error."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...data.errors import InputError
from ..console.plain_help import PlainHelpCommand


class OneValueCommand(PlainHelpCommand):
    """A command that does not let the last of several values of an option win silently."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:  # completion of a command that is still typed
            given: Any = self.make_parser(ctx).parse_args(args=list(args))[2]
            for option, count in Counter(given).items():
                if count > 1 and option.param_type_name == "option" and not (option.multiple or option.is_flag):
                    raise InputError(f"{option.opts[0]} is given {_times(count)}; it takes one value, so give it once")
        return super().parse_args(ctx, args)


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"
