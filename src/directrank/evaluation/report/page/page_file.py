"""Writing of the page: all parts inlined into one file, with a policy that allows no other scripts."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ....data import InputError
from ....data.io.files import PathLike, is_stream, replacing
from ..text_formats import html_table
from .charts import chart_specs
from .model_section import ModelLike, model_section, opening_measure
from .packed_rankings import packed_rankings
from .page_content import page_content
from .section import Section

if TYPE_CHECKING:
    from ..report import Report

#: The page's own scripts, in the order in which they run.
SCRIPTS = (
    *("elements.js", "state.js", "charts.js", "tables.js", "queries.js"),
    *("drilldown.js", "models.js", "sections.js", "start.js"),
)


def write_page(
    report: Report,
    path: PathLike,
    *,
    title: str | None,
    models: Mapping[str, ModelLike],
    curves: Mapping[str, Mapping[str, Any]],
    documents: Mapping[str, str] | Iterable[tuple[str, str]] | None,
    queries: Mapping[str, str],
    depth: int,
    command: str | None,
    sections: Sequence[Section],
) -> None:
    """Write the page of a report; see `Report.save`."""
    if PurePath(path).suffix.lower() not in (".html", ".htm") and not is_stream(path):
        raise InputError(f"{path}: a page is HTML, so its name must end in .html; for other formats see to_csv, to_latex, …")
    if depth < 1:
        raise InputError(f"depth must be at least 1, not {depth}")
    shown = title or f"{len(report.names)} rankings compared"
    content = page_content(report, shown, queries, command)
    content["specs"] = chart_specs(report)
    content["models"] = [model_section(name, model, curves.get(name, {})) for name, model in models.items()]
    content["measure"] = opening_measure(report, models)
    content["sections"] = [section.content() for section in sections]
    page = _page(shown, html_table(report), _inline_json(content), packed_rankings(report, depth, documents))
    with replacing(path) as file:
        file.write(page.encode("utf-8", "backslashreplace"))


def _page(title: str, table: str, content: str, packed: str) -> str:
    style, scripts = _asset("page.css"), [_vega(), "\n".join(map(_asset, SCRIPTS))]
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, scripts))}",
            f"style-src {_hash(style)}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    parts = {
        "policy": html.escape(policy),
        "title": html.escape(title),
        "style": style,
        "table": table,
        "content": content,
        "packed": packed,
        "scripts": "\n".join(f"<script>{script}</script>" for script in scripts),
    }
    page = _asset("page.html")
    pieces = page.split("{{")
    return pieces[0] + "".join(parts[piece.partition("}}")[0]] + piece.partition("}}")[2] for piece in pieces[1:])


def _vega() -> str:
    """JavaScript of Vega, Vega-Lite and Vega-Embed, from the package vl-convert."""
    try:
        import vl_convert
    except ImportError as error:
        raise InputError("a page needs Vega: pip install 'directrank[report]'") from error
    whole = vl_convert.javascript_bundle(None)  # type: ignore[arg-type]  # bundled once per process
    return str(whole).replace("</script", r"<\/script")


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Source expression of a Content-Security-Policy, by digest."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _inline_json(content: Any) -> str:
    """JSON that cannot end a script element, whatever its strings are."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
