"""What is optimised: the measures of a ranking or a labelling, each an immutable value with a name that parses back."""

from .average_precision import AP
from .base import Evaluates, Measure, MeasureError, Violation
from .contingency import F1, PRBEP, Accuracy, F
from .dcg import DCG, nDCG
from .lambdas import Lambdas
from .names import as_measure, known_names, name_of, needed, parse
from .precision_recall import P, R, Rprec, Success, macroP, microP
from .reciprocal_rank import ERR, RR
from .roc_area import AUC, MAUC
from .swaps import lambdas_of
from .ties import ranked
from .weighted_sum import WeightedSum

__all__ = [
    "AP",
    "AUC",
    "DCG",
    "ERR",
    "F1",
    "MAUC",
    "PRBEP",
    "RR",
    "Accuracy",
    "Evaluates",
    "F",
    "Lambdas",
    "Measure",
    "MeasureError",
    "P",
    "R",
    "Rprec",
    "Success",
    "Violation",
    "WeightedSum",
    "as_measure",
    "known_names",
    "lambdas_of",
    "macroP",
    "microP",
    "nDCG",
    "name_of",
    "needed",
    "parse",
    "ranked",
]
