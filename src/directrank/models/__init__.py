"""What was learned, as values: they score rows, are saved and loaded, and know neither measures nor learners."""

from .base import Model
from .checks import ModelError
from .estimator import EstimatorModel
from .importances import Importances
from .kernel_expansion import KernelExpansion
from .linear import LinearModel
from .pipeline import PipelineModel
from .provenance import Provenance
from .saving import as_model, dumps, load_model, loads, save_model
from .selected_features import SelectedFeatures
from .stumps import StumpsModel
from .sum_of_models import SumOfModels
from .sum_over_grades import SumOverGrades
from .trees import Tree, TreesModel

__all__ = [
    "EstimatorModel",
    "Importances",
    "KernelExpansion",
    "LinearModel",
    "Model",
    "ModelError",
    "PipelineModel",
    "Provenance",
    "SelectedFeatures",
    "StumpsModel",
    "SumOfModels",
    "SumOverGrades",
    "Tree",
    "TreesModel",
    "as_model",
    "dumps",
    "load_model",
    "loads",
    "save_model",
]
