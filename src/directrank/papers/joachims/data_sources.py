"""The collections of the paper, and other data in SVMlight's format, as a binary problem for each class."""

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

#: Training and test rows of Covertype, as in the paper.
COVERTYPE = (1000, 2000)

#: Fraction of non-zero values above which rows are stored dense.
DENSE_FRACTION = 0.25


@dataclass(frozen=True, eq=False)
class Collection:
    """Training and test rows with their classes.

    Attributes
    ----------
    X, X_test : dense array or CSR matrix
    members, members_test : dict of arrays
        Membership of the rows, by class. Every class has members and non-members in both parts.
    how : str
        Description of the features.
    n_classes : int
        Number of classes of the whole collection, of which this may be a subset.
    """

    X: Any
    X_test: Any
    members: dict[str, Bools]
    members_test: dict[str, Bools]
    how: str
    n_classes: int

    @classmethod
    def from_labels(cls, X: Any, labels: Sequence[Any], X_test: Any, labels_test: Sequence[Any], how: str) -> Collection:
        """Make a collection from the labels of each row, a tuple of classes."""
        members, members_test = _members(labels), _members(labels_test)
        both = sorted(members.keys() & members_test.keys())
        return cls(X, X_test, *_select_classes(members, members_test, both), how, len(both))

    def subset(self, n: int) -> Collection:
        """The collection with n of its classes, of all sizes."""
        by_size = sorted(self.members, key=lambda name: -int(self.members[name].sum()))
        chosen = [by_size[i] for i in np.unique(np.linspace(0, len(by_size) - 1, n).astype(int))]
        members, members_test = _select_classes(self.members, self.members_test, chosen)
        return replace(self, members=members, members_test=members_test)

    @property
    def about(self) -> str:
        """Description of the rows."""
        n = len(self.members)
        classes = f"{n} classes" if n == self.n_classes else f"{n} of {self.n_classes} classes"
        size = f"{self.X.shape[0]:,}/{self.X_test.shape[0]:,} examples, {self.X.shape[1]:,} features"
        return f"{size}, {classes}; {self.how}."


def _select_classes(
    members: dict[Any, Bools], members_test: dict[Any, Bools], classes: list[Any]
) -> tuple[dict[str, Bools], dict[str, Bools]]:
    """Membership of some classes, with their names as text."""
    return {str(each): members[each] for each in classes}, {str(each): members_test[each] for each in classes}


def _members(labels: Sequence[Any]) -> dict[Any, Bools]:
    """Membership of each class that has some but not all rows."""
    classes = {each for row in labels for each in row}
    members = {each: np.zeros(len(labels), bool) for each in classes}
    for i, row in enumerate(labels):
        for each in row:
            members[each][i] = True
    return {each: is_member for each, is_member in members.items() if not is_member.all()}


def read_reuters_collection(folder: Path) -> Collection:
    """Read the ModApte split of Reuters-21578: unit TF-IDF vectors of Porter stems without stop words."""
    split = read_modapte(folder)
    if not split.train or not split.test or not split.topics:
        raise InputError(
            f"{folder}: no topic has stories in both parts of ModApte; are reut2-000.sgm to reut2-021.sgm all here?"
        )
    counter = CountVectorizer(analyzer=as_analyser("porter+stop"))
    counts = counter.fit_transform([story.text for story in split.train])
    counts_test = counter.transform([story.text for story in split.test])
    idf = np.log(counts.shape[0] / np.bincount(counts.indices, minlength=counts.shape[1]))
    X, X_test = (normalize(sparse.csr_array(each @ sparse.diags_array(idf))) for each in (counts, counts_test))
    labels, labels_test = ([story.topics for story in part] for part in (split.train, split.test))
    return Collection.from_labels(X, labels, X_test, labels_test, "TF-IDF of stems without stop words, unit vectors")


def read_optdigits(folder: Path) -> Collection:
    """Read UCI's Optdigits, with its own split."""
    train, test = (
        _parse_table(list(text_lines(_file(folder, name))), folder / name) for name in ("optdigits.tra", "optdigits.tes")
    )
    return _scale(train, test)


def read_covertype(folder: Path) -> Collection:
    """Read a random sample of UCI's Covertype, of the same size as in the paper."""
    file = _file(folder, "covtype*data*")
    lines = [line for line in text_lines(file) if not line.isspace()]
    if len(lines) < sum(COVERTYPE):
        raise InputError(
            f"{file}: there are {len(lines):,} rows, but {sum(COVERTYPE):,} are needed; download the file again"
        )
    chosen = np.random.RandomState(0).permutation(len(lines))[: sum(COVERTYPE)]
    table = _parse_table([lines[i] for i in chosen], file)
    return _scale(table[: COVERTYPE[0]], table[COVERTYPE[0] :])


def read_svmlight(folder: Path) -> Collection:
    """Read SVMlight's format: the labels of a row, separated by commas, are its classes; -1 stands for no class."""
    files = [_file(folder, "*train*"), _file(folder, "*test*")]
    try:
        X, labels, X_test, labels_test = load_svmlight_files([str(file) for file in files], multilabel=True)
    except ValueError as error:
        expected = "LABEL[,LABEL...] INDEX:VALUE ..."
        raise InputError(f"{files[0]} or {files[1]}: not in SVMlight's format, {expected} ({error})") from error
    X, X_test = sparse.csr_array(X), sparse.csr_array(X_test)
    if X.nnz > DENSE_FRACTION * X.shape[0] * X.shape[1]:
        X, X_test = X.toarray(), X_test.toarray()
    labels, labels_test = ([[int(each) for each in row if each != -1] for row in part] for part in (labels, labels_test))
    found = Collection.from_labels(X, labels, X_test, labels_test, "features as given")
    if not found.members:
        raise InputError(
            f"{folder}: no class has rows in both files, {files[0].name} and {files[1].name}; do they belong together?"
        )
    return found


def _file(folder: Path, pattern: str) -> Path:
    """The only file of a folder whose name matches."""
    found = sorted(folder.glob(pattern)) if folder.is_dir() else []
    if len(found) != 1:
        raise InputError(
            f"{folder}: there {'are several files' if found else 'is no file'} {pattern} here; name a folder with one"
        )
    return found[0]


def _parse_table(lines: list[str], file: Path) -> Floats:
    """Parse lines of comma-separated numbers."""
    try:
        table: Floats = np.loadtxt(lines, delimiter=",", ndmin=2)
    except ValueError as error:
        raise InputError(f"{file}: not a table of comma-separated numbers ({error})") from error
    return table


def _scale(train: Floats, test: Floats) -> Collection:
    """Make a collection from tables whose last column is the class, with features scaled to [0, 1] on the training rows."""
    scaler = MinMaxScaler().fit(train[:, :-1])
    labels, labels_test = (_as_tuples(table[:, -1]) for table in (train, test))
    X, X_test = (scaler.transform(table[:, :-1]) for table in (train, test))
    return Collection.from_labels(X, labels, X_test, labels_test, "each feature scaled to [0, 1] on the training examples")


def _as_tuples(labels: NDArray[Any]) -> list[tuple[int]]:
    return [(int(label),) for label in labels]


REUTERS = Source(
    "reuters", "reut2-000.sgm to reut2-021.sgm, plain or gzip", "Reuters-21578, D. Lewis; UCI", read_reuters_collection
)
OPTDIGITS = Source(
    "optdigits", "optdigits.tra and optdigits.tes", "Optical Recognition of Handwritten Digits, UCI", read_optdigits
)
COVTYPE = Source("covtype", "covtype.data, plain or gzip", "Covertype, UCI", read_covertype)
SVMLIGHT = Source(
    "svmlight",
    "a file with train in its name and one with test, with lines LABEL[,LABEL...] INDEX:VALUE ...",
    "your own data; the paper has abstracts of arXiv, which are not public",
    read_svmlight,
)
