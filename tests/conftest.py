"""What all tests share."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SOURCES = Path(__file__).parents[1] / "core"

# A kernel compiles within some example; that is no property of the code under test.
settings.register_profile("directrank", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("directrank")


def pytest_sessionstart() -> None:
    """Refuse to run against a compiled core that is older than its sources."""
    try:
        from directrank.core import _compiled
    except ImportError as error:
        raise pytest.UsageError(f"the compiled core cannot be imported ({error}): run make") from error
    built = Path(_compiled.__file__).stat().st_mtime
    if changed := [str(file.relative_to(SOURCES.parent)) for file in SOURCES.rglob("*.?pp") if file.stat().st_mtime > built]:
        raise pytest.UsageError(f"{changed[0]} is newer than the compiled core: run make")


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
