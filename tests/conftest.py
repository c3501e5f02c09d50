"""What all tests share."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A kernel compiles within some example; that is no property of the code under test.
settings.register_profile("directrank", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("directrank")


@pytest.fixture(autouse=True)
def hearing_ctrl_c() -> Iterator[None]:
    """Each test hears Ctrl-C, even if whoever started the tests, as a job in the background, ignores it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data sets, which is not part of the project: beside it, or where DIRECTRANK_DATA says."""
    folder = Path(os.environ.get("DIRECTRANK_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real data sets are not here; set DIRECTRANK_DATA to their folder")
    return folder
