"""LightGBM's text format: a validating reader, and a writer of validated trees.

On damaged text, LightGBM's own reader crashes or reads out of bounds; it only gets text written here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ..errors import ModelError
from .tree import LinearLeaves, Tree

#: Maximum number of features, and of words in all bit sets of categories, of a written text.
MAX_WIDTH, MAX_WORDS = 2**22, 2**22

#: Stands for LightGBM's infinite threshold, which sends all values that are not missing left.
LARGEST = float(np.finfo(np.float64).max)

_CATEGORICAL, _DEFAULT_LEFT, _MISSING = 1, 2, 4  # the bits of decision_type; missing has two
_INVALID = re.compile(r"[^A-Za-z0-9_.-]")


class LightGBMText(NamedTuple):
    """Content of a text.

    Attributes
    ----------
    trees : tuple of Tree
    width : int
        Number of features of a row.
    categories : list of lists
        Categories of each categorical column of the training frame, in column order.
    """

    trees: tuple[Tree, ...]
    width: int
    categories: list[list[Any]]


def read_text(text: Any) -> LightGBMText:
    """Parse and validate a text; raises a `ModelError` if it is invalid."""
    if not (isinstance(text, str) and text.startswith("tree\n")):
        raise ModelError("its trees are not LightGBM's text")
    body, end, rest = text.partition("\nend of trees\n")
    if not end:
        raise ModelError("its trees are not LightGBM's text: there is no end of trees")
    header, *parts = body.split("\nTree=")
    head = _keys(header.split("\n")[1:])
    for key, wanted in (("num_class", 1), ("num_tree_per_iteration", 1)):
        if _integer(head, key) != wanted:
            raise ModelError(f"LightGBM's text has a {key} other than {wanted}")
    if "average_output" in header.split("\n"):
        raise ModelError("LightGBM's text is that of a random forest, whose trees are averaged")
    trees = tuple(_numbered(number, part) for number, part in enumerate(parts))
    return LightGBMText(trees, _integer(head, "max_feature_idx") + 1, _categories(rest))


def write_text(trees: Sequence[Tree], width: int, names: Sequence[str] | None, categories: list[list[Any]]) -> str:
    """Write trees as LightGBM's text, with feature names that it accepts."""
    if width > MAX_WIDTH:
        raise ModelError(f"it has {width} features; LightGBM's text is written for at most {MAX_WIDTH}")
    if sum(_n_words(values) for tree in trees for values in tree.categories.values()) > MAX_WORDS:
        raise ModelError("its categories are numbers too large for LightGBM's text")
    parts = [f"Tree={i}\n{_tree_text(tree)}\n\n" for i, tree in enumerate(trees)]
    header = {
        "version": "v4",
        "num_class": 1,
        "num_tree_per_iteration": 1,
        "label_index": 0,
        "max_feature_idx": width - 1,
        "feature_names": " ".join(_names_for_lightgbm(names, width)),
        "feature_infos": " ".join(["none"] * width),
        "tree_sizes": " ".join(str(len(part)) for part in parts),
    }
    lines = "\n".join(f"{key}={value}" for key, value in header.items())
    pandas_categorical = json.dumps(categories) if categories else "null"
    return f"tree\n{lines}\n\n{''.join(parts)}end of trees\n\npandas_categorical:{pandas_categorical}\n"


def _names_for_lightgbm(names: Sequence[str] | None, width: int) -> list[str]:
    """Names with underscores for characters that LightGBM rejects; its default names where these would coincide."""
    wanted = [] if names is None else [_INVALID.sub("_", name) for name in names]
    count = Counter(wanted)
    taken = [name if name and count[name] == 1 else f"Column_{j}" for j, name in enumerate(wanted)]
    return taken if len(set(taken)) == width else [f"Column_{j}" for j in range(width)]


def _numbered(number: int, part: str) -> Tree:
    try:
        first, *lines = part.split("\n")
        if first != str(number):
            raise ModelError("it is out of order")
        return _tree(_keys(lines))
    except ModelError as error:
        raise ModelError(f"tree {number} of LightGBM's text: {error}") from error


def _tree(keys: dict[str, str]) -> Tree:
    n_leaves = _integer(keys, "num_leaves")
    rules = _integers(keys, "decision_type")
    if rules.size and not (rules.min() >= 0 and rules.max() <= 2 * _MISSING + _DEFAULT_LEFT + _CATEGORICAL):
        raise ModelError("decision_type is not one of LightGBM's")
    threshold, categories = _split_categories(keys, rules)
    leaf_value = _floats(keys, "leaf_value")
    if leaf_value.size != n_leaves:
        raise ModelError(f"it has {leaf_value.size} leaves and says {n_leaves}")
    return Tree(
        feature=_integers(keys, "split_feature"),
        threshold=threshold,
        left=_integers(keys, "left_child"),
        right=_integers(keys, "right_child"),
        missing=rules // _MISSING,
        default_left=rules & _DEFAULT_LEFT > 0,
        leaf_value=leaf_value,
        gain=_floats(keys, "split_gain"),
        value=_floats(keys, "internal_value"),
        weight=_floats(keys, "internal_weight"),
        count=_integers(keys, "internal_count"),
        leaf_weight=_floats(keys, "leaf_weight") if n_leaves > 1 else np.zeros(1),  # LightGBM writes none for a single leaf
        leaf_count=_integers(keys, "leaf_count") if n_leaves > 1 else np.zeros(1, np.int64),
        shrinkage=float(_floats(keys, "shrinkage", 1)[0]),
        categories=categories,
        linear=_linear(keys) if _integer(keys, "is_linear") else None,
    )


def _split_categories(keys: dict[str, str], rules: Ints) -> tuple[Floats, dict[int, Ints]]:
    """Thresholds, and the categories that go left; in the text, a categorical split's threshold is the index of its set."""
    threshold = np.clip(_floats(keys, "threshold", rules.size, finite=False), -LARGEST, LARGEST)
    splits = np.flatnonzero(rules & _CATEGORICAL)
    if _integer(keys, "num_cat") != splits.size:
        raise ModelError(f"it has {splits.size} splits on categories and says {keys['num_cat']}")
    if splits.size == 0:
        return threshold, {}
    bounds, words = _integers(keys, "cat_boundaries", splits.size + 1), _integers(keys, "cat_threshold")
    if bounds[0] != 0 or np.any(np.diff(bounds) <= 0) or bounds[-1] != words.size:
        raise ModelError("cat_boundaries do not fit cat_threshold")
    if words.min() < 0 or words.max() >= 2**32:
        raise ModelError("cat_threshold must be words of 32 bits")
    which = threshold[splits]
    if not np.array_equal(np.sort(which), np.arange(splits.size)):
        raise ModelError("the thresholds of splits on categories must number their bit sets")
    threshold[splits] = 0.0
    starts = which.astype(np.int64)
    sets = (words[bounds[i] : bounds[i + 1]] for i in starts)
    return threshold, {int(split): _members(bits) for split, bits in zip(splits, sets, strict=True)}


def _members(words: Ints) -> Ints:
    """Members of a bit set of 32-bit words."""
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
    return np.flatnonzero(bits)


def _bit_set(values: Ints) -> list[int]:
    bits = np.zeros(32 * _n_words(values), np.uint8)
    bits[values] = 1
    words: list[int] = np.packbits(bits, bitorder="little").view("<u4").tolist()
    return words


def _n_words(values: Ints) -> int:
    return int(values[-1]) // 32 + 1


def _linear(keys: dict[str, str]) -> LinearLeaves:
    sizes = _integers(keys, "num_features")
    features, coefficients = _integers(keys, "leaf_features"), _floats(keys, "leaf_coeff")
    if sizes.size == 0 or sizes.min() < 0 or sizes.max() > features.size or sizes.sum() != features.size:
        raise ModelError("num_features does not fit leaf_features")
    if coefficients.size != features.size:
        raise ModelError("leaf_coeff does not fit leaf_features")
    ends = np.cumsum(sizes)[:-1]
    return LinearLeaves(_floats(keys, "leaf_const"), tuple(np.split(features, ends)), tuple(np.split(coefficients, ends)))


def _tree_text(tree: Tree) -> str:
    return "\n".join(f"{key}={value}" for key, value in _tree_lines(tree)) + "\n"


def _tree_lines(tree: Tree) -> Iterator[tuple[str, str]]:
    categorical = np.isin(np.arange(tree.n_splits), list(tree.categories))
    threshold = np.where(tree.threshold == LARGEST, np.inf, tree.threshold)
    threshold[list(tree.categories)] = np.arange(len(tree.categories))
    rules = categorical * _CATEGORICAL + tree.default_left * _DEFAULT_LEFT + tree.missing * _MISSING
    sets = [_bit_set(values) for values in tree.categories.values()]
    yield "num_leaves", str(tree.n_leaves)
    yield "num_cat", str(len(sets))
    yield "split_feature", _joined(tree.feature)
    yield "split_gain", _joined(tree.gain)
    yield "threshold", _joined(threshold)
    yield "decision_type", _joined(rules)
    yield "left_child", _joined(tree.left)
    yield "right_child", _joined(tree.right)
    yield "leaf_value", _joined(tree.leaf_value)
    yield "leaf_weight", _joined(tree.leaf_weight)
    yield "leaf_count", _joined(tree.leaf_count)
    yield "internal_value", _joined(tree.value)
    yield "internal_weight", _joined(tree.weight)
    yield "internal_count", _joined(tree.count)
    if sets:
        yield "cat_boundaries", _joined(np.cumsum([0, *map(len, sets)]))
        yield "cat_threshold", " ".join(str(word) for words in sets for word in words)
    yield "is_linear", str(int(tree.linear is not None))
    if tree.linear is not None:
        yield "leaf_const", _joined(_normal(tree.linear.constant))
        yield "num_features", " ".join(str(part.size) for part in tree.linear.features)
        yield "leaf_features", _spaced(tree.linear.features)
        yield "leaf_coeff", _spaced(map(_normal, tree.linear.coefficients))
    yield "shrinkage", repr(tree.shrinkage)


def _normal(values: Floats) -> Floats:
    """Numbers of linear leaves with 0 for subnormal ones, at which LightGBM's reader ends the process."""
    return np.where(np.abs(values) < np.finfo(np.float64).tiny, 0.0, values)


def _joined(values: Any) -> str:
    return " ".join(map(repr, values.tolist()))


def _spaced(parts: Iterable[Any]) -> str:
    """Numbers of each leaf, each followed by a space; an empty leaf is one space."""
    return "".join(f"{_joined(part)} " if part.size else " " for part in parts)


def _categories(rest: str) -> list[list[Any]]:
    """Categories in the last line, which LightGBM's Python package adds."""
    _, found, line = rest.rpartition("\npandas_categorical:")
    try:
        content = json.loads(line) if found else None
    except (ValueError, RecursionError) as error:
        raise ModelError("pandas_categorical is not JSON in LightGBM's text") from error
    if content is not None and not (isinstance(content, list) and all(isinstance(values, list) for values in content)):
        raise ModelError("pandas_categorical must be lists in LightGBM's text")
    return content or []


def _keys(lines: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        key, equals, value = line.partition("=")
        if equals:
            if key in found:
                raise ModelError(f"LightGBM's text has {key[:40]!a} twice")
            found[key] = value
    return found


def _value(keys: dict[str, str], key: str) -> str:
    if key not in keys:
        raise ModelError(f"LightGBM's text lacks {key}")
    return keys[key]


def _integer(keys: dict[str, str], key: str) -> int:
    return int(_integers(keys, key, 1)[0])


def _integers(keys: dict[str, str], key: str, size: int | None = None) -> Ints:
    parts = _value(keys, key).split()
    try:
        array: Ints = np.array([int(part) for part in parts], np.int64)
    except (ValueError, OverflowError) as error:
        raise ModelError(f"{key} must be integers in LightGBM's text") from error
    return _sized(array, key, size)


def _floats(keys: dict[str, str], key: str, size: int | None = None, finite: bool = True) -> Floats:
    parts = _value(keys, key).split()
    try:
        array: Floats = np.array([float(part) for part in parts], np.float64)
    except ValueError as error:
        raise ModelError(f"{key} must be numbers in LightGBM's text") from error
    if np.any(np.isnan(array)) or (finite and np.any(np.isinf(array))):
        raise ModelError(f"{key} must be finite numbers in LightGBM's text")
    return _sized(array, key, size)


def _sized(array: Any, key: str, size: int | None) -> Any:
    if size is not None and array.size != size:
        raise ModelError(f"{key} must be {size} number(s) in LightGBM's text, and is {array.size}")
    return array
