"""The ``directrank`` command."""

import os

# Beside another program that uses all cores, threads that wait for work by spinning make both a hundred times slower. OpenMP
# reads this when it is loaded, so it must be said before anything that loads it.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from .app import main

__all__ = ["main"]
