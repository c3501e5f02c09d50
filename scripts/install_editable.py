"""Compile the core and install directrank, editable and without its dependencies, into the environment that runs this.

The build tools are installed beside it. In pip's isolated builds their paths change every time, and with them everything is
compiled again; here a changed header compiles only what includes it. Where there is no C++ compiler, PyPI has Zig's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILERS = ("c++", "g++", "clang++")


def main() -> None:
    build_system = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]
    pip_install(*build_system["requires"], "cmake>=3.18", "ninja")
    editable = ["--no-build-isolation", "--no-deps", "--editable", str(ROOT)]
    if "CXX" in os.environ or any(map(shutil.which, COMPILERS)):
        pip_install(*editable)
    else:
        print("no C++ compiler was found (CXX, c++, g++, clang++): compiling with Zig's, from PyPI", flush=True)
        pip_install("ziglang")
        build_folder = "--config-settings=build-dir=build/zig-{wheel_tag}"  # a CMake cache belongs to one compiler
        pip_install(build_folder, *editable, **zig_variables())


def pip_install(*arguments: str, **variables: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", *arguments]
    if subprocess.run(command, env={**os.environ, **variables}).returncode != 0:
        sys.exit(1)  # pip has said why


def zig_variables() -> dict[str, str]:
    """Environment variables that have CMake use Zig's compiler, through a script for each of its tools."""
    import ziglang

    zig = Path(ziglang.__file__).with_name("zig")
    folder = Path(sys.prefix) / "zig"
    folder.mkdir(exist_ok=True)
    tools = {tool: folder / tool for tool in ("c++", "ar", "ranlib")}
    for tool, script in tools.items():
        # Zig compiles for the processor it runs on unless told otherwise.
        options = "-mcpu=baseline" if tool == "c++" else ""
        script.write_text(f'#!/bin/sh\nexec "{zig}" {tool} {options} "$@"\n')
        script.chmod(0o755)
    cmake_arguments = [os.environ.get("CMAKE_ARGS", ""), f"-DCMAKE_AR={tools['ar']}", f"-DCMAKE_RANLIB={tools['ranlib']}"]
    return {"CXX": str(tools["c++"]), "CMAKE_ARGS": " ".join(cmake_arguments).strip()}


if __name__ == "__main__":
    main()
