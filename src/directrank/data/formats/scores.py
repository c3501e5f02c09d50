"""Files of scores: one number per line, in the order of the rows of the data."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checked_arrays import as_scores
from ..io.files import PathLike, replacing
from ..parsing.text_table import read_table


def read_scores(path: PathLike, *, max_size: int | None = None) -> NDArray[np.float64]:
    """Read one score per line, plain or gzip; at most `max_size` bytes after decompression."""
    return read_table(path, "score", max_size).numbers(0, "score")


def write_scores(path: PathLike, scores: ArrayLike) -> None:
    """Write one score per line, with enough digits to read it back exactly; gzip if the name ends in .gz."""
    values = as_scores(scores, np.size(scores))
    with replacing(path) as file:
        file.write("".join(f"{score!r}\n" for score in values.tolist()).encode())
