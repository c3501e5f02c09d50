"""Configuration of the site, which `make docs` builds. Nothing is downloaded: no inventories, no fonts, no scripts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

# Examples are small, so threads would slow them down. Set before the compiled core is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from directrank import __version__

project = "directrank"
author = "the directrank developers"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "reference_pages",
    "formulas",
]
exclude_patterns = ["_build", "_ext", "_templates"]
templates_path = ["_templates"]

# Anchors of headings as on GitHub.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

# Docstrings: a name in single backticks is code, and a link if it is documented here.
default_role = "py:obj"
autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Of a block with prompts, the commands are copied, without the prompts and the output.
copybutton_prompt_text = "$ "

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("altair_images",),
    "ignore_repr_types": r"<class 'altair\.",
    "reset_modules": (),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10**9,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "directrank"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "directrank"},
    "github_url": "https://github.com/directrank/directrank",
    "show_prev_next": False,
    "collapse_navigation": True,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
}
html_sidebars = {"index": [], "changelog": [], "gallery/index": []}
