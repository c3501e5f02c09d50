"""What is optimised: the measures of a ranking or a labelling, each an immutable value with a name that parses back."""

from .average_precision import AP
from .base import (
    Bound,
    Lambdas,
    Measure,
    MeasureError,
    Smoothed,
    SupportsEvaluate,
    Violation,
    bind,
    grades_for,
    name_of,
    qualified_name_of,
)
from .contingency import F1, MCC, PRBEP, Accuracy, BalancedAccuracy, ContingencyMeasure, F, GMean, Jaccard
from .dcg import DCG, nDCG
from .interpolated_precision import IPrec
from .judged import Bpref, Judged, infAP
from .measure_sum import MeasureSum, guided
from .multi_class import MacroPrecision, MicroPrecision
from .name_parser import as_measure, known_names, parse, require
from .pair_accuracy import PairAccuracy
from .pairs.evaluated_swaps import lambdas_of
from .precision_recall import P, R, Rprec, Success, macroP, microP
from .precision_recall_area import AUPRC
from .rank_biased import RBP
from .ranking.sorting import ranked
from .reciprocal_rank import ERR, RR
from .retrieved_set import SetF, SetP, SetR
from .roc_area import AUC, MAUC

__all__ = [
    "AP",
    "AUC",
    "AUPRC",
    "DCG",
    "ERR",
    "F1",
    "MAUC",
    "MCC",
    "PRBEP",
    "RBP",
    "RR",
    "Accuracy",
    "BalancedAccuracy",
    "Bound",
    "Bpref",
    "ContingencyMeasure",
    "F",
    "GMean",
    "IPrec",
    "Jaccard",
    "Judged",
    "Lambdas",
    "MacroPrecision",
    "Measure",
    "MeasureError",
    "MeasureSum",
    "MicroPrecision",
    "P",
    "PairAccuracy",
    "R",
    "Rprec",
    "SetF",
    "SetP",
    "SetR",
    "Smoothed",
    "Success",
    "SupportsEvaluate",
    "Violation",
    "as_measure",
    "bind",
    "grades_for",
    "guided",
    "infAP",
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
