"""RankLib's model files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.dom import minidom
from xml.parsers.expat import ExpatError

import numpy as np

from .rows import ZERO, Row, Tree, at_most, feature_set, leaf_of, vector
from .strict import Refused, java_double, java_float, java_int


def ranklib(text: str, rows: Sequence[Row], features: Sequence[str] | None = None) -> np.ndarray:
    """Scores of RankLib from a model file; the first line names the model (RankerFactory.java).

    Feature i is the i-th of `features`, by default of the names in the first row. A missing value is 0
    (DenseDataPoint.java).
    """
    names = feature_set(features, rows)
    vectors = [vector(row, names, ZERO) for row in rows]
    kind = text.splitlines()[0].replace("## ", "").strip().upper() if text else ""
    if kind in ("LAMBDAMART", "MART"):
        return _trees(text, vectors)
    if kind in ("COORDINATE ASCENT", "ADARANK", "LINEAR REGRESSION"):
        return _linear(text, vectors, kind)
    raise Refused(f"there is no model {kind!r}")


def _linear(text: str, vectors: list[list[np.float32]], kind: str) -> np.ndarray:
    """The sum in double, in the order written, of weight times value: the first line neither empty nor starting with ##.

    A linear regression has its constant at feature 0 and cannot do without; the other models have none
    (CoorAscent.java, AdaRank.java, LinearRegRank.java, KeyValuePair.java).
    """
    lines = [line.strip() for line in text.splitlines()]
    line = next((line for line in lines if line and not line.startswith("##")), "")
    pairs = []
    for word in line[: line.rfind("#") if "#" in line else None].split(" "):
        if word.strip():
            feature, _, value = word.strip().partition(":")
            pairs.append((java_int(feature), java_double(value, f"the weight of {feature!r}")))
    if not pairs:
        raise Refused("there are no weights")
    constants = [weight for key, weight in pairs if key == 0]
    if len(constants) != (kind == "LINEAR REGRESSION") or any(not 0 <= key <= len(vectors[0]) for key, _ in pairs):
        raise Refused("a feature is out of range, or the constant of a linear regression is missing")
    scores = []
    for x in vectors:
        score = sum(constants)
        for key, weight in pairs:
            if key:
                score += weight * float(x[key - 1])
        scores.append(score)
    return np.array(scores, dtype=np.float64)


def _trees(text: str, vectors: list[list[np.float32]]) -> np.ndarray:
    """The sum of leaf times weight, each step in double and then rounded to float (Ensemble.java, RegressionTree.java)."""
    try:
        document = minidom.parseString("".join(_lines(text)).encode())
    except ExpatError as error:
        raise Refused(f"this is no XML: {error}") from error
    forest = []
    for tree in document.getElementsByTagName("tree"):
        if not tree.hasAttribute("weight"):
            raise Refused("a tree has no weight")
        root = _node(tree.firstChild, len(vectors[0]) if vectors else 0)
        forest.append((root, float(java_float(tree.getAttribute("weight"), "weight"))))
    scores = []
    for x in vectors:
        score = ZERO
        for root, weight in forest:
            score = np.float32(float(score) + float(leaf_of(root, x, at_most)) * weight)
        scores.append(score)
    return np.array(scores, dtype=np.float32)


def _lines(text: str) -> Iterator[str]:
    """The lines that do not start with #, without the blanks around them (ModelLineProducer.java).

    The reader looks for a line's end from its third character on, so that a line of one character takes the next line in.
    """
    start = search = 0
    while start < len(text):
        end = search
        while end < len(text) and text[end] not in "\r\n":
            end += 1
        if text[start] != "#":
            yield text[start:end].rstrip() if end < len(text) else text[start:]
        start = end
        while start < len(text) and ord(text[start]) <= 32:
            start += 1
        search = start + 2


def _node(node: Any, n_features: int) -> Tree:
    """The tree below a <split>, whose children are read by their places, blanks included (Ensemble.java)."""
    if node is None or node.firstChild is None or node.nodeType != node.ELEMENT_NODE:
        raise Refused("a tree or split has blanks or nothing where a split is expected")
    parts = list(node.childNodes)
    if parts[0].nodeName.lower() != "feature":
        return (java_float(_text(parts[0], "output"), "output"),)
    if len(parts) < 4:
        raise Refused("a split has a feature, a threshold and two splits")
    feature = java_int(_text(parts[0], "feature").strip())
    if not 1 <= feature <= n_features:
        raise Refused(f"there is no feature {feature}")
    threshold = java_float(_text(parts[1], "threshold"), "threshold")
    left, right = (_node(part, n_features) for part in parts[2:4])
    return (feature - 1, threshold, left, right)


def _text(element: Any, name: str) -> str:
    if element.nodeName.lower() != name or element.firstChild is None or element.firstChild.nodeType != element.TEXT_NODE:
        raise Refused(f"<{name}> with a text is expected, not {element.nodeName}")
    return str(element.firstChild.data)
