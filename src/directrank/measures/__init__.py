"""What is optimised: the measures of a ranking or a labelling, each an immutable value with a name that parses back."""

from .average_precision import AP
from .base import Bound, Evaluates, Lambdas, Measure, MeasureError, Smoothed, Violation, bind, name_of, qualified_name_of
from .contingency import F1, PRBEP, Accuracy, F
from .dcg import DCG, nDCG
from .multi_class import MacroPrecision, MicroPrecision
from .names import as_measure, known_names, parse, require
from .pair_accuracy import PairAccuracy
from .pairs.evaluated_swaps import lambdas_of
from .precision_recall import P, R, Rprec, Success, macroP, microP
from .precision_recall_area import AUPRC
from .ranking.sorting import ranked
from .reciprocal_rank import ERR, RR
from .roc_area import AUC, MAUC
from .weighted_sum import WeightedSum, guided

__all__ = [
    "AP",
    "AUC",
    "AUPRC",
    "DCG",
    "ERR",
    "F1",
    "MAUC",
    "PRBEP",
    "RR",
    "Accuracy",
    "Bound",
    "Evaluates",
    "F",
    "Lambdas",
    "MacroPrecision",
    "Measure",
    "MeasureError",
    "MicroPrecision",
    "P",
    "PairAccuracy",
    "R",
    "Rprec",
    "Smoothed",
    "Success",
    "Violation",
    "WeightedSum",
    "as_measure",
    "bind",
    "guided",
    "known_names",
    "lambdas_of",
    "macroP",
    "microP",
    "nDCG",
    "name_of",
    "parse",
    "qualified_name_of",
    "ranked",
    "require",
]
