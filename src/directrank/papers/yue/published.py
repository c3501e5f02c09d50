"""Published figures for TREC 9 and TREC 10."""

from __future__ import annotations

from ..experiment import Figures

STATISTICS = "statistics"
MAP, BEST, SECOND, THIRD = "SVM-map", "best function", "2nd best", "3rd best"
RIVALS = ("SVM-roc", "SVM-acc", "SVM-acc2", "SVM-acc3", "SVM-acc4")


def _by_collection(*rows: tuple[str, float, str, float, str]) -> dict[str, Figures]:
    """Figures from rows of a name, MAP and W/L on TREC 9, and MAP and W/L on TREC 10."""
    nine = {name: _figures(value, against) for name, value, against, _, _ in rows}
    ten = {name: _figures(value, against) for name, _, _, value, against in rows}
    return {"TREC 9": nine, "TREC 10": ten}


def _figures(value: float, against: str) -> dict[str, float | str]:
    return {"MAP": value, "W/L": against} if against else {"MAP": value}


TABLE_5: dict[str, Figures] = {
    "TREC 9 Indri": {STATISTICS: {"base functions": 15, "features": 750}},
    "TREC 10 Indri": {STATISTICS: {"base functions": 15, "features": 750}},
    "TREC 9 submissions": {STATISTICS: {"base functions": 53, "features": 2650}},
    "TREC 10 submissions": {STATISTICS: {"base functions": 18, "features": 900}},
}
TABLE_6 = _by_collection(
    (MAP, 0.242, "", 0.236, ""),
    (BEST, 0.204, "39/11 **", 0.181, "37/13 **"),
    (SECOND, 0.199, "38/12 **", 0.174, "43/7 **"),
    (THIRD, 0.188, "34/16 **", 0.174, "38/12 **"),
)
TABLE_7 = _by_collection(
    (MAP, 0.290, "", 0.287, ""),
    (BEST, 0.280, "28/22", 0.283, "29/21"),
    (SECOND, 0.269, "30/20", 0.251, "36/14 **"),
    (THIRD, 0.266, "30/20", 0.233, "36/14 **"),
)
TABLE_8 = _by_collection(
    (MAP, 0.284, "", 0.288, ""),
    (BEST, 0.280, "27/23", 0.283, "31/19"),
    (SECOND, 0.269, "30/20", 0.251, "36/14 **"),
    (THIRD, 0.266, "30/20", 0.233, "35/15 **"),
)
TABLE_9 = _by_collection(
    (MAP, 0.242, "", 0.236, ""),
    ("SVM-roc", 0.237, "29/21", 0.234, "24/26"),
    ("SVM-acc", 0.147, "47/3 **", 0.155, "47/3 **"),
    ("SVM-acc2", 0.219, "39/11 **", 0.207, "43/7 **"),
    ("SVM-acc3", 0.113, "49/1 **", 0.153, "45/5 **"),
    ("SVM-acc4", 0.155, "48/2 **", 0.155, "48/2 **"),
)
TABLE_10 = _by_collection(
    (MAP, 0.290, "", 0.287, ""),
    ("SVM-roc", 0.282, "29/21", 0.278, "35/15 **"),
    ("SVM-acc", 0.213, "49/1 **", 0.222, "49/1 **"),
    ("SVM-acc2", 0.270, "34/16 **", 0.261, "42/8 **"),
    ("SVM-acc3", 0.133, "50/0 **", 0.182, "46/4 **"),
    ("SVM-acc4", 0.233, "47/3 **", 0.238, "46/4 **"),
)
TABLE_11 = _by_collection(
    (MAP, 0.284, "", 0.288, ""),
    ("SVM-roc", 0.274, "31/19 **", 0.272, "38/12 **"),
    ("SVM-acc", 0.215, "49/1 **", 0.211, "50/0 **"),
    ("SVM-acc2", 0.267, "35/15 **", 0.258, "44/6 **"),
    ("SVM-acc3", 0.133, "50/0 **", 0.174, "46/4 **"),
    ("SVM-acc4", 0.228, "46/4 **", 0.234, "45/5 **"),
)
