"""The accuracy SVMs of Yue et al. (2007, section 5.2): classifiers of relevance, made of scikit-learn's parts.

They are given ``y > 0`` and rank by their decision function. Two of them scale features within queries and need `qid`::

    with routing():
        svm = accuracy_svms(C=1)["SVM-acc4"].fit(X, y > 0, qid=qid)
        scores = svm.decision_function(X, qid=qid)
"""

from __future__ import annotations

from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from ..features import QueryMinMax, QueryPercentile


def accuracy_svms(C: float) -> dict[str, Pipeline]:
    """SVM-acc; acc2, with errors weighted by the imbalance of the classes; acc3, on percentiles; acc4, on min-max scales."""

    def svm(class_weight: str | None = None) -> LinearSVC:
        return LinearSVC(C=C, class_weight=class_weight, random_state=0, max_iter=10_000)

    return {
        "SVM-acc": make_pipeline(svm()),
        "SVM-acc2": make_pipeline(svm("balanced")),
        "SVM-acc3": make_pipeline(QueryPercentile(), svm()),
        "SVM-acc4": make_pipeline(QueryMinMax(), svm()),
    }
