"""LightGBM's collectives over a mesh of ours.

LightGBM's own sockets wait for ever for a machine that has died: they take the end of a connection for progress. But it
lets others do the talking, by two functions; those are here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import lightgbm as lgb

from .meeting import MeshBroken
from .mesh import Mesh, Part

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
def lightgbm_over(mesh: Mesh) -> Iterator[LightGBMNetwork]:
    """Let LightGBM's collectives go over a mesh, for what this thread does in the block.

    LightGBM has one network in each thread, so a block is entered and left on the thread that trains. A booster may be
    trained in several such blocks, over different meshes of the same rank and size. A mesh of one place changes nothing.

    Parameters
    ----------
    mesh : Mesh

    Yields
    ------
    LightGBMNetwork
        Its `check` says whether all went well so far.

    Raises
    ------
    MeshBroken
        A collective failed: what was trained in the block is worth nothing.
    """
    network = LightGBMNetwork(mesh)
    if mesh.size == 1:
        yield network
        return
    with _lightgbm_calling(network):
        try:
            yield network
        except BaseException as error:
            mesh.abort(f"training was broken off here: {error!r}")
            if isinstance(error, Exception):
                network.check()  # LightGBM may well have refused what it got after the failure
            raise
    network.check()


class LightGBMNetwork:
    """What LightGBM calls for its collectives.

    No exception can pass through LightGBM. So an error is remembered, and from then on LightGBM gets, at once, what it
    would get if all machines were like this one: that it can digest, and comes back soon. What it makes of it is to be
    thrown away.

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
        """Raise if a collective has failed: what LightGBM did since is worth nothing.

        Raises
        ------
        MeshBroken
        """
        if self._error is not None:
            raise MeshBroken(str(self._error) or repr(self._error)) from self._error

    def fail(self, error: BaseException) -> None:
        """Remember what went wrong first, and let the other places know."""
        self._error = self._error or error
        self._mesh.abort(str(error) or repr(error))

    def run(self, collective: Callable[..., None], *arguments: Any) -> None:
        """Where LightGBM comes in: it runs a collective and raises nothing."""
        try:
            collective(*arguments)
        except BaseException as error:
            self.fail(error)

    def reduce_scatter(
        self, data: int, size: int, item: int, starts: Any, lengths: Any, count: int, output: int, room: int, reducer: Any
    ) -> None:
        """Every machine has a block for each, and gets the sum of its own, added up in the order of the ranks."""
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
        """Every machine has a block, and gets those of all."""
        block = _memory(data, size, _WRITABLE)
        received = self._exchange([block] * count, lengths[:count])
        memory = _memory(output, room, _WRITABLE)
        for start, part in zip(starts[:count], received, strict=True):
            memory[start : start + len(part)] = part

    def _exchange(self, blocks: list[Part], lengths: Sequence[int]) -> list[Part]:
        """What each machine has for this one, of the lengths that it must have; or one's own block in place of all.

        One's own is copied, as LightGBM may want the output where the input is.
        """
        own = blocks[self.rank] = bytearray(blocks[self.rank])
        try:
            if self._error is None:
                received = self._mesh.exchange(blocks)
                if [len(part) for part in received] != list(lengths):
                    raise MeshBroken("the places of the job are not doing the same: their parts differ in length")
                return received
        except BaseException as error:
            self.fail(error)
        return [(own * (length // max(len(own), 1) + 1))[:length] for length in lengths]


@contextmanager
def _lightgbm_calling(network: LightGBMNetwork) -> Iterator[None]:
    """LightGBM's collectives of this thread are those of a network."""
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
