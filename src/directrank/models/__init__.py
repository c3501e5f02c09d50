"""What was learned, as values: they score rows, are saved and loaded, and know neither measures nor learners."""

from .base import Model, ModelError, Provenance
from .linear import LinearModel
from .saving import as_model, dumps, load_model, loads, save_model
from .selected_features import SelectedFeatures
from .stumps import StumpsModel
from .sum_over_grades import SumOverGrades
from .trees import TreesModel

__all__ = [
    "LinearModel",
    "Model",
    "ModelError",
    "Provenance",
    "SelectedFeatures",
    "StumpsModel",
    "SumOverGrades",
    "TreesModel",
    "as_model",
    "dumps",
    "load_model",
    "loads",
    "save_model",
]
