"""The pages of the reference, written before Sphinx reads its sources: public names by module, and the command.

What is public is what a module's ``__all__`` says; what the command takes is what the objects that run it say. So neither
can differ from the code. Pages go to ``reference/``, which git ignores.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from command_page import command_page

#: The public modules, in the order of the site.
MODULES = [
    "directrank",
    "directrank.measures",
    "directrank.measures.parts",
    "directrank.measures.testing",
    "directrank.learners",
    "directrank.selection",
    "directrank.models",
    "directrank.models.export",
    "directrank.data",
    "directrank.evaluation",
    "directrank.evaluation.plots",
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

Everything public, from the docstrings. What :mod:`directrank` itself exports is listed first, each name with a link to the
module where it lives; import it from either.

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
    """Have ``directrank.SVMRanker`` lead where it is documented, ``directrank.learners.SVMRanker``."""
    documented = env.get_domain("py").objects
    for name, module in homes_of_top_names().items():
        if f"{module}.{name}" in documented:
            documented[f"directrank.{name}"] = documented[f"{module}.{name}"]._replace(aliased=True)


def skipped(app: Any, what: str, name: str, value: object, skip: bool, options: object) -> bool | None:
    """What estimators have from scikit-learn is documented there, and a class that an attribute names is no help."""
    from_there = re.fullmatch(r"set_\w+_request|get_metadata_routing|set_output|[gs]et_params", name)
    is_alias = inspect.isclass(value) and what == "class" and not name.startswith("_") and value.__name__ != name
    return True if from_there or is_alias else None


def write_pages(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    write(folder / "index.rst", INDEX.format(modules="\n".join(f"   {name}" for name in MODULES)))
    write(folder / "command.rst", command_page())
    for name in MODULES:
        module = import_module(name)
        write(folder / f"{name}.rst", top_page(module) if name == "directrank" else module_page(module))


def write(path: Path, text: str) -> None:
    """Write a page only if it changes: Sphinx reads again what is newer."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def module_page(module: ModuleType) -> str:
    tables = [table(title, module.__name__, names) for title, names in by_kind(module).items() if names]
    return "\n".join([*heading(module), f".. automodule:: {module.__name__}\n", *tables])


def top_page(module: ModuleType) -> str:
    """The names of the package itself, each documented in the module where it lives."""
    by_home: dict[str, list[str]] = {}
    for name, home in homes_of_top_names().items():
        by_home.setdefault(home, []).append(f"~{home}.{name}")
    tables = [f"From :mod:`{home}`\n\n.. autosummary::\n\n" + lines(names) for home, names in by_home.items()]
    return "\n".join([*heading(module), f".. automodule:: {module.__name__}\n", ".. currentmodule:: None\n", *tables])


def homes_of_top_names() -> dict[str, str]:
    """For each name of the package, the module where it is documented."""
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
