"""Run tests on a core built with sanitizers: ``sanitize.py address`` or ``sanitize.py thread``, then arguments for pytest.

``address`` is AddressSanitizer and UndefinedBehaviorSanitizer, with every index checked; ``thread`` is ThreadSanitizer. The
first report ends the run. Linux only, with GCC.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SANITIZERS = {"address": "address,undefined", "thread": "thread"}
COMMON = "halt_on_error=1:abort_on_error=1:handle_segv=2"  # aborted, Python says where it was
# Libraries of others are not instrumented: ThreadSanitizer does not see how they synchronise, and must not judge them.
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:die_after_fork=0:second_deadlock_stack=1",
}


def main() -> None:
    kind, *arguments = sys.argv[1:]
    folder = ROOT / "build" / f"sanitize-{kind}-{sys.implementation.cache_tag}"
    build(folder, SANITIZERS[kind])
    for report in folder.glob("report.*"):
        report.unlink()
    # What UndefinedBehaviorSanitizer prints beside another sanitizer goes to the file descriptor that pytest would capture.
    pytest = [sys.executable, "-m", "pytest", "--exitfirst", "--capture=sys", *arguments]
    status = subprocess.run(pytest, cwd=ROOT, env=variables(folder, kind)).returncode
    reports = sorted(folder.glob("report.*"))
    for report in reports:
        print(report.read_text(errors="replace"))
    sys.exit(status or len(reports) > 0)


def build(folder: Path, sanitizers: str) -> None:
    configure = ["-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"]
    options = [f"-DPython_EXECUTABLE={sys.executable}", f"-DDIRECTRANK_SANITIZE={sanitizers}"]
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for command in (["cmake", *configure, *options], ["cmake", "--build", folder]):
        built = subprocess.run(command, env=tools, stdout=subprocess.PIPE, text=True)
        if built.returncode != 0:
            sys.exit(built.stdout)


def variables(folder: Path, kind: str) -> dict[str, str]:
    """Environment variables that have Python load the module with its sanitizer.

    The sanitizer's library has to be loaded before any other, and with it the one that throws exceptions, which it wraps.
    Memory comes from malloc, whose bounds it knows. Reports go to files because tests capture what their processes print.
    """
    (module,) = folder.glob("_compiled*.so")
    folders = [str(ROOT / "scripts" / "sanitized"), *filter(None, [os.environ.get("PYTHONPATH")])]
    libraries = [library_path(name) for name in (f"lib{kind[0]}san.so", "libstdc++.so")]
    return {
        **os.environ,
        **{name: f"{options}:{COMMON}:log_path={folder / 'report'}.{name}" for name, options in OPTIONS.items()},
        "LD_PRELOAD": " ".join(libraries),
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": os.pathsep.join(folders),
        "DIRECTRANK_SANITIZED": str(module),
    }


def library_path(name: str) -> str:
    compiler = os.environ.get("CXX", "c++")
    found = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
    if not Path(found).is_absolute():
        sys.exit(f"{compiler} has no {name}: install it, or name a compiler that has it in CXX")
    return found


if __name__ == "__main__":
    main()
