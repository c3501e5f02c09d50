"""Types of arrays: `Floats`, `Ints` and `Bools`, for annotations here and in measures of your own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
