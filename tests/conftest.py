"""What all tests share."""

from __future__ import annotations

import faulthandler
import inspect
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

# Threads of LightGBM that wait actively slow each other down several times where tests run side by side.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

#: The C++ sources of the core.
SOURCES = Path(__file__).parents[1] / "core"

#: The time for all fuzzers and Hypothesis tests in `make fuzz`; 0 in `make test`.
FUZZ_SECONDS = float(os.environ.get("DIRECTRANK_FUZZ_SECONDS", 0))

# `make test` has the same few examples every time, `make fuzz` new ones.
PROFILE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("test", derandomize=True, database=None, max_examples=25, **PROFILE)
settings.register_profile("fuzz", print_blob=True, **PROFILE)
settings.load_profile("fuzz" if FUZZ_SECONDS else "test")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave only fuzzers and Hypothesis tests in `make fuzz`."""
    if FUZZ_SECONDS:
        chosen = [item for item in items if "fuzz" in getattr(item, "fixturenames", ()) or _is_hypothesis_test(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Repeat a Hypothesis test in `make fuzz`, with new examples, until its time is over."""
    if FUZZ_SECONDS and _is_hypothesis_test(pyfuncitem):
        faulthandler.cancel_dump_traceback_later()  # pytest's limit is for tests that do not know how long they take
        arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
        end = time.monotonic() + _fuzz_seconds(pyfuncitem)
        while time.monotonic() < end:
            pyfuncitem.obj(**arguments)


@pytest.fixture
def fuzz_seconds(request: pytest.FixtureRequest) -> float:
    """The time for one fuzzer in `make fuzz`, or 0 in `make test`."""
    return _fuzz_seconds(request.node)


def _fuzz_seconds(item: pytest.Item) -> float:
    """The share of a test: half of the time is for all fuzzers, half for all Hypothesis tests."""
    kinds = [_is_hypothesis_test(other) for other in item.session.items]
    return FUZZ_SECONDS / len(set(kinds)) / kinds.count(_is_hypothesis_test(item))


def _is_hypothesis_test(item: pytest.Item) -> bool:
    return is_hypothesis_test(getattr(item, "obj", None))


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
