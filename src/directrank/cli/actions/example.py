"""``directrank example``: write a small real data set, and say what to do with it."""

from __future__ import annotations

import shlex
from pathlib import Path

from ...datasets.example import make_example
from ...datasets.example_folder import EXAMPLE_FILES, check_example_folder, readme_lines, save_example
from ..console.output import as_text, print_json, print_line
from ..console.progress import spinner


def run(folder: Path, as_json: bool) -> None:
    """Write the files, and print what each holds."""
    check_example_folder(folder)
    with spinner("Collecting docstrings"):
        made = make_example()
    with spinner(f"Writing {folder}"):
        save_example(folder, made)
    if as_json:
        print_json({"folder": str(folder), "files": EXAMPLE_FILES})
        return
    print_line(f"{as_text(folder)}:")
    for line in readme_lines():
        print_line(f"  {line}")
    print_line("\nNext:")
    for command in next_commands(folder):
        print_line(f"  {command}")


def next_commands(folder: Path) -> list[str]:
    """Commands to go on with."""
    train, test, new, qrels, bm25, tfidf = (
        shlex.quote(as_text(folder / name))
        for name in ("train.csv", "test.csv", "new.csv", "qrels.txt", "bm25.run", "tfidf.run")
    )
    return [
        f"directrank evaluate --qrels {qrels} {bm25} {tfidf}",
        f"directrank describe {train}",
        f"directrank best {train} -m nDCG@10 --feature bm25_body --time 1m -o model.json",
        f"directrank compare {test} --model model.json --feature bm25_body -m nDCG@10",
        f"directrank predict model.json {new} -o scores.csv",
    ]
