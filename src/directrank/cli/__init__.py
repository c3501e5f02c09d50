"""The ``directrank`` command.

`commands` has the signature of each command, and `actions` its work, in a file of the same name; `options` has the options
that commands share and what parses them, `console` the terminal: streams, tables, progress, Ctrl-C, output files.

Help, completion and ``--version`` must be fast. Therefore `app`, `commands`, `options` and `console` import neither NumPy
nor anything that does; a command imports its action when it is called. ``tests/test_import_time.py`` checks this.
"""

import os

# Threads that spin while waiting for work slow down every program that uses all cores. OpenMP's threads are told to sleep,
# and OpenBLAS, which has next to nothing to do here, starts none. Both read these variables when they are loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from .app import main

__all__ = ["main"]
