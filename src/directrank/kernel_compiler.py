"""Numba as the kernels of this package import it: its threads and its cache on disk are set up before any is declared."""

from contextlib import suppress

from numba import get_num_threads as get_num_threads, njit as njit, prange as prange

from . import kernel_threads as kernel_threads

with suppress(AttributeError, ImportError):  # a Numba that has changed internally goes without
    from . import kernel_cache as kernel_cache
