"""LightGBM with threads that sleep while they wait.

Those of OpenMP spin for a while after each loop, unless told not to when it is loaded. That costs several times the work
itself where loops are short, and beside other programs that use all cores twenty times.
"""

from __future__ import annotations

import os
import sys

#: Environment variables that say how threads wait.
VARIABLES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")


def load_lightgbm() -> None:
    """Import LightGBM with an OpenMP whose threads sleep; whoever has imported it before, or says otherwise, decides."""
    if "lightgbm" in sys.modules or any(name in os.environ for name in VARIABLES):
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        import lightgbm as lightgbm
    finally:
        del os.environ["OMP_WAIT_POLICY"]
