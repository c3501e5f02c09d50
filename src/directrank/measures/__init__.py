"""Measures of rankings and labellings, each an immutable value with a name that parses back."""

from .additive_measures import additive_alternative
from .average_precision import AP
from .average_rank import ARP
from .bound import Bound, bind, supports
from .capabilities import (
    Capability,
    Lambdas,
    Smoothed,
    SupportsDepths,
    SupportsEvaluate,
    SupportsLambdas,
    SupportsMostViolated,
    SupportsSmooth,
    SupportsViolationUnits,
    TieRule,
    Violation,
    ViolationUnits,
)
from .contingency import F1, MCC, PRBEP, Accuracy, BalancedAccuracy, ContingencyMeasure, F, GMean, Jaccard
from .dcg import DCG, nDCG
from .errors import MeasureError
from .interpolated_precision import IPrec
from .judged import Bpref, Judged, infAP
from .measure import Measure
from .measure_sum import MeasureSum
from .multi_class import MacroPrecision, MicroPrecision
from .name_parser import as_measure, known_names, parse, require
from .naming import name_of
from .pair_accuracy import PairAccuracy
from .precision_recall import P, R, Rprec, Success, macroP, microP
from .precision_recall_area import AUPRC
from .rank_biased import RBP
from .reciprocal_rank import ERR, RR
from .retrieved_set import SetF, SetP, SetR
from .roc_area import AUC, MAUC

__all__ = [
    "AP",
    "ARP",
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
    "Capability",
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
    "SupportsDepths",
    "SupportsEvaluate",
    "SupportsLambdas",
    "SupportsMostViolated",
    "SupportsSmooth",
    "SupportsViolationUnits",
    "TieRule",
    "Violation",
    "ViolationUnits",
    "additive_alternative",
    "as_measure",
    "bind",
    "infAP",
    "known_names",
    "macroP",
    "microP",
    "nDCG",
    "name_of",
    "parse",
    "require",
    "supports",
]


def __dir__() -> list[str]:
    return __all__
