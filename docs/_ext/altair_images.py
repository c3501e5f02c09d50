"""Pictures of the gallery: where a block of an example ends in an Altair chart, that chart as a PNG."""

from __future__ import annotations

from typing import Any

import altair as alt
from sphinx_gallery.scrapers import figure_rst

#: Pixels for each unit of a chart: sharp on the screens of today.
SCALE = 2


def _get_sg_image_scraper() -> Any:
    """By this name Sphinx-Gallery finds the scraper of a module."""
    return altair_images


def altair_images(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """A scraper of Sphinx-Gallery, which keeps the value of a block's last line in the name ``___``."""
    names = block_vars["example_globals"]
    chart = names.get("___")
    if not isinstance(chart, alt.TopLevelMixin) or chart is names.get("___saved"):  # it stays if a later block has no value
        return ""
    names["___saved"] = chart
    path = next(block_vars["image_path_iterator"])
    chart.properties(background="white", padding=10).save(path, format="png", scale_factor=SCALE)
    description = chart.to_dict().get("description", "")
    return figure_rst([path], gallery_conf["src_dir"], description or "The chart of the block above")
