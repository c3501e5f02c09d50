"""Digest of the code that computes results, so that results of other code are not taken for its own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

from ..core import _compiled

#: Dependencies that results depend on.
LIBRARIES = ("numpy", "scipy", "scikit-learn", "lightgbm", "PyStemmer")

#: Packages of directrank that results do not depend on.
_UNRELATED = {"cli", "distributed"}


@cache
def code_digest() -> str:
    """Digest of the installed directrank and the versions of its dependencies."""
    package, core = Path(__file__).parents[1], _compiled.__file__  # which an editable install keeps elsewhere
    return digest(package, Path(core), {name: version(name) for name in LIBRARIES})


def digest(package: Path, core: Path, versions: Mapping[str, str]) -> str:
    """Digest of a package's Python sources and compiled core, byte by byte, and of versions."""
    found = blake2b(repr(sorted(versions.items())).encode(), digest_size=5)
    sources = {path.relative_to(package): path for path in package.rglob("*.py")}
    used = {place.as_posix(): path for place, path in sources.items() if place.parts[0] not in _UNRELATED}
    for place, path in [*sorted(used.items()), ("core", core)]:
        content = path.read_bytes()
        found.update(f"\n{place} {len(content)}\n".encode() + content)
    return found.hexdigest()
