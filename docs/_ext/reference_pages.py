"""Generate the pages of the reference before Sphinx reads its sources: the public API by module, and the command line.

The public API is ``__all__`` of each module, and the command page is generated from the command objects, so neither can
differ from the code. Pages are written to ``reference/``, which git ignores.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from command_page import command_page

#: Public modules, in the order of the site.
MODULES = [
    "directrank",
    "directrank.measures",
    "directrank.measures.parts",
    "directrank.measures.testing",
    "directrank.learners",
    "directrank.learners.testing",
    "directrank.selection",
    "directrank.models",
    "directrank.models.export",
    "directrank.data",
    "directrank.evaluation",
    "directrank.evaluation.plots",
    "directrank.clicks",
    "directrank.features",
    "directrank.fusion",
    "directrank.retrieval",
    "directrank.datasets",
    "directrank.distributed",
    "directrank.core.num_threads",
    "directrank.papers",
]

INDEX = """
Reference
=========

The public API and the command line. Names exported by :mod:`directrank` itself are listed first, each with a link to the
module that defines it; they can be imported from either.

.. toctree::
   :maxdepth: 1

   command
{modules}
"""


def setup(app: Any) -> dict[str, bool]:
    app.connect("config-inited", lambda app, config: write_pages(Path(app.srcdir) / "reference"))
    app.connect("autodoc-skip-member", skipped)
    app.connect("env-updated", link_top_names)
    return {"parallel_read_safe": True}


def link_top_names(app: Any, env: Any) -> None:
    """Make references to ``directrank.SVMRanker`` resolve to ``directrank.learners.SVMRanker``, where it is documented."""
    documented = env.get_domain("py").objects
    for name, module in modules_of_top_names().items():
        if f"{module}.{name}" in documented:
            documented[f"directrank.{name}"] = documented[f"{module}.{name}"]._replace(aliased=True)


def skipped(app: Any, what: str, name: str, value: object, skip: bool, options: object) -> bool | None:
    """Skip members that estimators inherit from scikit-learn, and attributes that are aliases of classes."""
    inherited = re.fullmatch(r"set_\w+_request|get_metadata_routing|set_output|[gs]et_params", name)
    is_alias = inspect.isclass(value) and what == "class" and not name.startswith("_") and value.__name__ != name
    return True if inherited or is_alias else None


def write_pages(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    write(folder / "index.rst", INDEX.format(modules="\n".join(f"   {name}" for name in MODULES)))
    write(folder / "command.rst", command_page())
    for name in MODULES:
        module = import_module(name)
        write(folder / f"{name}.rst", top_page(module) if name == "directrank" else module_page(module))


def write(path: Path, text: str) -> None:
    """Write a page only if it has changed, so that Sphinx does not read it again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def module_page(module: ModuleType) -> str:
    tables = [table(title, module.__name__, names) for title, names in by_kind(module).items() if names]
    return "\n".join([*heading(module), f".. automodule:: {module.__name__}\n", *tables])


def top_page(module: ModuleType) -> str:
    """Names exported by the package itself, grouped by the module where each is documented."""
    by_module: dict[str, list[str]] = {}
    for name, home in modules_of_top_names().items():
        by_module.setdefault(home, []).append(f"~{home}.{name}")
    tables = [f"From :mod:`{home}`\n\n.. autosummary::\n\n" + lines(names) for home, names in by_module.items()]
    return "\n".join([*heading(module), f".. automodule:: {module.__name__}\n", ".. currentmodule:: None\n", *tables])


def modules_of_top_names() -> dict[str, str]:
    """Module where each name exported by the package is documented."""
    modules = [import_module(name) for name in MODULES[1:]]
    names = sorted(set(import_module("directrank").__all__), key=str.lower)
    return {name: next(module.__name__ for module in modules if name in module.__all__) for name in names}


def heading(module: ModuleType) -> list[str]:
    return [module.__name__, "=" * len(module.__name__), ""]


def by_kind(module: ModuleType) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {"Classes": [], "Functions": [], "Exceptions and warnings": [], "Constants": []}
    for name in sorted(set(module.__all__), key=str.lower):
        value = getattr(module, name)
        if inspect.ismodule(value):
            continue  # it has a page of its own
        if inspect.isclass(value):
            kinds["Exceptions and warnings" if issubclass(value, BaseException) else "Classes"].append(name)
        else:
            kinds["Functions" if callable(value) else "Constants"].append(name)
    return kinds


def table(title: str, module: str, names: list[str]) -> str:
    header = f"{title}\n{'-' * len(title)}\n\n.. currentmodule:: {module}\n\n"
    if title == "Constants":
        return header + "\n".join(f".. autodata:: {name}\n   :no-value:\n" for name in names)
    return header + ".. autosummary::\n   :toctree: names\n\n" + lines(names)


def lines(names: list[str]) -> str:
    return "\n".join(f"   {name}" for name in names) + "\n"
