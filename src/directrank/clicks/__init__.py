"""Learning from what users clicked: logs, position bias, click models, estimates of relevance, simulation."""

import lazy_loader as _lazy_loader

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)  # names that __init__.pyi imports
