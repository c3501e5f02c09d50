"""Warnings point at the first caller outside of the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import directrank
from directrank.learners.core.warning import warn


def test_a_package_whose_name_begins_alike_is_another_one() -> None:
    file = str(Path(directrank.__file__).parent) + "_extras/module.py"
    namespace = {"warn": warn}
    exec(compile("def call():\n    warn('here', UserWarning)\n", file, "exec"), namespace)
    with pytest.warns(UserWarning, match="here") as caught:
        namespace["call"]()
    assert caught[0].filename == file
