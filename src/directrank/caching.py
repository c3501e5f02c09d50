"""Values computed once for each object."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property"]

if TYPE_CHECKING or sys.version_info >= (3, 12):
    cached_property = functools.cached_property
else:

    class cached_property(functools.cached_property):
        """Python 3.12's, without the lock of earlier ones: threads waited for each other, and a forked process for ever."""

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            cache = instance.__dict__
            if self.attrname not in cache:
                cache[self.attrname] = self.func(instance)
            return cache[self.attrname]
