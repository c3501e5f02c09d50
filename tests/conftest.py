"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A kernel compiles within some example; that is no property of the code under test.
settings.register_profile("directrank", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("directrank")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data sets, which is not part of the project: beside it, or where DIRECTRANK_DATA says."""
    folder = Path(os.environ.get("DIRECTRANK_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real data sets are not here; set DIRECTRANK_DATA to their folder")
    return folder
