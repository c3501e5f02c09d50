"""Build a source archive and wheels into dist/, and try the wheels with each Python: ``wheels.py python3.11 python3.12``.

A wheel is tried in an environment that holds its dependencies and nothing else, on a PATH without a compiler. From Python
3.12 on, one wheel serves all versions (abi3): the first of them builds it, and each tries it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"


def main() -> None:
    interpreters = [find_interpreter(name) for name in sys.argv[1:]]
    for file in DIST.glob("directrank-*"):
        file.unlink()
    run(sys.executable, "-m", "build", "--sdist", "--outdir", DIST, ROOT)
    for interpreter in interpreters:
        with tempfile.TemporaryDirectory() as folder:
            try_wheel(interpreter, Path(folder))
    for file in sorted(DIST.glob("directrank-*")):
        print(f"{file.stat().st_size / 1e6:.1f} MB  {file.relative_to(ROOT)}")


def find_interpreter(name: str) -> Path:
    """The interpreter on PATH, or the newest that pyenv has installed."""
    path = "import sys; print(sys.executable)"
    found = subprocess.run([name, "-c", path], capture_output=True, text=True) if shutil.which(name) else None
    if found and found.returncode == 0:
        return Path(found.stdout.strip())
    if shutil.which("pyenv"):
        versions = subprocess.run(["pyenv", "whence", name], capture_output=True, text=True).stdout.split()
        if versions:
            prefix = subprocess.run(["pyenv", "prefix", versions[-1]], capture_output=True, text=True, check=True)
            return Path(prefix.stdout.strip()) / "bin" / name
    sys.exit(f"{name} was not found: install it, or say which to use, as in make wheels PYTHONS='python3.11 python3.12'")


def try_wheel(interpreter: Path, folder: Path) -> None:
    """Build a wheel unless one that fits is there, install it, and run the smoke test."""
    run(interpreter, "-m", "venv", folder / "env")
    programs = folder / "env" / "bin"
    pip = [programs / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    fitting = [*pip, "install", "--no-index", "--no-deps", "--only-binary=:all:", f"--find-links={DIST}", "directrank"]
    if subprocess.run(fitting, stderr=subprocess.DEVNULL).returncode != 0:
        run(*pip, "wheel", "--no-deps", f"--wheel-dir={DIST}", *DIST.glob("directrank-*.tar.gz"))
        run(*fitting)
    run(*pip, "install", "--only-binary=:all:", "directrank")  # its dependencies
    run(programs / "python", "-I", ROOT / "tests" / "smoke.py", cwd=folder, env={**os.environ, "PATH": str(programs)})


def run(*command: str | Path, **options: Any) -> None:
    print("$", *command, flush=True)
    if subprocess.run(command, **options).returncode != 0:
        sys.exit(1)


if __name__ == "__main__":
    main()
