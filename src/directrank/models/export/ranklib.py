"""RankLib's model text, which the Elasticsearch and OpenSearch plugins also read (``model/ranklib``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..portable import TreeSum, WeightedSum
from .exported_model import Exported, as_one_part, exported, no_logarithm, targets_of
from .notes import (
    MISSING_IS_ZERO,
    SINGLE_LEAVES,
    SINGLE_VALUES,
    intercept_left_out,
    missing_values,
    negative_scores,
    unshifted,
)
from .plain_trees import MAX_NESTED, PlainTree, plain_trees
from .threshold_rounding import single_not_above

_COMPLETE_ROWS = (
    "RankLib needs numbers: every row of LETOR text must have feature {}, the last that the model uses (codelibs' fork "
    "takes it for 0 with -missingZero), and nan is rejected."
)

_TO_ADD = "export --part linear and --part trees, score with both, and add the scores"

_NO_BRANCH = "RankLib takes it for 0, and scores such documents otherwise."


def to_ranklib(model: Any, *, shift: bool = False) -> Exported:
    """The text that RankLib's ``-load`` reads: Coordinate Ascent for a weighted sum, LambdaMART for trees.

    Features are numbered from 1, as in LETOR text. RankLib sends x left if x <= t in single precision.

    Parameters
    ----------
    model : Model, or a fitted learner
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    """
    portable = as_one_part(model, "RankLib", _TO_ADD)
    if isinstance(portable, WeightedSum) and np.any(portable.is_log):
        raise no_logarithm("RankLib", portable, f"these targets take it: {targets_of(portable)}")
    made = ranklib_text(portable, shift)
    return replace(made, notes=(*made.notes, _COMPLETE_ROWS.format(int(portable.columns.max()) + 1)))


def ranklib_text(portable: WeightedSum | TreeSum, shift: bool) -> Exported:
    """`to_ranklib` for a model in portable form."""
    if isinstance(portable, WeightedSum):
        line = " ".join(f"{term.column + 1}:{term.weight!r}" for term in portable.terms)
        text = f"## Coordinate Ascent\n{line}\n"
        return exported(text, intercept_left_out(portable), _missing_in_sum(portable), unshifted(shift))
    trees = plain_trees(portable, single_not_above, leaf_type=np.float32, max_depth=MAX_NESTED, shift=shift)
    lines = [f"## LambdaMART\n## No. of trees = {len(trees)}\n", "<ensemble>"]
    for number, tree in enumerate(trees, 1):
        lines += [f'\t<tree id="{number}" weight="1.0">', *_lines(tree), "\t</tree>"]
    return exported(
        "\n".join([*lines, "</ensemble>\n"]),
        SINGLE_VALUES,
        SINGLE_LEAVES,
        missing_values(trees, _NO_BRANCH),
        negative_scores(trees, np.float32),
    )


def _missing_in_sum(model: WeightedSum) -> str:
    """Note on missing features, for which a weighted sum may have a number other than 0."""
    n_others = int(np.count_nonzero(model.if_missing))
    if n_others == 0:
        return MISSING_IS_ZERO
    of_all = f"Of the {len(model.features):,} features of the model, {n_others:,} do not count 0 where they are missing"
    return f"{of_all}: {_NO_BRANCH}"


def _lines(tree: PlainTree) -> Iterator[str]:
    """One tag per line: RankLib stops reading at blanks between tags."""
    nodes, values, depth = tree.nodes(), tree.leaf_value.tolist(), tree.depth
    waiting: list[tuple[int, str] | str] = [(0 if nodes else ~0, "<split>")]
    while waiting:
        step = waiting.pop()
        if isinstance(step, str):
            yield step
            continue
        node, opening = step
        indent = "\t" * (2 + depth[node if node >= 0 else tree.n_splits + ~node])
        yield f"{indent}{opening}"
        waiting.append(f"{indent}</split>")
        if node < 0:
            yield f"{indent}\t<output> {values[~node]!r} </output>"
            continue
        feature, threshold, left, right, _ = nodes[node]
        yield f"{indent}\t<feature> {feature + 1} </feature>"
        yield f"{indent}\t<threshold> {threshold!r} </threshold>"
        waiting += [(right, '<split pos="right">'), (left, '<split pos="left">')]
