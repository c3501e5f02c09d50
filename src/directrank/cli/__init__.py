"""The ``directrank`` command."""

import os

# Threads that wait for work by spinning make this and any other program that uses all cores a hundred times slower: OpenMP's
# are to sleep, and OpenBLAS, which has next to nothing to do here, starts none. Both read this when they are loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from .app import main

__all__ = ["main"]
