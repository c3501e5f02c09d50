"""Image scraper of the gallery: saves the Altair chart at the end of a code block as a PNG."""

from __future__ import annotations

from typing import Any

import altair as alt
from sphinx_gallery.scrapers import figure_rst

#: Pixels per unit of a chart, for high-resolution screens.
SCALE = 2


def _get_sg_image_scraper() -> Any:
    """Scraper for Sphinx-Gallery, which looks for a function of this name in a module."""
    return altair_images


def altair_images(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the value of a block's last line, which Sphinx-Gallery keeps as ``___``, if it is a new chart."""
    names = block_vars["example_globals"]
    chart = names.get("___")
    if not isinstance(chart, alt.TopLevelMixin) or chart is names.get("___saved"):  # the value of an earlier block
        return ""
    names["___saved"] = chart
    path = next(block_vars["image_path_iterator"])
    chart.properties(background="white", padding=10).save(path, format="png", scale_factor=SCALE)
    description = chart.to_dict().get("description", "")
    return figure_rst([path], gallery_conf["src_dir"], description or "Chart of the block above")
