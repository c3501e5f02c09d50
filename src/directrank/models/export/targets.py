"""Registry of export targets."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from ...arrays import Floats
from ..errors import ModelError
from ..portable import Portable
from .elasticsearch import elasticsearch_features, to_elasticsearch
from .elasticsearch_ltr import elasticsearch_ltr_features, to_elasticsearch_ltr, to_opensearch_ltr
from .exported_model import Exported
from .lightgbm import lightgbm_scores, to_lightgbm
from .onnx import onnx_scores, to_onnx
from .python import python_scores, to_python
from .ranklib import to_ranklib
from .solr import solr_features, to_solr
from .sql import sql_scores, to_sql
from .treelite import to_treelite, treelite_scores
from .vespa import to_vespa, vespa_features
from .xgboost import to_xgboost, xgboost_scores


@dataclass(frozen=True)
class Target:
    """An export target.

    Attributes
    ----------
    name : str
    export : function
        Exports a model, given options.
    features : function, or None
        Writes templates of feature definitions.
    scores : function, or None
        Scores X with the target's own runtime, given the export.
    runtime : str
        Package required for `scores`, if any.
    is_text : bool
    """

    name: str
    export: Callable[..., Exported]
    features: Callable[..., Exported] | None = None
    scores: Callable[[bytes, Any, Portable], Floats] | None = None
    runtime: str = ""
    is_text: bool = True

    def write(self, model: Any, options: Mapping[str, Any]) -> Exported:
        """Export a model with the options that are not None; raises a `ModelError` for unsupported options."""
        return self._called(self.export, model, options)

    def write_features(self, model: Any, options: Mapping[str, Any]) -> Exported:
        """Templates of feature definitions for a model."""
        if self.features is None:
            raise ModelError(f"{self.name} has no feature definitions; targets with them: {', '.join(_with_features())}")
        return self._called(self.features, model, options)

    def replay(self, content: bytes, X: Any, portable: Portable) -> Floats:
        """Score X with an export in the target's runtime."""
        self.check_runtime()
        assert self.scores is not None
        return self.scores(content, X, portable)

    def check_runtime(self) -> None:
        """Raise a `ModelError` unless the target's runtime is installed."""
        if self.scores is None:
            raise ModelError(f"{self.name} cannot be run to check the export; compare a few scores in the engine itself")
        if self.runtime and find_spec(self.runtime) is None:
            raise ModelError(f"to check this export, {self.runtime} is needed: pip install {self.runtime}")

    def takes(self, option: str) -> bool:
        return option in inspect.signature(self.export).parameters

    def _called(self, function: Callable[..., Exported], model: Any, options: Mapping[str, Any]) -> Exported:
        given = {name: value for name, value in options.items() if value is not None}
        for name in given:
            if name not in inspect.signature(function).parameters:
                what = f"--feature-definitions for {self.name}" if function is self.features else self.name
                raise ModelError(f"{what} does not take --{name.replace('_', '-')}; leave it out")
        return function(model, **given)


TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target("elasticsearch-ltr", to_elasticsearch_ltr, elasticsearch_ltr_features),
        Target("opensearch-ltr", to_opensearch_ltr, elasticsearch_ltr_features),
        Target("elasticsearch", to_elasticsearch, elasticsearch_features),
        Target("solr", to_solr, solr_features),
        Target("vespa", to_vespa, vespa_features),
        Target("ranklib", to_ranklib),
        Target("onnx", to_onnx, scores=onnx_scores, runtime="onnxruntime", is_text=False),
        Target("xgboost", to_xgboost, scores=xgboost_scores, runtime="xgboost"),
        Target("lightgbm", to_lightgbm, scores=lightgbm_scores),
        Target("treelite", to_treelite, scores=treelite_scores, runtime="treelite", is_text=False),
        Target("sql", to_sql, scores=sql_scores),
        Target("python", to_python, scores=python_scores),
    )
}


def _with_features() -> list[str]:
    return [target.name for target in TARGETS.values() if target.features is not None]
