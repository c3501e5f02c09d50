"""The collections of the paper, and any other of sparse rows, as one binary problem for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_files
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import MinMaxScaler, normalize

from ...arrays import Bools, Floats
from ...data import InputError
from ...data.io.files import text_lines
from ...datasets import read_modapte
from ...retrieval.analysis import as_analyser
from ..experiment import Source

#: Of Covertype, as in the paper: rows to train on, rows to test.
COVERTYPE = (1000, 2000)

#: Rows that are fuller than this are held dense.
FULL = 0.25


@dataclass(frozen=True, eq=False)
class Collection:
    """Rows to train on and rows to test, and the classes they are in.

    Attributes
    ----------
    X, X_test : dense array or CSR matrix
    members, members_test : dict of arrays
        By class, which rows are in it. In both parts some are and some are not.
    how : str
        What the features are.
    n_classes : int
        Of the whole collection, of whose classes these may be some.
    """

    X: Any
    X_test: Any
    members: dict[str, Bools]
    members_test: dict[str, Bools]
    how: str
    n_classes: int

    @classmethod
    def of(cls, X: Any, labels: Sequence[Any], X_test: Any, labels_test: Sequence[Any], how: str) -> Collection:
        """From the labels of each row: a tuple of as many classes as it is in."""
        members, members_test = _members(labels), _members(labels_test)
        both = sorted(members.keys() & members_test.keys())
        return cls(X, X_test, *_of_classes(members, members_test, both), how, len(both))

    def some(self, n: int) -> Collection:
        """With so many of the classes, of all sizes."""
        by_size = sorted(self.members, key=lambda name: -int(self.members[name].sum()))
        chosen = [by_size[i] for i in np.unique(np.linspace(0, len(by_size) - 1, n).astype(int))]
        members, members_test = _of_classes(self.members, self.members_test, chosen)
        return replace(self, members=members, members_test=members_test)

    @property
    def about(self) -> str:
        """What is to be known of the rows."""
        n = len(self.members)
        classes = f"{n} classes" if n == self.n_classes else f"{n} of {self.n_classes} classes"
        size = f"{self.X.shape[0]:,}/{self.X_test.shape[0]:,} examples, {self.X.shape[1]:,} features"
        return f"{size}, {classes}; {self.how}."


def _of_classes(
    members: dict[Any, Bools], members_test: dict[Any, Bools], classes: list[Any]
) -> tuple[dict[str, Bools], dict[str, Bools]]:
    """Of some classes, whose names become text."""
    return {str(each): members[each] for each in classes}, {str(each): members_test[each] for each in classes}


def _members(labels: Sequence[Any]) -> dict[Any, Bools]:
    """Of each class that has some of the rows but not all."""
    classes = {each for row in labels for each in row}
    members = {each: np.zeros(len(labels), bool) for each in classes}
    for i, row in enumerate(labels):
        for each in row:
            members[each][i] = True
    return {each: which for each, which in members.items() if not which.all()}


def reuters(folder: Path) -> Collection:
    """The split ModApte of Reuters-21578 as TF-IDF vectors of length 1, of Porter's stems without stop words."""
    split = read_modapte(folder)
    if not split.train or not split.test or not split.topics:
        raise InputError(
            f"{folder}: no topic has stories in both parts of ModApte; is reut2-000.sgm to reut2-021.sgm all here?"
        )
    counter = CountVectorizer(analyzer=as_analyser("porter+stop"))
    counts = counter.fit_transform([story.text for story in split.train])
    counts_test = counter.transform([story.text for story in split.test])
    idf = np.log(counts.shape[0] / np.bincount(counts.indices, minlength=counts.shape[1]))
    X, X_test = (normalize(sparse.csr_array(each @ sparse.diags_array(idf))) for each in (counts, counts_test))
    labels, labels_test = ([story.topics for story in part] for part in (split.train, split.test))
    return Collection.of(X, labels, X_test, labels_test, "TF-IDF of stems without stop words, vectors of length 1")


def optdigits(folder: Path) -> Collection:
    """UCI's Optdigits, with its own split."""
    train, test = (
        _numbers(list(text_lines(_file(folder, name))), folder / name) for name in ("optdigits.tra", "optdigits.tes")
    )
    return _scaled(train, test)


def covertype(folder: Path) -> Collection:
    """A random sample of UCI's Covertype, as large as the paper's."""
    file = _file(folder, "covtype*data*")
    lines = [line for line in text_lines(file) if not line.isspace()]
    if len(lines) < sum(COVERTYPE):
        raise InputError(f"{file}: there are {len(lines):,} rows, and {sum(COVERTYPE):,} are needed; fetch the file again")
    chosen = np.random.RandomState(0).permutation(len(lines))[: sum(COVERTYPE)]
    table = _numbers([lines[i] for i in chosen], file)
    return _scaled(table[: COVERTYPE[0]], table[COVERTYPE[0] :])


def svmlight(folder: Path) -> Collection:
    """Sparse rows in SVMlight's format: the classes of a row are its labels, separated by commas; -1 is none."""
    files = [_file(folder, "*train*"), _file(folder, "*test*")]
    try:
        X, labels, X_test, labels_test = load_svmlight_files([str(file) for file in files], multilabel=True)
    except ValueError as error:
        what = "not in SVMlight's format, LABEL[,LABEL...] INDEX:VALUE ..."
        raise InputError(f"{files[0]} or {files[1]}: this is {what} ({error})") from error
    X, X_test = sparse.csr_array(X), sparse.csr_array(X_test)
    if X.nnz > FULL * X.shape[0] * X.shape[1]:
        X, X_test = X.toarray(), X_test.toarray()
    labels, labels_test = ([[int(each) for each in row if each != -1] for row in part] for part in (labels, labels_test))
    found = Collection.of(X, labels, X_test, labels_test, "features as they are")
    if not found.members:
        raise InputError(
            f"{folder}: no class has rows in both files, {files[0].name} and {files[1].name}; are they of one collection?"
        )
    return found


def _file(folder: Path, pattern: str) -> Path:
    """The one file of a folder whose name matches."""
    found = sorted(folder.glob(pattern)) if folder.is_dir() else []
    if len(found) != 1:
        raise InputError(
            f"{folder}: there {'are several files' if found else 'is no file'} {pattern} here; name a folder with one"
        )
    return found[0]


def _numbers(lines: list[str], file: Path) -> Floats:
    """Lines of numbers that are separated by commas."""
    try:
        table: Floats = np.loadtxt(lines, delimiter=",", ndmin=2)
    except ValueError as error:
        raise InputError(f"{file}: this is no table of comma-separated numbers ({error})") from error
    return table


def _scaled(train: Floats, test: Floats) -> Collection:
    """Tables whose last column is the class; each feature scaled to between 0 and 1 on the training rows."""
    scaler = MinMaxScaler().fit(train[:, :-1])
    labels, labels_test = (_single(table[:, -1]) for table in (train, test))
    X, X_test = (scaler.transform(table[:, :-1]) for table in (train, test))
    return Collection.of(X, labels, X_test, labels_test, "each feature scaled to between 0 and 1 on the training examples")


def _single(labels: NDArray[Any]) -> list[tuple[int]]:
    return [(int(label),) for label in labels]


REUTERS = Source("reuters", "reut2-000.sgm to reut2-021.sgm, plain or gzip", "Reuters-21578, D. Lewis; UCI", reuters)
OPTDIGITS = Source(
    "optdigits", "optdigits.tra and optdigits.tes", "Optical Recognition of Handwritten Digits, UCI", optdigits
)
COVTYPE = Source("covtype", "covtype.data, plain or gzip", "Covertype, UCI", covertype)
SVMLIGHT = Source(
    "svmlight",
    "a file whose name has train in it and one with test, of lines LABEL[,LABEL...] INDEX:VALUE ...",
    "your own; or abstracts of arXiv as in the paper, which are not public",
    svmlight,
)
