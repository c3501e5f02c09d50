"""Mercer kernels: their matrices, SVMs in their feature spaces, and the resulting models."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

from directrank import InputError, LambdaMART, MultivariateSVC, SVMRanker, save_model
from directrank.datasets import make_ranking
from directrank.evaluation.report.page.model_section import model_section
from directrank.learners.core.shards import LocalShards
from directrank.learners.core.task import make_task
from directrank.learners.svm import mercer
from directrank.learners.svm.mercer import KernelBasis
from directrank.matrix import kernel_matrix
from directrank.matrix.kernel_matrix import KernelMatrix
from directrank.matrix.mercer_kernels import Kernel, as_float64, resolve_gamma
from directrank.measures import parse
from directrank.models import KernelExpansion, ModelError, SelectedFeatures, dumps, loads
from directrank.models.export import TARGETS

DATA = make_ranking(20, (5, 20), random_state=4)
KERNELS = {
    "linear": (Kernel("linear"), linear_kernel),
    "rbf": (Kernel("rbf", 0.3), lambda X, Y: rbf_kernel(X, Y, 0.3)),
    "poly": (Kernel("poly", 0.3, 2, 1.5), lambda X, Y: polynomial_kernel(X, Y, 2, 0.3, 1.5)),
    "function": (Kernel(linear_kernel, constant=2.0), lambda X, Y: linear_kernel(X, Y) + 2),
}


@pytest.mark.parametrize("name", KERNELS)
@given(seed=st.integers(0, 1000), is_sparse=st.booleans(), mixed=st.booleans())
def test_a_kernel_is_that_of_scikit_learn(name: str, seed: int, is_sparse: bool, mixed: bool) -> None:
    random = np.random.default_rng(seed)
    X, Y = (random.normal(size=(n, 4)) * (random.random((n, 4)) < 0.6) for n in random.integers(1, 12, 2))
    ours, theirs = KERNELS[name]
    rows, others = (sparse.csr_array(part) if is_sparse != other else part for part, other in ((X, mixed), (Y, False)))
    np.testing.assert_allclose(ours(rows, as_float64(others)), theirs(X, Y), atol=1e-12)
    np.testing.assert_allclose(ours.diagonal(as_float64(others)), np.diagonal(theirs(Y, Y)), atol=1e-12)


@pytest.mark.parametrize("limit", [0, 1000, 10**6])
def test_no_more_of_a_matrix_is_kept_than_fits(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_matrix, "BLOCK", 100)
    random = np.random.default_rng(0)
    X, Y, c = random.normal(size=(53, 3)), random.normal(size=(12, 3)), random.normal(size=12)
    n_computed = []

    def counted(X, Y):
        n_computed.append(len(X))
        return rbf_kernel(X, Y)

    matrix = KernelMatrix(Kernel(counted), X, Y, limit)
    for _ in range(3):
        np.testing.assert_allclose(matrix.times(c), rbf_kernel(X, Y) @ c, atol=1e-12)
    kept = {0: 0, 1000: 8, 10**6: 53}[limit]  # rows of 96 bytes, in blocks of 8
    assert sum(n_computed) == 53 + 2 * (53 - kept) and max(n_computed) == 8


@given(seed=st.integers(0, 1000), rank=st.integers(1, 8))
def test_a_basis_is_orthonormal_and_gives_combinations_back(seed: int, rank: int) -> None:
    """Also where planes come twice, and where there are more of them than dimensions."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(15, rank))
    K, basis = X @ X.T, KernelBasis(Kernel("linear"), X)
    planes = random.normal(size=(12, 15))
    for c in (*planes, *planes[:3]):
        coordinates = basis.coordinates(c)
        assert np.sum(coordinates**2) == pytest.approx(c @ K @ c, rel=1e-6)
        np.testing.assert_allclose(basis.matvec(coordinates), K @ c, atol=1e-6)
        np.testing.assert_allclose(K @ basis.expansion(coordinates), K @ c, atol=1e-6)
    found = np.array([basis.expansion(unit) for unit in np.eye(15)[:rank]])
    np.testing.assert_allclose(found @ K @ found.T, np.eye(rank), atol=1e-9)
    assert not np.any(basis.expansion(np.eye(15)[rank]))


@pytest.mark.parametrize("bound", ["convex", "ramp"])
@pytest.mark.parametrize("C", [1.0, 1000.0])
def test_the_linear_kernel_equals_the_linear_model(bound: str, C: float) -> None:
    weights, expansion = (
        SVMRanker("AP", C=C, bound=bound, tol=1e-8, kernel=kernel, scaling="none").fit(DATA.X, DATA.y, DATA.qid)
        for kernel in ("linear", linear_kernel)
    )
    assert isinstance(expansion.model_, KernelExpansion)
    assert expansion.objective_ == pytest.approx(weights.objective_, abs=2e-8 * C)
    np.testing.assert_allclose(expansion.predict(DATA.X), weights.predict(DATA.X), atol=1e-3 * np.abs(weights.coef_).max())


def test_the_linear_kernel_with_an_intercept_equals_the_linear_model() -> None:
    y = DATA.X[:, 0] + DATA.X[:, 1] ** 2 > 1.5
    for measure in ("F1", "AUC"):
        weights, expansion = (
            MultivariateSVC(measure, C=0.1, tol=1e-8, kernel=kernel, scaling="none").fit(DATA.X, y)
            for kernel in ("linear", linear_kernel)
        )
        assert expansion.objective_ == pytest.approx(weights.objective_, rel=1e-7)
        np.testing.assert_allclose(expansion.intercept_, weights.intercept_, atol=1e-4)
        np.testing.assert_allclose(expansion.decision_function(DATA.X), weights.decision_function(DATA.X), atol=1e-3)


@pytest.mark.parametrize(
    "given", [{"C": 10.0}, {"C": "auto", "bound": "ramp", "cv": 2}, {"C": "auto", "bound": "convex", "cv": 2}], ids=str
)
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_a_kernel_is_the_linear_one_on_a_factor_of_its_matrix(kernel: str, given: dict) -> None:
    """With K = L L^T, rows of L are the training rows in the kernel's feature space; on the same folds, so is C chosen."""
    parameters = {"gamma": 0.1, "degree": 2, "coef0": 1.0}
    K = Kernel(kernel, **parameters)(DATA.X, DATA.X)
    values, vectors = np.linalg.eigh(K)
    factor = vectors * np.sqrt(np.maximum(values, 0))
    task = make_task(DATA.X, DATA.y, DATA.qid, parse("AP"))
    ours = SVMRanker("AP", kernel=kernel, **parameters, **given, scaling="none").fit_shards(LocalShards([task]))
    wanted = SVMRanker("AP", **given, scaling="none").fit_shards(LocalShards([replace(task, X=factor)]))
    assert ours.bound_ == wanted.bound_
    np.testing.assert_allclose(ours.C_, wanted.C_)
    assert ours.objective_ == pytest.approx(wanted.objective_, rel=1e-6)
    scores = wanted.predict(factor)
    np.testing.assert_allclose(ours.predict(DATA.X), scores, atol=1e-4 * np.abs(scores).max())


def test_a_validation_set_is_scored_in_the_space_of_the_kernel() -> None:
    held_out = make_ranking(20, (5, 20), random_state=5)
    eval_set = (held_out.X, held_out.y, held_out.qid)
    given = {"bound": "convex", "kernel": "rbf", "Cs": [1.0, 30.0, 1000.0]}
    chosen = SVMRanker("AP", **given, scaling="none").fit(DATA.X, DATA.y, DATA.qid, eval_set=eval_set)
    scores = [
        SVMRanker("AP", **given | {"C": C}, scaling="none").fit(DATA.X, DATA.y, DATA.qid).score(*eval_set)
        for C in given["Cs"]
    ]
    assert np.ptp(scores) > 0
    np.testing.assert_equal(chosen.C_, given["Cs"][np.argmax(scores)])


def test_a_path_has_the_coefficients_of_rows() -> None:
    given = {"bound": "convex", "kernel": "rbf", "gamma": 0.1, "tol": 1e-5}
    path = SVMRanker("AP", **given, scaling="none").path(DATA.X, DATA.y, DATA.qid, [1.0, 10.0])
    assert path.coefs.shape == (2, len(DATA))
    for C, coef in zip(path.Cs, path.coefs, strict=True):
        wanted = SVMRanker("AP", C=C, **given, scaling="none").fit(DATA.X, DATA.y, DATA.qid).predict(DATA.X)
        np.testing.assert_allclose(rbf_kernel(DATA.X, DATA.X, 0.1) @ coef, wanted, atol=1e-2 * np.abs(wanted).max())


def test_exclusive_or_is_learned_by_a_kernel() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = X[:, 0] * X[:, 1] > 0
    by_kernel, linear = (
        MultivariateSVC("Accuracy", kernel=kernel, scaling="none").fit(X, y).score(X, y) for kernel in ("rbf", "linear")
    )
    assert by_kernel > 0.95 and linear < 0.7
    qid = np.arange(200) // 20
    assert SVMRanker("AP", kernel="rbf", scaling="none").fit(X, y, qid).score(X, y, qid) > 0.95
    assert SVMRanker("AP", kernel="poly", degree=2, scaling="none").fit(X, y, qid).score(X, y, qid) > 0.95
    assert SVMRanker("AP", scaling="none").fit(X, y, qid).score(X, y, qid) < 0.8


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.7])
def test_gamma_is_that_of_svc(gamma) -> None:
    X = np.random.default_rng(0).normal(1, 3, size=(30, 4)) * (np.random.default_rng(1).random((30, 4)) < 0.5)
    wanted = SVC(gamma=gamma).fit(X, X[:, 0] > 0)._gamma
    for rows in (X, sparse.csr_array(X)):
        assert resolve_gamma(gamma, rows, 4) == pytest.approx(wanted)
    assert resolve_gamma("scale", np.ones((3, 2)), 2) == 1.0
    with pytest.raises(InputError, match="gamma='scale' is no number"):
        resolve_gamma("scale", X * 1e-200, 4)


def test_wide_sparse_rows_have_the_gamma_of_all_columns() -> None:
    narrow = sparse.csr_array(np.maximum(DATA.X, 0))
    wide = sparse.csr_array((narrow.data, narrow.indices * 1000, narrow.indptr), shape=(len(DATA), 10**5))
    model = SVMRanker("AP", C=10.0, kernel="rbf", scaling="none").fit(wide, DATA.y, DATA.qid)
    assert isinstance(model.model_, SelectedFeatures)
    assert model.model_.model.kernel.gamma == pytest.approx(resolve_gamma("scale", wide, 10**5))
    again = SVMRanker("AP", C=10.0, kernel="rbf", gamma=model.model_.model.kernel.gamma, scaling="none").fit(
        narrow, DATA.y, DATA.qid
    )
    np.testing.assert_allclose(model.predict(wide), again.predict(narrow.toarray()), atol=1e-9)


def test_many_rows_get_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mercer, "MANY_ROWS", len(DATA) - 1)
    with pytest.warns(
        UserWarning, match=f"square of the number of rows, and there are {len(DATA)}; put .* Nystroem"
    ) as caught:
        SVMRanker("AP", C=1.0, kernel="rbf", scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    assert [warning.filename for warning in caught] == [__file__]


def two_camps(X, Y):
    """Rows of different camps are more alike than those of one: there is no such space."""
    return np.where((X[:, :1] < 64) == (Y[:, 0] < 64), 1.0, 2.0)


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        (lambda X, Y: -(X @ Y.T), "is not positive semi-definite"),
        (lambda X, Y: X @ Y.T + np.arange(len(X))[:, None], "is not symmetric"),
        (lambda X, Y: np.full((len(X), len(Y)), np.nan), "is not finite for some rows"),
        (lambda X, Y: np.ones(3), r"gave an array of shape \(3,\) for 64 and 64 rows; it must be \(64, 64\)"),
        (two_camps, "the kernel two_camps is not positive semi-definite on these rows"),
        ("rfb", "kernel must be 'linear', 'rbf', 'poly' or a function of two sets of rows, not 'rfb'"),
    ],
)
def test_an_unknown_kernel_is_rejected(kernel, sentence: str) -> None:
    X = np.arange(128.0)[:, None]
    with pytest.raises(InputError, match=sentence):
        MultivariateSVC("Accuracy", kernel=kernel, fit_intercept=False, scaling="none").fit(X, X[:, 0] < 64)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"gamma": -1}, "gamma must be a number above 0, 'scale' or 'auto', not -1"),
        ({"gamma": "large"}, "gamma must be"),
        ({"gamma": np.array([1.0, 2.0])}, r"gamma must be a number above 0, 'scale' or 'auto', not array"),
        ({"degree": 1.5}, "degree must be an integer of at least 1, not 1.5"),
        ({"coef0": np.nan}, "coef0 must be a finite number, not nan"),
        ({"kernel": "poly", "gamma": 1e150}, r"the kernel poly is not finite for some rows; scale the features"),
    ],
)
def test_bad_parameters_get_a_clear_sentence(given: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        SVMRanker("AP", **{"kernel": "rbf"} | given, scaling="none").fit(DATA.X * 1e15, DATA.y, DATA.qid)


def test_a_kernel_takes_scaled_features_with_missing_values_filled_in() -> None:
    X = DATA.X * 2.0 ** np.arange(DATA.n_features)
    X[:, 3] = np.exp(3 * DATA.X[:, 3])
    X[::7, 2] = np.nan
    model = SVMRanker("AP", C=10.0, kernel="rbf").fit(X, DATA.y, DATA.qid)
    scaling, expansion = model.model_.steps[0], model.model_.model
    assert isinstance(expansion, KernelExpansion) and 3 in scaling.log_features
    rows = scaling.apply(X, None)
    assert np.all(np.isfinite(rows)) and 0.9 < rows[:, 0].std() < 1.1
    np.testing.assert_array_equal(model.predict(X), expansion.predict(rows))
    np.testing.assert_array_equal(loads(dumps(model)).predict(X), model.predict(X))
    found = SVMRanker("AP", C=10.0, kernel="rbf").fit(sparse.csr_array(X), DATA.y, DATA.qid).predict(sparse.csr_array(X))
    np.testing.assert_allclose(found, model.predict(X), atol=1e-6 * np.abs(found).max())


def test_a_missing_value_counts_0_if_there_was_none_in_training() -> None:
    model = SVMRanker("AP", C=10.0, kernel="rbf", scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    gap, zero = DATA.X.copy(), DATA.X.copy()
    gap[3, 2], zero[3, 2] = np.nan, 0.0
    np.testing.assert_array_equal(model.predict(gap), model.predict(zero))
    np.testing.assert_array_equal(model.model_.predict(gap), model.predict(zero))


def test_values_beyond_double_precision_are_rejected() -> None:
    basis = KernelBasis(Kernel("linear"), np.full((3, 1), 1e153))
    with pytest.raises(
        InputError, match="the kernel linear is too large to be summed in double precision; scale the features"
    ):
        basis.coordinates(np.full(3, 100.0))


def test_where_nothing_is_learned_the_model_scores_0() -> None:
    X = np.ones((len(DATA), 2))
    with pytest.warns(UserWarning, match="learned nothing"):
        model = SVMRanker("AP", kernel="rbf", scaling="none").fit(X, DATA.y, DATA.qid)
    assert model.model_.coefficients.size == 0
    assert not np.any(loads(dumps(model)).predict(DATA.X[:, :2]))
    with pytest.warns(UserWarning, match="learned nothing"):
        model = SVMRanker("AP", kernel=rbf_kernel, scaling="none").fit(X, DATA.y, DATA.qid)  # which refuses sets of no rows
    assert not np.any(model.predict(DATA.X[:, :2])) and model.model_.derivatives(DATA.X[:, :2]).shape == (len(DATA), 0)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_classifier_is_saved_with_its_rows(is_sparse: bool) -> None:
    X = sparse.csr_array(np.maximum(DATA.X, 0)) if is_sparse else DATA.X
    classifier = MultivariateSVC("F1", kernel="poly", degree=2, coef0=1.0, scaling="none").fit(
        X, np.where(DATA.y > 0, "good", "bad")
    )
    model = loads(dumps(classifier))
    assert model.classes == ["bad", "good"] and sparse.issparse(model.rows) == is_sparse
    np.testing.assert_array_equal(model.predict(X), classifier.decision_function(X))
    np.testing.assert_allclose(model.predict(sparse.csr_array(X).toarray()), model.predict(X), atol=1e-9)
    with pytest.raises(AttributeError, match="MultivariateSVC has no coef_, for its model is not a weighted sum"):
        classifier.coef_  # noqa: B018
    assert not hasattr(classifier, "coef_") and classifier.fit(X, DATA.y > 0).set_params(kernel="linear").fit(X, DATA.y > 0)
    assert classifier.coef_.shape == (1, DATA.n_features)


def test_only_rows_with_a_part_are_kept() -> None:
    """Of an ordinary SVM: the support vectors."""
    random = np.random.default_rng(0)
    X = np.vstack((random.normal(-4, 1, size=(50, 2)), random.normal(4, 1, size=(50, 2))))
    model = MultivariateSVC("Accuracy", C=0.5, kernel="rbf", gamma=0.02, tol=1e-6, scaling="none").fit(
        X, np.arange(100) < 50
    )
    assert 0 < model.model_.coefficients.size < 60


def test_a_kernel_of_ones_own_is_pickled_but_not_saved(tmp_path) -> None:
    model = SVMRanker("AP", C=10.0, kernel=linear_kernel, scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    with pytest.raises(ModelError, match=r"linear_kernel, cannot be saved, .*; use one of linear, rbf, poly, or pickle"):
        save_model(tmp_path / "model.json", model)
    assert not any(tmp_path.iterdir())
    assert model.model_.provenance.parameters["kernel"] == "linear_kernel"
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(DATA.X), model.predict(DATA.X))


@pytest.mark.parametrize("target", TARGETS)
def test_no_engine_takes_a_kernel(target: str) -> None:
    model = SVMRanker("AP", C=10.0, kernel="rbf", scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    with pytest.raises(ModelError, match=r"an expansion of the kernel rbf over \d+ training rows, neither a weighted sum"):
        TARGETS[target].write(model, {})


def test_a_kernel_model_can_be_compared_but_has_no_weights_to_show() -> None:
    model = SVMRanker("AP", C=10.0, kernel="rbf", scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    section = model_section("kernel", model, {})
    assert [chart["title"].split(";")[0] for chart in section["charts"]] == ["Training"]
    assert ["kernel", "rbf"] in section["facts"]
    assert model.model_.importances().names == ()
    with pytest.raises(ModelError, match="neither a weighted sum of features nor a sum of trees"):
        LambdaMART("AP", n_estimators=2, init=model).fit(DATA.X, DATA.y, DATA.qid)


@pytest.mark.parametrize(
    ("part", "wrong", "sentence"),
    [
        ("kernel", {"kind": "rbf", "gamma": 0.0, "degree": 3, "coef0": 0.0, "constant": 0.0}, "gamma must be above 0"),
        ("kernel", {"kind": "os:system", "gamma": 1.0, "degree": 3, "coef0": 0.0, "constant": 0.0}, "must be one of linear"),
        ("rows", {"width": 16, "data": [1.0] * 17}, "must have 16 numbers each"),
        ("rows", {"width": 16, "data": [1.0], "indices": [16], "indptr": [0, 1]}, "do not fit together"),
        ("rows", {"width": 16, "data": [1.0, 1.0], "indices": [3, 3], "indptr": [0, 2]}, "each index once"),
        ("rows", {"width": 16, "data": [1.0] * 16}, "its coefficients must have 1 numbers"),
    ],
)
def test_a_damaged_file_is_rejected(part: str, wrong: dict, sentence: str) -> None:
    content = SVMRanker("AP", C=10.0, kernel="rbf", scaling="none").fit(DATA.X, DATA.y, DATA.qid).model_.to_dict()
    with pytest.raises(ModelError, match=sentence):
        KernelExpansion.from_dict(content | {part: wrong})
