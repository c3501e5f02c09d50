"""Has Python, wherever this folder is on PYTHONPATH, import the compiled core from the file DIRECTRANK_SANITIZED."""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location


class Sanitized:
    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != "directrank.core._compiled":
            return None
        return spec_from_file_location(name, os.environ["DIRECTRANK_SANITIZED"])


sys.meta_path.insert(0, Sanitized)  # type: ignore[arg-type]
