"""What was learned, as values: they score rows, are saved and loaded, and know neither measures nor learners."""

from .base import Model
from .composite.pipeline import PipelineModel
from .composite.selected_features import SelectedFeatures
from .composite.sum_of_models import SumOfModels
from .composite.sum_over_grades import SumOverGrades
from .errors import ModelError
from .estimator_model import EstimatorModel
from .importances import Importances
from .kernel_expansion import KernelExpansion
from .linear import LinearModel
from .provenance import Provenance
from .saving import as_model, dumps, load_model, loads, save_model
from .stumps import StumpsModel
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
