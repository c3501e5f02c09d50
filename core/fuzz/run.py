"""Runs the coverage-guided fuzzers of the parsers for ``run.py SECONDS`` in all, or says which tool is missing.

Findings go to ``.fuzz/``; the corpora grow in ``build/fuzz/corpus/``, from the seeds below.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD, FOUND = ROOT / "build" / "fuzz", ROOT / ".fuzz"

NUMBERS = ["0", "1", "-1", "0.5", "0.123456", "12.", ".5", "+3", "-2.5e-3", "1E5", "1e400", "-1e-400", "4.9e-324", "nan"]
NUMBERS += ["-Infinity", "inf", "9007199254740993", "0.1234567890123456789012345678", "1" * 40, "1e", "1_0", "0x1p3", "1\0"]
FLOATS = [0.1, -1e-5, 1e16, 5e-324, 2.0**-44, 123456.789, 1e300, 9999999999999998.0]

LETOR = [
    "2 qid:10 1:0.500000 2:-1e-3 7:7 #docid = GX1 inc = 1\n0 qid:10 1:1 2:2 3:3 #docid=GX2\n",
    "# head\r\n\r\n1\tqid:q  1:1\t2:nan \r\n0 qid:-3 # 7555 Rambo\n1 qid:q # 7555\tRambo",
    "0 1:1 2147483647:0.000001\n3.5\n1 2:1 1:1\n",
    "1 qid:1 9223372036854775808:1\n1 qid:1 1:1\0\n",
]
TREC = [
    "301 FT911-1 12.5\n301 FT911-10 12.5\n\n302 FT911-1 -1e-3 more\n301 FT911-1 3\n",
    "q d\u00e9 1\nq d 2\np d 3\nq longer-than-sixteen-bytes 4\r\n\tq a 5",
]


def seeds() -> dict[str, list[bytes]]:
    """The first inputs of each fuzzer; a text comes after the bytes of its options."""
    floats = [struct.pack("<d", value) for value in FLOATS] + [struct.pack("<f", value) for value in FLOATS[:3]]
    return {
        "decimal": [text.encode() for text in NUMBERS] + floats,
        "letor": [bytes([option, 20]) + text.encode() for option in (0, 1, 9) for text in LETOR],
        "trec": [bytes([option, 20, key]) + text.encode() for option, key in ((0, 0), (65, 7), (130, 99)) for text in TREC],
    }


def lacking() -> str | None:
    """The first tool that the fuzzers need and the machine lacks."""
    missing = next((tool for tool in ("clang++", "cmake") if shutil.which(tool) is None), None)
    if missing is not None:
        return missing
    probe = 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    command = ["clang++", "-x", "c++", "-", "-fsanitize=fuzzer,address,undefined", "-o", os.devnull]
    linked = subprocess.run(command, input=probe.encode(), capture_output=True).returncode == 0
    return None if linked else "libFuzzer (Debian has it in libclang-rt-dev)"


def main(seconds: int) -> int:
    missing = lacking()
    if missing is not None:
        print(f"the fuzzers of the parsers are skipped: there is no {missing}")
        return 0
    options = ["-DDIRECTRANK_FUZZ=ON", "-DCMAKE_CXX_COMPILER=clang++"]
    subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, *options], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD], check=True, stdout=subprocess.DEVNULL)
    FOUND.mkdir(exist_ok=True)
    failed = [subject for subject, inputs in seeds().items() if _fails(subject, inputs, seconds // len(seeds()))]
    return int(len(failed) > 0)


def _fails(subject: str, inputs: list[bytes], seconds: int) -> bool:
    """Whether a fuzzer finds something; its log is kept, and the end of it printed."""
    corpus = BUILD / "corpus" / subject
    corpus.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(inputs):
        (corpus / f"seed-{number}").write_bytes(content)
    limits = [f"-max_total_time={max(seconds, 1)}", "-max_len=2048", "-timeout=10", "-rss_limit_mb=4096"]
    program, log = BUILD / "core" / "fuzz" / f"fuzz_{subject}", FOUND / f"{subject}.log"
    with open(log, "w") as out:
        command = [program, *limits, f"-artifact_prefix={FOUND}/{subject}-", corpus]
        failed = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode != 0
    lines = log.read_text(errors="replace").splitlines()
    print(f"fuzz_{subject}: " + ("\n".join(lines[-40:]) if failed else lines[-1]), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
