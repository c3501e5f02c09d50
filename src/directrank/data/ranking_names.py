"""Names of rankings: a run's tag, or the shortest distinct name of its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

#: File extensions that names leave out.
_EXTENSIONS = {".gz", ".run", ".txt", ".json", ".trec", ".res", ".scores", ".tsv"}


def ranking_names(files: Sequence[Path], tags: Sequence[str | None]) -> list[str]:
    """Name each ranking by its run tag, or by its file where tags repeat or are absent.

    Parameters
    ----------
    files : sequence of Path
        All different.
    tags : sequence of str or None
        The tag of each run; None for a ranking that has no tag, such as a model.

    Returns
    -------
    list of str
        All different. Should a tag be another file's name, all rankings are named by their files.
    """
    unique = [tag if tag and tags.count(tag) == 1 else None for tag in tags]
    by_file = iter(shortest_names([file for file, tag in zip(files, unique, strict=True) if tag is None]))
    names = [tag if tag is not None else next(by_file) for tag in unique]
    return names if len(set(names)) == len(names) else shortest_names(files)


def shortest_names(files: Sequence[Path]) -> list[str]:
    """Shortest names that tell files apart: without extensions, with them, with the folder, ..., or the full paths."""
    bare = [(*file.parts[:-1], _without_extensions(file.name)) for file in files]
    for depth in range(1, max(map(len, bare), default=0) + 1):
        for parts_of_files in (bare, [file.parts for file in files]):
            names = [str(Path(*parts[-depth:])) for parts in parts_of_files]
            if len(set(names)) == len(names):
                return names
    return [str(file) for file in files]


def _without_extensions(name: str) -> str:
    while Path(name).suffix.lower() in _EXTENSIONS:
        name = Path(name).stem
    return name
