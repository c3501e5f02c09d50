"""Models as immutable values, which score rows and can be saved, loaded and exported.

They are imported eagerly: `Model.from_dict` knows the kinds of models that have been imported.
"""

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


def __dir__() -> list[str]:
    return __all__
