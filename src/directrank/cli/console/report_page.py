"""The HTML report of a comparison: checks before any work, and writing."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.errors import InputError
from .output import as_text, print_line
from .output_files import check_output_file
from .progress import spinner

if TYPE_CHECKING:
    from ...evaluation import Report


def check_report_page(path: Path, inputs: Iterable[Path | None], as_json: bool = False) -> None:
    """Raise an error, before any work, if the HTML report cannot be written."""
    from ...data.io.files import is_stream

    if any(find_spec(package) is None for package in ("altair", "vl_convert")):
        raise InputError("an HTML report needs Altair and vl-convert: pip install 'directrank[report]'")
    check_output_file(path, inputs, as_json)
    if path.suffix.lower() not in (".html", ".htm") and not is_stream(path):
        raise InputError(f"{path}: the report is HTML, so its name must end in .html")


def save_report_page(report: Report, path: Path, *, silent: bool = False, **content: Any) -> None:
    """Write the HTML report, with the content that `Report.save` takes, and print its size unless `silent`."""
    from ...data.io.files import is_stream

    with spinner(f"Writing {path}"):
        report.save(path, command=_command(), **content)
    if not (silent or is_stream(path)):
        print_line(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def _command() -> str:
    """The command line that reproduces the report."""
    return as_text(shlex.join(["directrank", *sys.argv[1:]]))
