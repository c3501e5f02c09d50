"""Writing the page of a report, and what is asked before there is one."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.errors import InputError
from .output import as_text, print_line, spinner
from .targets import check_target

if TYPE_CHECKING:
    from ..evaluation import Report


def check_page(path: Path, sources: Iterable[Path | None], as_json: bool = False) -> None:
    """Refuse, before any work, a page that cannot be written."""
    from ..data.io.files import is_stream

    if any(find_spec(package) is None for package in ("altair", "vl_convert")):
        raise InputError("a page needs Altair and vl-convert: pip install 'directrank[report]'")
    check_target(path, sources, as_json)
    if path.suffix.lower() not in (".html", ".htm") and not is_stream(path):
        raise InputError(f"{path}: a page is HTML, so its name must end in .html")


def save_page(report: Report, path: Path, *, silent: bool = False, **content: Any) -> None:
    """Write the page, with what `Report.save` takes, and say where it is unless what is printed is for a program."""
    from ..data.io.files import is_stream

    with spinner(f"Writing {path}"):
        report.save(path, command=_command(), **content)
    if not (silent or is_stream(path)):
        print_line(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def _command() -> str:
    """The command as it was typed, to make the page again."""
    return as_text(shlex.join(["directrank", *sys.argv[1:]]))
