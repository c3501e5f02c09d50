"""Fixture of the fuzzers: a few fixed cases in `make test`, new ones for a given time in `make fuzz MINUTES=n`.

A fuzzer is a test that takes the fixture `fuzz` and hands it a check of one case; the check draws all it needs from the
generator it is given, so that a case is known by its seed::

    def test_letor(fuzz, tmp_path):
        fuzz(lambda rng: check_letor(rng, tmp_path), cases=200)

DIRECTRANK_FUZZ_SECONDS is the time for all fuzzers and Hypothesis tests together; DIRECTRANK_FUZZ_SEED repeats one case.
While a case runs, its seed is in the file `.fuzz/<name of the test>`: that is where to look when a case has taken the
process down.
"""

from __future__ import annotations

import faulthandler
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

Check = Callable[[np.random.Generator], None]
SEEDS = Path(__file__).parents[2] / ".fuzz"


@pytest.fixture
def fuzz(request: pytest.FixtureRequest, fuzz_seconds: float) -> Callable[..., None]:
    """Runs a check on many generators; a failure names the seed that repeats it."""

    def run(check: Check, cases: int) -> None:
        if fuzz_seconds:
            faulthandler.cancel_dump_traceback_later()  # pytest's limit is for tests that do not know how long they take
        for seed in _seeds(cases, fuzz_seconds):
            if fuzz_seconds:
                SEEDS.mkdir(exist_ok=True)
                (SEEDS / request.node.name.replace("/", "_")).write_text(f"{seed}\n")
            try:
                check(np.random.default_rng(seed))
            except BaseException as error:
                error.add_note(f"to repeat: DIRECTRANK_FUZZ_SEED={seed} pytest {request.node.nodeid!r}")
                raise

    return run


def _seeds(cases: int, seconds: float) -> Iterator[int]:
    if "DIRECTRANK_FUZZ_SEED" in os.environ:
        yield int(os.environ["DIRECTRANK_FUZZ_SEED"])
    elif not seconds:
        yield from range(cases)
    else:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            yield int.from_bytes(os.urandom(6), "little")
