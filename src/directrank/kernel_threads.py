"""Parallel kernels in several Python threads, and in processes that were forked.

Numba has three threading layers. Under `workqueue`, two Python threads that run parallel kernels at once abort the process;
under GNU's OpenMP, a parallel kernel ends or hangs a process that was forked after one had run. `install` stands between the
kernels and the layer: under `workqueue` they wait for each other, and in a forked process they run on one thread.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined, import-untyped, arg-type"
from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from threading import Lock
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.np.ufunc import parallel

#: What kernels call: the function, its arguments, dimensions, steps and data, then three counts.
_PARALLEL_FOR = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5, *[ctypes.c_ssize_t] * 3)

#: Whatever must live as long as the kernels that call it.
_kept: list[Any] = []


def install() -> None:
    """Stand between kernels and Numba's threads, once those start; importing this module does so."""
    launch = parallel._launch_threads
    if getattr(launch, "is_directranks", False):
        return

    def launch_threads() -> None:
        with parallel._backend_init_thread_lock:  # no other thread may link a kernel between the two
            launch()
            if not _kept:
                _stand_between(parallel._threading_layer)

    launch_threads.is_directranks = True  # type: ignore[attr-defined]
    parallel._launch_threads = launch_threads
    if parallel._is_initialized:
        launch_threads()


def _stand_between(layer: str) -> None:
    _kept.append(layer)
    if layer == "workqueue":
        from numba.np.ufunc import workqueue

        _link_to(_one_at_a_time(_PARALLEL_FOR(workqueue.parallel_for)))
    elif layer == "omp":
        from numba.np.ufunc import omppool

        if omppool.openmp_vendor == "GNU":
            switch = _Switch(omppool.parallel_for)
            _kept.append(switch)
            llvm.add_symbol("numba_parallel_for", switch.address)
            _after_fork(switch.to_one_thread)
            _after_fork(lambda: _use_one_thread_of_OpenMP(ctypes.CDLL(omppool.__file__)))
    if sys.platform == "linux":  # elsewhere OpenMP is not GNU's, and survives
        _after_fork(_keep_LightGBM_to_one_thread)


def _after_fork(action: Callable[[], None]) -> None:
    """Have a forked process do something first: the threads of the process it comes from are not there."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)


def _keep_LightGBM_to_one_thread() -> None:
    library = getattr(getattr(sys.modules.get("lightgbm"), "basic", None), "_LIB", None)
    if library is not None:
        _use_one_thread_of_OpenMP(library)


def _use_one_thread_of_OpenMP(library: ctypes.CDLL) -> None:
    """Of the OpenMP that a library is linked to."""
    library.omp_set_num_threads(1)


def _one_at_a_time(parallel_for: Any) -> Any:
    """A kernel waits until no other runs. It has released the GIL, and so does who waits for the lock here."""
    lock = Lock()
    _after_fork(lock._at_fork_reinit)  # type: ignore[attr-defined]

    def run(*arguments: Any) -> None:
        with lock:
            parallel_for(*arguments)

    return _PARALLEL_FOR(run)


def _link_to(function: Any) -> None:
    _kept.append(function)
    llvm.add_symbol("numba_parallel_for", ctypes.cast(function, ctypes.c_void_p).value)


class _Switch:
    """Machine code that calls whatever function it is set to: linked kernels cannot be made to call another.

    Python code in its place would want the GIL at each call, and wait for every thread that computes in Python.
    """

    def __init__(self, parallel_for: int) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._engine = llvm.create_mcjit_compiler(
            llvm.parse_assembly(str(_module())), llvm.Target.from_default_triple().create_target_machine()
        )
        self._engine.finalize_object()
        self.address = self._engine.get_function_address("call")
        self._target = ctypes.c_void_p.from_address(self._engine.get_global_value_address("target"))
        self._target.value = parallel_for

    def to_one_thread(self) -> None:
        self._target.value = self._engine.get_function_address("serial")


def _module() -> ir.Module:
    pointer, count = ir.IntType(8).as_pointer(), ir.IntType(8 * ctypes.sizeof(ctypes.c_ssize_t))
    parallel_for = ir.FunctionType(ir.VoidType(), [pointer] * 5 + [count] * 3)
    function = ir.FunctionType(ir.VoidType(), [pointer] * 4)
    module = ir.Module()
    module.triple = llvm.get_process_triple()
    target = ir.GlobalVariable(module, parallel_for.as_pointer(), "target")
    target.initializer = ir.Constant(parallel_for.as_pointer(), None)

    call = ir.Function(module, parallel_for, "call")
    builder = ir.IRBuilder(call.append_basic_block())
    builder.call(builder.load(target), call.args)
    builder.ret_void()

    # The schedule has been made for all threads: the function goes through all its parts, so results are the same.
    serial = ir.Function(module, parallel_for, "serial")
    builder = ir.IRBuilder(serial.append_basic_block())
    builder.call(builder.bitcast(serial.args[0], function.as_pointer()), serial.args[1:5])
    builder.ret_void()
    return module


install()
