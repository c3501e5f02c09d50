"""LightGBM's collectives over a `Mesh`.

LightGBM's own sockets wait forever for a machine that has died: they take the end of a connection for progress. But LightGBM
accepts external functions for its two collectives, reduce-scatter and allgather; they are implemented here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import lightgbm as lgb

from .link import Part
from .mesh import Mesh
from .rendezvous import MeshError

_SIZES = ctypes.POINTER(ctypes.c_int32)
_Reduce = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int32)
_ReduceScatter = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int,
    _SIZES,
    _SIZES,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_void_p),  # a reference to a pointer to a function
)
_Allgather = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int32, _SIZES, _SIZES, ctypes.c_int, ctypes.c_void_p, ctypes.c_int32
)

_call = lgb.basic._safe_call
_library = lgb.basic._LIB  # type: ignore[attr-defined]

_memory = ctypes.pythonapi.PyMemoryView_FromMemory
_memory.restype = ctypes.py_object
_memory.argtypes = (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)
_WRITABLE = 0x200


@contextmanager
def lightgbm_over(mesh: Mesh) -> Iterator[LightGBMCollectives]:
    """Run LightGBM's collectives of this thread over a mesh, within the block.

    LightGBM has one network per thread, so a block is entered and left on the thread that trains. A booster may be trained
    in several such blocks, over different meshes of the same rank and size. A mesh of one rank changes nothing.

    Parameters
    ----------
    mesh : Mesh

    Yields
    ------
    LightGBMCollectives
        Its `check` raises if a collective has failed.

    Raises
    ------
    MeshError
        A collective failed: the training in the block is invalid.
    """
    network = LightGBMCollectives(mesh)
    if mesh.size == 1:
        yield network
        return
    with _registered(network):
        try:
            yield network
        except BaseException as error:
            mesh.abort(f"training was aborted: {error!r}")
            if isinstance(error, Exception):
                network.check()  # LightGBM may have refused the data that it got after the failure
            raise
    network.check()


class LightGBMCollectives:
    """Collective functions that LightGBM calls.

    No exception can pass through LightGBM. So the first error is kept, and from then on LightGBM gets, at once, the data
    that it would get if all machines were like this one: valid data, with which it returns soon. The result must be
    discarded.

    Parameters
    ----------
    mesh : Mesh
    """

    def __init__(self, mesh: Mesh) -> None:
        self.rank = mesh.rank
        self.size = mesh.size
        self._mesh = mesh
        self._error: BaseException | None = None

    def check(self) -> None:
        """Raise if a collective has failed: LightGBM's results since then are invalid.

        Raises
        ------
        MeshError
        """
        if self._error is not None:
            raise MeshError(str(self._error) or repr(self._error)) from self._error

    def fail(self, error: BaseException) -> None:
        """Keep the first error, and abort the other ranks."""
        self._error = self._error or error
        self._mesh.abort(str(error) or repr(error))

    def run(self, collective: Callable[..., None], *arguments: Any) -> None:
        """Run a collective without raising."""
        try:
            collective(*arguments)
        except BaseException as error:
            self.fail(error)

    def reduce_scatter(
        self, data: int, size: int, item: int, starts: Any, lengths: Any, count: int, output: int, room: int, reducer: Any
    ) -> None:
        """Each rank has a block for every rank, and gets the sum of its own blocks, added in rank order."""
        memory = _memory(data, size, _WRITABLE)
        blocks: list[Part] = [memory[starts[j] : starts[j] + lengths[j]] for j in range(count)]
        length = lengths[self.rank]
        received = self._exchange(blocks, [length] * count)
        _memory(output, length, _WRITABLE)[:] = received[0]
        reduce = _Reduce(reducer[0])
        for block in received[1:]:
            if length:
                reduce(ctypes.byref(ctypes.c_char.from_buffer(block)), output, item, length)

    def allgather(self, data: int, size: int, starts: Any, lengths: Any, count: int, output: int, room: int) -> None:
        """Each rank has a block, and gets the blocks of all."""
        block = _memory(data, size, _WRITABLE)
        received = self._exchange([block] * count, lengths[:count])
        memory = _memory(output, room, _WRITABLE)
        for start, part in zip(starts[:count], received, strict=True):
            memory[start : start + len(part)] = part

    def _exchange(self, blocks: list[Part], lengths: Sequence[int]) -> list[Part]:
        """Blocks from all ranks for this one, of known lengths; after a failure, copies of the own block.

        The own block is copied, as LightGBM may use the same memory for input and output.
        """
        own = blocks[self.rank] = bytearray(blocks[self.rank])
        try:
            if self._error is None:
                return self._mesh.exchange(blocks, lengths)
        except BaseException as error:
            self.fail(error)
        return [(own * (length // max(len(own), 1) + 1))[:length] for length in lengths]


@contextmanager
def _registered(network: LightGBMCollectives) -> Iterator[None]:
    """Register the collectives with LightGBM, for this thread."""
    functions = (  # LightGBM does not keep them alive
        _ReduceScatter(partial(network.run, network.reduce_scatter)),
        _Allgather(partial(network.run, network.allgather)),
    )
    _call(_library.LGBM_DatasetUpdateParamChecking(b"verbosity=-1", b"verbosity=-1"))  # or it would announce the network
    _call(_library.LGBM_NetworkInitWithFunctions(network.size, network.rank, *functions))
    try:
        yield
    finally:
        _call(_library.LGBM_NetworkFree())
