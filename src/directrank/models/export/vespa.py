"""Vespa: a rank profile with ranking expressions, or LightGBM's JSON for its ``models`` folder."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..errors import ModelError
from ..portable import Pieces, Portable, Term, WeightedSum
from .export_names import RENAME, check_model_name, check_names
from .exported_model import Exported, Notes, as_parts_and_pieces, as_portable, exported
from .notes import linear_notes, missing_values, unnamed
from .plain_trees import MAX_NESTED, PlainTree, n_missing_unlike_zero, plain_trees
from .threshold_rounding import single_above

_IDENTIFIER = r"[A-Za-z_@][A-Za-z0-9_@$]*"
#: Quoted text without characters that a schema could read as its own syntax: braces, quotes, comments, line breaks.
_QUOTED = r'"[A-Za-z0-9_ .:/@$-]*"'
_ARGUMENT = rf"({_IDENTIFIER}(\.{_IDENTIFIER})*|-?[0-9][0-9.]*|{_QUOTED})"
_ARGUMENTS = rf"\( *{_ARGUMENT}( *, *{_ARGUMENT})* *\)"

#: A rank feature: a name, perhaps with arguments and an output, such as fieldMatch(title).completeness.
_FEATURE = rf"{_IDENTIFIER}({_ARGUMENTS})?(\.{_IDENTIFIER})*"

#: The signed logarithm: x log(u) / (u - 1), where u is 1 + |x| as rounded, and two terms of its series for tiny x.
_LOGARITHM = "if (fabs({x}) < 1e-8, {x} * (1 - fabs({x}) / 2), {x} * (log(1 + fabs({x})) / (1 + fabs({x}) - 1)))"

#: Names of functions in Vespa's expressions.
_RESERVED = re.compile(
    "if|in|f|abs|acos|asin|atan|ceil|cos|cosh|elu|exp|fabs|floor|isNan|log|log10|relu|round|sigmoid|sign|sin|sinh|square|sqrt|tan|"
    "tanh|atan2|fmod|ldexp|pow|map|reduce|join|rename|concat|tensor|range|diag|random|l1_normalize|l2_normalize|matmul|softmax|"
    "xw_plus_b|argmax|argmin|avg|count|prod|sum|max|min|median|true|false|NaN|Infinity|erf|hamming|bit|merge|cell_cast|expand|"
    "map_subspaces|filter_subspaces|unpack_bits|cosine_similarity|euclidean_distance"
)

#: Rank features without arguments.
_WITHOUT_ARGUMENTS = re.compile("native(Rank|FieldMatch|Proximity|AttributeMatch)|(first|second)Phase|now|queryTermCount")


def to_vespa(model: Any, *, name: str = "model", store: str = "features", shift: bool = False) -> Exported:
    """A rank profile for a weighted sum; for trees LightGBM's JSON, which an expression names: ``lightgbm("NAME.json")``.

    A model with both is a rank profile with a function for each. The names of the features must be rank features, or
    functions of the rank profile. Vespa reads x <= t as x < t, and holds the thresholds of large models in single precision.

    Parameters
    ----------
    model : Model, or a fitted learner
    name : str
        Name of the rank profile, or of the file that the expression refers to.
    store : str
        The rank profile that has the functions of the features; the exported profile inherits it, unless all features are
        Vespa's own.
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    """
    portable, (linear, trees), pieces = as_parts_and_pieces(model)
    names = list(portable.features.values())
    _check_names(names)
    plain: list[PlainTree] = []
    if trees is not None:
        shift_trees = shift and linear is None
        plain = plain_trees(trees, single_above, leaf_type=np.float32, max_depth=MAX_NESTED, shift=shift_trees)
    if linear is None:
        return _lightgbm_file(portable, plain, check_model_name(name))
    profile, parent = _profile_name(name), _profile_name(store if any(map(_needs_function, names)) else "default")
    if profile == parent:
        raise ModelError(f"the rank profile cannot inherit itself, {profile!r}; give it another name (--name)")
    expressions = {
        f"{profile}_linear": [*_linear_terms(linear), *(_piecewise(portable.features[p.column], p) for p in pieces)]
    }
    notes: Notes = (*linear_notes(linear, shift), _MISSING_IS_NAN if np.any(linear.if_missing) else None)
    if trees is not None:
        expressions[f"{profile}_trees"] = [_tree_expression(tree, portable.features) for tree in plain]
        own_branch = missing_values(plain, _OWN_BRANCH) if n_missing_unlike_zero(plain) else None
        notes = (_SINGLE_THRESHOLDS, own_branch, *notes)
    for taken in expressions.keys() & set(names):
        raise ModelError(f"the rank profile would have a function of the name of the feature {taken!r}; use another --name")
    return exported(_profile(profile, parent, expressions), unnamed(portable), *notes, _WHERE.format(profile))


def _lightgbm_file(portable: Portable, trees: list[PlainTree], name: str) -> Exported:
    """LightGBM's JSON with the thresholds that Vespa needs."""
    names = list(portable.features.values())
    place = {column: i for i, column in enumerate(portable.features)}
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
    use = f'Save it as models/{name}.json in the application package; the expression is lightgbm("{name}.json").'
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

_MISSING_IS_NAN = (
    "Vespa knows a missing feature as NaN, which attribute() gives for a missing float, but for no missing integer."
)

_SINGLE_THRESHOLDS = (
    "Thresholds and leaves are in single precision, as in Vespa for large models; a feature of double precision "
    "between two such numbers can take the other branch."
)

_WHERE = "Save it as schemas/SCHEMA/{}.profile in the application package, SCHEMA being the name of your schema."

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


def _linear_terms(model: WeightedSum) -> list[str]:
    terms = [_linear_term(term) for term in model.terms]
    return [*terms, _constant(model.intercept)] if model.intercept else terms


def _linear_term(term: Term) -> str:
    """A term of a weighted sum."""
    feature, weight = term.name, _constant(term.weight)
    if not (term.is_log or term.if_missing):
        return f"if (isNan({feature}) == 1, 0, {feature}) * {weight}"
    value = _LOGARITHM.format(x=feature) if term.is_log else feature
    return f"if (isNan({feature}) == 1, {_constant(term.if_missing)}, {value} * {weight})"


def _piecewise(feature: str, pieces: Pieces) -> str:
    """A piecewise-linear function of a feature; 0 if it is missing."""
    knots, values, slopes = pieces.knots.tolist(), pieces.values.tolist(), pieces.slopes.tolist()
    expression = _constant(values[-1])
    for start, end, value, slope in reversed(list(zip(knots[:-1], knots[1:], values[:-1], slopes, strict=True))):
        inner = f"{_constant(value)} + ({feature} - {_constant(start)}) * {_constant(slope)}"
        expression = f"if ({feature} < {_constant(end)}, {inner}, {expression})"
    return f"if (isNan({feature}) == 1, 0, if ({feature} < {_constant(knots[0])}, {_constant(values[0])}, {expression}))"


def _tree_expression(tree: PlainTree, names: dict[int, str]) -> str:
    """A tree as Vespa writes it when it imports LightGBM's JSON."""
    nodes, values = tree.nodes(), tree.leaf_value.tolist()

    def split(i: int, left: str, right: str) -> str:
        feature, threshold, _, _, missing_left = nodes[i]
        below = f"{names[feature]} < {_constant(threshold)}"
        if missing_left:
            below = f"!({names[feature]} >= {_constant(threshold)})"
        return f"if ({below}, {left}, {right})"

    return tree.nested(split, lambda leaf: _constant(values[leaf]))


def _profile(name: str, parent: str, expressions: dict[str, list[str]]) -> str:
    """A rank profile that scores with the sum of its functions."""
    functions = "".join(
        f"    function {function}() {{\n        expression {{\n            {_lines(terms)}\n        }}\n    }}\n"
        for function, terms in expressions.items()
    )
    first_phase = f"    first-phase {{\n        expression: {' + '.join(expressions)}\n    }}\n"
    return f"rank-profile {name} inherits {parent} {{\n{functions}{first_phase}}}\n"


def _lines(terms: list[str]) -> str:
    return " +\n            ".join(terms)


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
