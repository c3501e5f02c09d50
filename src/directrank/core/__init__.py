"""The compiled kernels, a module for each subject: ``core.average_precision`` has those of ``average_precision.hpp``.

They are C++, in the folder ``core`` of the sources. What is handed over is checked: arrays of another type, shape or length
than a kernel takes are a TypeError or ValueError.
"""

from typing import TYPE_CHECKING, Any

from ._compiled import *  # noqa: F403
from ._compiled import threads as _threads
from .num_threads import default_num_threads as _default_num_threads

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


_threads.set_num_threads(_default_num_threads())
