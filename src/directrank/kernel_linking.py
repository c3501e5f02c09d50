"""Kernels are compiled where they are called from: machine code is made of the outermost one alone.

Numba makes machine code of every function that a kernel calls, directly or not, though it then links them all into the
kernel and optimises them again there: of some 250 functions for 20 kernels, say. `install` has it link only, for the kernels
of this package. A function so linked is not kept on disk; Python code that calls it as well gets a kernel of its own.

All this is within Numba, so it is done only to a Numba that the tests ran with; any other compiles as ever, for longer.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined, import-untyped, arg-type"
from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import codegen, compiler, cpu, dispatcher, targetconfig, typed_passes, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment

#: The series of Numba whose insides are known.
KNOWN = ("0.68",)

#: What is loaded as `Loaded`.
LOADED = "directrank"

#: How many functions are being compiled, each because the one before calls it; none while another package's is.
_depth = 0


class Linked(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that other kernels are linked with; it has no address."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"  # many kernels may have it
        self._shared_module = self._final_module
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0


class Loaded(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel from disk; what others would be linked with is looked at if one is."""

    def __init__(self, code: Any, state: tuple[str, str, tuple[bytes, bytes]]) -> None:
        name, _, (machine_code, self._bitcode) = state
        super().__init__(code, name)
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()

    def get_pointer_to_function(self, name: str) -> int:
        return int(self._codegen._engine.get_function_address(name))

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = llvm.parse_bitcode(self._bitcode)
        return self._shared_module


def install() -> bool:
    """Have Numba compile as this module says, if it is a known one; importing this module does so."""
    if ".".join(numba.__version__.split(".")[:2]) not in KNOWN:
        return False
    changed: list[tuple[type, str, Callable[..., Any]]] = [
        (compiler.CompilerBase, "_compile_core", _compile),
        (compiler.CompileResult, "_find_referenced_environments", _referenced_environments),
        (typed_passes.BaseNativeLowering, "run_pass", _lower),
        (codegen.JITCPUCodegen, "create_library", _create_library),
        (codegen.JITCPUCodegen, "unserialize_library", _load_library),
        (codegen.JITCPUCodegen, "set_env", _set_environment),
        (cpu.CPUContext, "get_executable", _make_executable),
        (dispatcher.Dispatcher, "compile", _compile_overload),
        (dispatcher.Dispatcher, "add_overload", _add_overload),
        (dispatcher.Dispatcher, "get_call_template", _call_template),
        (targetconfig.TargetConfig, "values", _values),
    ]
    if not all(hasattr(owner, name) for owner, name, _ in changed):
        return False
    methods = [_around(getattr(owner, name), function) for owner, name, function in changed]
    for (owner, name, _), method in zip(changed, methods, strict=True):
        setattr(owner, name, method)
    return True


def _around(before: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that is a function of what it was before and of its arguments."""

    def method(self: Any, *args: Any, **options: Any) -> Any:
        return function(before, self, *args, **options)

    return method


def _is_ours(module: str) -> bool:
    return module.startswith(f"{__package__}.")


def _compile(before: Any, pipeline: Any) -> Any:
    """Compile one function."""
    global _depth
    if _depth == 0 and not _is_ours(pipeline.state.func_id.modname):
        return before(pipeline)
    _depth += 1
    try:
        _say_that_kernels_are_compiled()
        return before(pipeline)
    finally:
        _depth -= 1


@cache
def _say_that_kernels_are_compiled() -> None:
    """To whoever listens, as the command does."""
    logging.getLogger(__package__).info("compiling kernels, once after installing: this takes some seconds")


def _referenced_environments(before: Any, result: Any) -> list[Any]:
    """The environments that code refers to: for any other, loading would import the module of a function for nothing."""
    code = str(result.library._final_module)
    return [environment for environment in before(result) if code.count(environment.env_name) > 1]


def _lower(before: Any, lowering: Any, state: Any) -> Any:
    """Make LLVM's code of a function that has been typed; only the outermost one is called from Python."""
    if _depth:
        state.flags.no_cfunc_wrapper, state.flags.no_cpython_wrapper = True, _depth > 1
    if _depth == 1:
        state.library = codegen.JITCodeLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
    return before(lowering, state)


def _create_library(before: Any, code: Any, name: str, **options: Any) -> Any:
    return Linked(code, name, **options) if _depth else before(code, name, **options)


def _load_library(before: Any, code: Any, state: Any) -> Any:
    return Loaded(code, state) if state[1] == LOADED else before(code, state)


@contextmanager
def as_outermost() -> Iterator[None]:
    """While a kernel is loaded: it is one for Python, too, though another one calls it."""
    global _depth
    depth, _depth = _depth, 0
    try:
        yield
    finally:
        _depth = depth


def _set_environment(before: Any, code: Any, name: str, environment: Any) -> None:
    if _depth <= 1:
        before(code, name, environment)


def _make_executable(before: Any, target: Any, library: Any, description: Any, environment: Any) -> Any:
    """Make a function that Python can call; those that it is linked with get their environments."""
    found = before(target, library, description, environment)
    if not isinstance(library, Linked):
        for name in [variable.name for variable in library._final_module.global_variables]:
            linked = lookup_environment(name)
            if linked is not None:
                library.codegen.set_env(name, linked)
    return found


def _compile_overload(before: Any, kernel: Any, signature: Any) -> Any:
    with global_compiler_lock:  # or `_depth` may be that of another thread
        if _depth:
            return before(kernel, signature)
        for arguments, result in list(kernel.overloads.items()):
            if isinstance(result.library, Linked):  # Python cannot call it
                del kernel.overloads[arguments]
        if not _is_ours(kernel.py_func.__module__):
            return before(kernel, signature)
        with _no_garbage_collection():
            return _with_room_for_frames(before, kernel, signature)


def _add_overload(before: Any, kernel: Any, result: Any) -> None:
    if isinstance(result.library, Linked):  # for kernels, but not for Python
        kernel.overloads[tuple(result.signature.args)] = result
    else:
        before(kernel, result)


def _call_template(before: Any, kernel: Any, arguments: Any, named: Any) -> Any:
    """Compile a function for a kernel that calls it, once and not for each constant that it is called with."""
    if _depth and _is_ours(kernel.py_func.__module__):
        arguments = tuple(map(types.unliteral, arguments))
        named = {name: types.unliteral(value) for name, value in named.items()}
    return before(kernel, arguments, named)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Compiling makes millions of objects that live on for a while: looking through them took a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _with_room_for_frames(function: Any, *args: Any) -> Any:
    return function(*args)


# Since 3.11 Python allocates the frames of functions in pieces of 16 KB, and gives a piece back as soon as it is empty: a
# loop at such a boundary, deep in the compiler, asks for memory at every call, which took a fifth of the time. The piece
# that a very large frame needs is a power of two, so this one has half a MB to spare for the frames above it.
_with_room_for_frames.__code__ = _with_room_for_frames.__code__.replace(co_stacksize=70_000)


def _values(_: Any, config: Any) -> dict[str, Any]:
    """Numba's options by name: as before, without asking for each; they are asked for at every call that is typed."""
    return {**_defaults(type(config)), **config._values}


def _defaults(config: type) -> dict[str, Any]:
    if config not in _known_defaults:
        _known_defaults[config] = {name: option.default for name, option in config.options.items()}
    return _known_defaults[config]


_known_defaults: dict[type, dict[str, Any]] = {}

INSTALLED = install()
