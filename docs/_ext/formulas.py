"""Formulas as MathML, which browsers render natively, without external scripts or LaTeX."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(mathml(node, as_block=False))
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def mathml(node: nodes.Element, as_block: bool) -> str:
    # Docutils would parse \frac12 as 12 over the next token.
    formula = re.sub(r"(frac)\s*(\d)\s*(\d)", r"\1{\2}{\3}", node.astext())
    try:
        return str(tex2mathml(formula, as_block=as_block))
    except MathError as error:
        logger.warning("cannot render formula: %s", error, location=node)
        return f"<code>{escape(node.astext())}</code>"
