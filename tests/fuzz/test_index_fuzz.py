"""Folders of text indexes that are damaged: one sentence, or an index that can be searched."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from mutating import mutated

from directrank import InputError
from directrank.retrieval import BM25, Cosine, Dirichlet, JelinekMercer, Retriever, TextIndex


def build(rng: np.random.Generator) -> TextIndex:
    words = ["cat", "dog", "cow", "é", "東京", "x1"]
    texts = [" ".join(words[w] for w in rng.integers(6, size=rng.integers(8))) for _ in range(rng.integers(1, 12))]
    return TextIndex.build([(f"d{i}", text) for i, text in enumerate(texts)], "plain")


def damage(rng: np.random.Generator, folder: Path) -> None:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = files[rng.integers(len(files))]
    kind = rng.integers(10)
    if kind == 0:
        path.unlink()
    elif kind == 1:
        path.write_bytes(files[rng.integers(len(files))].read_bytes())
    elif kind == 2 and path.suffix == ".npy":
        array = np.load(path)
        np.save(path, array[: rng.integers(array.size + 1)] if rng.random() < 0.5 else array.astype(">i8"))
    elif kind == 3 and path.suffix == ".npy":
        np.save(path, rng.integers(-3, 2 ** rng.integers(2, 40), np.load(path).size))
    elif path.suffix == ".npy" and rng.random() < 0.7:  # the values, but not the header
        content = path.read_bytes()
        path.write_bytes(content[:128] + mutated(rng, content[128:], 1))
    else:
        path.write_bytes(mutated(rng, path.read_bytes(), int(rng.integers(1, 3))))


def check(rng: np.random.Generator, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    build(rng).save(folder)
    damage(rng, folder)
    try:
        index = TextIndex.open(folder)
        list(index.docnos), list(index.terms), index.collection_frequencies
        function = (BM25(), Cosine(), Dirichlet(), JelinekMercer())[rng.integers(4)]
        run = Retriever(index, function).search({"q": "cat dog é x1"}, depth=5)
        assert set(run.docno.tolist()) <= set(index.docnos)
        assert index.matrix().sum() == index.n_tokens
    except InputError as error:
        if "\n" in str(error) or "index" not in str(error):
            pytest.fail(f"not one sentence with its place: {error}")


def test_damaged_folders(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check(rng, tmp_path / "index"), cases=250)
