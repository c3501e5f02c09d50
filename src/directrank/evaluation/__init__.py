"""Evaluation and comparison of rankings."""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)  # what __init__.pyi imports
