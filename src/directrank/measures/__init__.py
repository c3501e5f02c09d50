"""What is optimised: the measures of a ranking or a labelling, each an immutable value with a name that parses back."""

from .average_precision import AP
from .base import Measure, MeasureError, Violation
from .contingency import F1, PRBEP, Accuracy, F
from .dcg import DCG, nDCG
from .names import Evaluates, as_measure, known_names, name_of, needed, parse
from .precision_recall import P, R, Rprec, Success, macroP, microP
from .reciprocal_rank import ERR, RR
from .roc_area import AUC, MAUC
from .ties import ranked

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
    "Measure",
    "MeasureError",
    "P",
    "R",
    "Rprec",
    "Success",
    "Violation",
    "as_measure",
    "known_names",
    "macroP",
    "microP",
    "nDCG",
    "name_of",
    "needed",
    "parse",
    "ranked",
]
