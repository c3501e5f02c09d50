"""Parallel kernels in several Python threads, and in processes that were forked.

Numba has three threading layers. Under `workqueue`, two Python threads that run parallel kernels at once abort the process;
under GNU's OpenMP, a parallel kernel ends or hangs a process that was forked after one had run. `install` puts a small
function between the kernels and the layer: under `workqueue`, a kernel that starts while another runs does so on its own
thread; in a forked process all do. It is machine code: Python code in its place would wait for the GIL, and lose a Ctrl-C.

OpenMP's threads spin for a while after each loop, unless told not to when it is loaded. That costs several times the work
itself where loops are short, and beside another program that uses all cores makes both far slower. So it is loaded here, and
told so; LightGBM has the same one. Whoever has loaded OpenMP before, or says in the environment how it is to wait, decides.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined, import-untyped, arg-type"
from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir

#: What must live as long as the kernels that call it.
_kept: list[Any] = []


def install() -> None:
    """Have Numba's threads set up as this module says once they start; importing this module does so."""
    from numba.np.ufunc import parallel

    if numba.config.THREADING_LAYER not in ("workqueue", "tbb"):
        with _sleeping_threads(), suppress(ImportError):  # there may be no OpenMP
            from numba.np.ufunc import omppool as omppool

    launch = parallel._launch_threads
    if getattr(launch, "is_directranks", False):
        return

    def launch_threads() -> None:
        launch()
        with parallel._backend_init_thread_lock:
            if not _kept:
                _kept.append(parallel._threading_layer)
                with suppress(Exception):  # a Numba or an LLVM that has changed internally goes without
                    _put_between(parallel._threading_layer)

    launch_threads.is_directranks = True  # type: ignore[attr-defined]
    parallel._launch_threads = launch_threads
    if parallel._is_initialized:
        launch_threads()


@contextmanager
def _sleeping_threads() -> Iterator[None]:
    """Tell an OpenMP that the block loads to let threads sleep while they wait; the environment is then as it was."""
    if any(name in os.environ for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")):
        yield
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        yield
    finally:
        del os.environ["OMP_WAIT_POLICY"]


def _put_between(layer: str) -> None:
    if layer == "workqueue":
        from numba.np.ufunc import workqueue

        _link(_Between(workqueue.parallel_for, "unless_busy"))
    elif layer == "omp":
        from numba.np.ufunc import omppool

        if omppool.openmp_vendor == "GNU":
            between, library = _Between(omppool.parallel_for, "always"), ctypes.CDLL(omppool.__file__)
            _link(between)
            _after_fork(between.to_one_thread)
            _after_fork(lambda: library.omp_set_num_threads(1))


def _after_fork(action: Callable[[], Any]) -> None:
    """Have a forked process do something first: the threads of the process it comes from are not there."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)


class _Between:
    """Machine code that hands a kernel's parallel loop on to a layer, or runs it on the calling thread.

    Parameters
    ----------
    parallel_for : int
        The address of the layer's function.
    when : {"always", "unless_busy"}
        When to hand loops on: always, or unless another one is under way, be it around this one or of another thread.
    """

    def __init__(self, parallel_for: int, when: str) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._engine = llvm.create_mcjit_compiler(
            llvm.parse_assembly(str(_module())), llvm.Target.from_default_triple().create_target_machine()
        )
        self._engine.finalize_object()
        self.address = self._engine.get_function_address(when)
        self._layer = ctypes.c_void_p.from_address(self._engine.get_global_value_address("layer"))
        self._layer.value = parallel_for

    def to_one_thread(self) -> None:
        self._layer.value = self._engine.get_function_address("on_this_thread")


def _link(between: _Between) -> None:
    _kept.append(between)
    llvm.add_symbol("numba_parallel_for", between.address)


def _module() -> ir.Module:
    pointer, count, flag = ir.IntType(8).as_pointer(), ir.IntType(8 * ctypes.sizeof(ctypes.c_ssize_t)), ir.IntType(32)
    parallel_for = ir.FunctionType(ir.VoidType(), [pointer] * 5 + [count] * 3)  # the loop, its four arguments, three counts
    module = ir.Module()
    module.triple = llvm.get_process_triple()
    layer = ir.GlobalVariable(module, parallel_for.as_pointer(), "layer")
    layer.initializer = ir.Constant(parallel_for.as_pointer(), None)
    busy = ir.GlobalVariable(module, flag, "busy")
    busy.initializer = flag(0)

    # The schedule has been made for all threads: the loop goes through all its parts, so results are the same.
    alone = ir.Function(module, parallel_for, "on_this_thread")
    builder = ir.IRBuilder(alone.append_basic_block())
    loop = ir.FunctionType(ir.VoidType(), [pointer] * 4).as_pointer()
    builder.call(builder.bitcast(alone.args[0], loop), alone.args[1:5])
    builder.ret_void()

    always = ir.Function(module, parallel_for, "always")
    builder = ir.IRBuilder(always.append_basic_block())
    builder.call(builder.load(layer), always.args)
    builder.ret_void()

    unless_busy = ir.Function(module, parallel_for, "unless_busy")
    builder = ir.IRBuilder(unless_busy.append_basic_block())
    taken = builder.extract_value(builder.cmpxchg(busy, flag(0), flag(1), "acq_rel", "monotonic"), 1)
    with builder.if_else(taken) as (then, otherwise):
        with then:
            builder.call(builder.load(layer), unless_busy.args)
            builder.store_atomic(flag(0), busy, "release", 4)
        with otherwise:
            builder.call(alone, unless_busy.args)
    builder.ret_void()
    return module


with suppress(AttributeError, ImportError):  # a Numba that has changed internally goes without
    install()
