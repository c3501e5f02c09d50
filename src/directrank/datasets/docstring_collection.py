"""The docstrings of NumPy, SciPy and scikit-learn as a test collection: real text, available on every machine.

A query is the one-line summary of a public function or class; a document is the rest of its docstring, without the summary
and the "See Also" section. The function itself has grade 2, those in its "See Also" section have grade 1.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import ModuleType

from ..data import Qrels

PACKAGES = ("numpy", "scipy", "sklearn")

_SECTION = re.compile(r"^[ \t]*([A-Z][A-Za-z ]+)\n[ \t]*-{3,}[ \t]*$", re.MULTILINE)
_SET = re.compile(r"\{('\w+'(?:, '\w+')+)\}")
_NAME = re.compile(r"[A-Za-z_][\w.]*")


@dataclass(frozen=True)
class Collection:
    """Documents, queries and judgments.

    Attributes
    ----------
    documents : dict of docno to text
    queries : dict of qid to text
    qrels : Qrels
    """

    documents: dict[str, str]
    queries: dict[str, str]
    qrels: Qrels

    def __repr__(self) -> str:
        return f"Collection({len(self.documents):,} documents, {len(self.queries):,} queries, {len(self.qrels):,} judgments)"


def docstrings(packages: tuple[str, ...] = PACKAGES) -> Collection:
    """Build the collection, which depends only on the versions of the packages.

    Queries are the functions whose "See Also" section refers to another document.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about deprecated modules and names
        modules = {package: list(_modules(package)) for package in packages}  # all first: SciPy edits a docstring of NumPy
        entries = {entry.name: entry for package in packages for entry in _entries(package, modules[package])}
    documents = {name: entry.rest for name, entry in entries.items()}
    names = {alias: name for name, entry in entries.items() for alias in entry.aliases}
    by_last = _by_last_name(entries)
    queries, judged = {}, []
    for name, entry in entries.items():
        related = {found for text in entry.related if (found := _resolve(text, name, names, by_last)) not in (None, name)}
        if related and entry.summary:
            queries[name] = entry.summary
            judged.append((name, name, 2.0))
            judged += [(name, str(other), 1.0) for other in sorted(map(str, related))]
    qid, docno, grade = zip(*judged, strict=True)
    return Collection(documents, queries, Qrels(list(qid), list(docno), list(grade)))


@dataclass(frozen=True)
class _Entry:
    name: str
    summary: str
    rest: str
    related: tuple[str, ...]
    aliases: tuple[str, ...] = ()


def _entries(package: str, modules: list[ModuleType]) -> Iterator[_Entry]:
    """Each public function and class of a package once, under its shortest name."""
    found: dict[int, tuple[str, list[str]]] = {}
    for module in modules:
        for attribute in sorted(getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]):
            thing = getattr(module, attribute, None)
            if not (inspect.isclass(thing) or callable(thing)) or inspect.ismodule(thing):
                continue
            text, name = _docstring(thing), f"{module.__name__}.{attribute}"
            if text is None or not str(getattr(thing, "__module__", package) or package).startswith(package):
                continue
            found.setdefault(id(thing), (text, []))[1].append(name)
    by_name = {min(names, key=lambda name: (len(name), name)): (text, names) for text, names in found.values()}
    for name, (text, names) in sorted(by_name.items()):
        yield replace(_parsed(name, text), aliases=tuple(names))


def _modules(package: str) -> Iterator[ModuleType]:
    """The public modules of a package that can be imported."""
    root = importlib.import_module(package)
    yield root
    for info in sorted(pkgutil.walk_packages(root.__path__, f"{package}.", onerror=lambda _: None), key=lambda i: i.name):
        parts = info.name.split(".")
        if any(part.startswith("_") or part in ("tests", "conftest", "setup", "f2py", "distutils") for part in parts):
            continue
        try:
            yield importlib.import_module(info.name)
        except Exception:  # a module with requirements that are not installed
            continue


def _docstring(thing: object) -> str | None:
    try:
        text = inspect.getdoc(thing)
    except Exception:  # an object that cannot be inspected
        return None
    return _reproducible(text) if isinstance(text, str) and text.strip() else None


def _reproducible(text: str) -> str:
    """Remove what differs between imports: random examples, which SciPy marks, and the order of sets."""
    lines = [line for line in text.splitlines() if not line.rstrip().endswith("# may vary")]
    return _SET.sub(lambda found: f"{{{', '.join(sorted(found[1].split(', ')))}}}", "\n".join(lines))


def _parsed(name: str, text: str) -> _Entry:
    paragraphs = re.split(r"\n\s*\n", text.strip())
    # The first paragraph of a NumPy ufunc is its signature.
    start = 1 if len(paragraphs) > 1 and re.match(r"^[\w.]+\(.*\)", paragraphs[0], re.DOTALL) else 0
    summary = " ".join(paragraphs[start].split())
    body = "\n\n".join(paragraphs[start + 1 :])
    sections = list(_SECTION.finditer(body))
    ends = [section.start() for section in sections[1:]] + [len(body)]
    for section, end in zip(sections, ends, strict=False):
        if section[1].strip() == "See Also":
            see_also = body[section.end() : end]
            return _Entry(name, summary, body[: section.start()] + body[end:], tuple(_named(see_also)))
    return _Entry(name, summary, body, ())


def section_of(text: str, name: str) -> str:
    """The text of a section of a docstring, such as "Parameters"; empty if it has none."""
    sections = list(_SECTION.finditer(text))
    ends = [section.start() for section in sections[1:]] + [len(text)]
    return next((text[s.end() : end] for s, end in zip(sections, ends, strict=False) if s[1].strip() == name), "")


def _named(see_also: str) -> Iterator[str]:
    """The names in a "See Also" section: those before a colon, or on a line of their own."""
    lines = [line for line in see_also.splitlines() if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    for line in lines:
        if len(line) - len(line.lstrip()) == indent:  # lines that are indented further are descriptions
            names = re.sub(r":\w+:|`|~", " ", line.split(" : ")[0])
            yield from _NAME.findall(names)


def _by_last_name(entries: dict[str, _Entry]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in entries:
        found.setdefault(name.rsplit(".", 1)[1], []).append(name)
    return found


def _resolve(text: str, source: str, names: dict[str, str], by_last: dict[str, list[str]]) -> str | None:
    """The document that a name refers to: in the module of its source, in a package, or the only one that ends like it."""
    module, package = source.rsplit(".", 1)[0], source.split(".")[0]
    for prefix in ("", f"{module}.", f"{package}.", "numpy.", "scipy."):
        if prefix + text in names:
            return names[prefix + text]
    last = text.rsplit(".", 1)[-1]
    near = [name for name in by_last.get(last, []) if name.startswith(f"{package}.") and name.endswith(f".{text}")]
    return near[0] if len(near) == 1 else None
