"""Vespa: a rank profile with a ranking expression, or LightGBM's JSON for its ``models`` folder."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..errors import ModelError
from ..portable import WeightedSum
from .export_names import RENAME, check_model_name, check_names
from .exported_model import Exported, as_portable, exported
from .notes import MISSING_IS_ZERO, missing_values, unnamed, unshifted
from .plain_trees import MAX_NESTED, PlainTree, plain_trees
from .threshold_rounding import single_above

_IDENTIFIER = r"[A-Za-z_@][A-Za-z0-9_@$]*"
_ARGUMENT = rf'({_IDENTIFIER}(\.{_IDENTIFIER})*|-?[0-9][0-9.]*|"[^"\\]*")'
_ARGUMENTS = rf"\(\s*{_ARGUMENT}(\s*,\s*{_ARGUMENT})*\s*\)"

#: A rank feature: a name, perhaps with arguments and an output, such as fieldMatch(title).completeness.
_FEATURE = rf"{_IDENTIFIER}({_ARGUMENTS})?(\.{_IDENTIFIER})*"

#: Names of functions in Vespa's expressions.
_RESERVED = re.compile(
    "if|in|f|abs|acos|asin|atan|ceil|cos|cosh|elu|exp|fabs|floor|isNan|log|log10|relu|round|sigmoid|sign|sin|sinh|square|sqrt|tan|"
    "tanh|atan2|fmod|ldexp|pow|map|reduce|join|rename|concat|tensor|range|diag|random|l1_normalize|l2_normalize|matmul|softmax|"
    "xw_plus_b|argmax|argmin|avg|count|prod|sum|max|min|true|false|NaN|Infinity"
)

#: Rank features without arguments.
_WITHOUT_ARGUMENTS = re.compile("native(Rank|FieldMatch|Proximity|AttributeMatch)|(first|second)Phase|now|queryTermCount")


def to_vespa(model: Any, *, name: str = "model", store: str = "features", shift: bool = False) -> Exported:
    """A rank profile for a weighted sum; for trees LightGBM's JSON, which an expression names: ``lightgbm("NAME.json")``.

    The names of the features must be rank features, or functions of the rank profile. Vespa reads x <= t as x < t, and holds
    the thresholds of large models in single precision.

    Parameters
    ----------
    model : Model, or a fitted learner
    name : str
        Name of the rank profile, or of the file that the expression refers to.
    store : str
        The rank profile that has the functions of the features; that of a weighted sum inherits it, unless all features are
        Vespa's own.
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    """
    portable = as_portable(model)
    names = list(portable.features.values())
    _check_names(names)
    if isinstance(portable, WeightedSum):
        parent = store if any(map(_needs_function, names)) else "default"
        profile = _profile(_profile_name(name), _profile_name(parent), portable)
        return exported(profile, unnamed(portable), MISSING_IS_ZERO, unshifted(shift))
    place = {column: i for i, column in enumerate(portable.features)}
    trees = plain_trees(portable, single_above, leaf_type=np.float32, max_depth=MAX_NESTED, shift=shift)
    content = {
        "name": "tree",
        "version": "v4",
        "num_class": 1,
        "num_tree_per_iteration": 1,
        "label_index": 0,
        "max_feature_idx": len(names) - 1,
        "objective": "regression",
        "feature_names": names,
        "tree_info": [_tree(number, tree, place) for number, tree in enumerate(trees)],
        "pandas_categorical": [],
    }
    use = f'Save it as models/{check_model_name(name)}.json; the expression is lightgbm("{name}.json").'
    missing = missing_values(trees, _OWN_BRANCH)
    return exported(content, unnamed(portable), _SINGLE_THRESHOLDS, missing, use, _READ_AS_LESS)


def vespa_features(model: Any, *, store: str = "features") -> Exported:
    """The rank profile `store`, with a function for each feature whose name is no rank feature of Vespa's, to fill in.

    Vespa rejects functions that are not filled in when the application is deployed.
    """
    portable = as_portable(model)
    names = portable.all_names()
    _check_names(names)
    own = [name for name in names if _needs_function(name)]
    functions = "".join(f"    function {name}() {{\n        expression: FILL_IN\n    }}\n" for name in own)
    listed = "".join(f"        {name}\n" for name in names)
    profile = f"rank-profile {_profile_name(store)} inherits default"
    return exported(f"{profile} {{\n{functions}    match-features {{\n{listed}    }}\n}}\n", unnamed(portable))


_OWN_BRANCH = "Vespa knows it as NaN, which attribute() gives for a missing float, but for no missing integer."

_SINGLE_THRESHOLDS = (
    "Thresholds and leaves are in single precision, as Vespa has those of large models; a feature of double precision "
    "between two such numbers can take the other branch."
)

_READ_AS_LESS = (
    "Only Vespa reads this file so: it takes <= for <, and thresholds are written the next higher number. "
    "For LightGBM itself there is --to lightgbm."
)


def _check_names(names: list[str]) -> None:
    check_names("Vespa", names, _FEATURE, "text that is neither a name nor a rank feature such as bm25(title)")
    for name in names:
        if _RESERVED.fullmatch(re.split(r"\W", name)[0]):
            raise ModelError(f"Vespa would take the feature {name!r} for a function of its own; {RENAME}")


def _needs_function(name: str) -> bool:
    return re.fullmatch(_IDENTIFIER, name) is not None and not _WITHOUT_ARGUMENTS.fullmatch(name)


def _profile_name(name: str) -> str:
    profile = check_model_name(name).replace("-", "_").replace(".", "_")
    if profile[0].isdigit():
        raise ModelError(f"{name!r} cannot be the name of a rank profile: it starts with a digit (--name)")
    return profile


def _profile(name: str, parent: str, model: WeightedSum) -> str:
    terms = [
        f"if (isNan({feature}) == 1, 0, {feature}) * {_constant(weight)}"
        for feature, weight in zip(model.features.values(), model.weights.tolist(), strict=True)
    ]
    if model.intercept:
        terms.append(_constant(model.intercept))
    lines = " +\n            ".join(terms)
    return (
        f"rank-profile {name} inherits {parent} {{\n    first-phase {{\n        expression {{\n            {lines}\n"
        "        }\n    }\n}\n"
    )


def _constant(number: float) -> str:
    return f"({number!r})" if number < 0 else repr(number)


def _tree(number: int, tree: PlainTree, place: dict[int, int]) -> dict[str, Any]:
    nodes, values = tree.nodes(), tree.leaf_value.tolist()

    def split(i: int, left: Any, right: Any) -> Any:
        feature, threshold, _, _, missing_left = nodes[i]
        return {
            "split_index": i,
            "split_feature": place[feature],
            "threshold": threshold,
            "decision_type": "<=",
            "default_left": missing_left,
            "missing_type": "NaN",
            "left_child": left,
            "right_child": right,
        }

    structure = tree.nested(split, lambda leaf: {"leaf_index": leaf, "leaf_value": values[leaf]})
    return {"tree_index": number, "num_leaves": tree.n_leaves, "num_cat": 0, "shrinkage": 1, "tree_structure": structure}
