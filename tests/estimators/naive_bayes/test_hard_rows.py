"""Small classes, constant columns, huge numbers and impossible rows: finite answers, and one warning."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import bayou
from bayou import features
from bayou.errors import BadData, BayouWarning, ImpossibleEvidence
from bayou.estimators.naive_bayes.evidence_weight import MOST

HUGE = [1e160, -1e160, 1e200, 1e308]
GAUSSIANS = ["auto", "shared", "full", "regularised", "spherical", "diagonal"]


def two_classes(rows: int = 60, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    y = np.arange(rows) % 3 > 0
    return np.column_stack([random.normal(2.0 * y), random.normal(1.0 - y, 2.0)]), y.astype(int)


def makers() -> list[Any]:
    kinds = ["auto", "gaussian", "kernel", "discretised"]
    naive = [pytest.param(lambda kind=kind: bayou.NaiveBayes(kind), id=kind) for kind in kinds]
    others = [
        pytest.param(lambda kind=kind: bayou.GaussianBayes(kind), id=f"Gaussian {kind}") for kind in GAUSSIANS
    ]
    return [*naive, *others, pytest.param(lambda: bayou.GenerativeClassifier(), id="generative")]


@pytest.mark.parametrize("make", makers())
@pytest.mark.parametrize("huge", HUGE)
def test_a_huge_number_changes_no_other_row(make: Any, huge: float) -> None:
    X, y = two_classes()
    model = make().fit(X, y)
    asked = X[:5].copy()
    asked[3, 0] = huge
    expected = model.predict_proba(X[:5])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayouWarning)
        found, labels, logs = model.predict_proba(asked), model.predict(asked), model.predict_log_proba(asked)
    others = [0, 1, 2, 4]
    np.testing.assert_allclose(found[others], expected[others], rtol=1e-12)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[3].sum(), 1.0)
    assert not np.isnan(logs).any()
    assert (labels == model.classes_[found.argmax(axis=1)]).all()


def test_impossible_rows_get_the_class_prior_and_one_warning() -> None:
    model = bayou.NaiveBayes(prior=0).fit({"f": ["a", "b", "b"], "g": ["c", "d", "d"]}, [0, 1, 1])
    asked = {"f": ["a", "a", "b", "a"], "g": ["c", "d", "d", "d"]}
    with pytest.warns(
        BayouWarning, match=r"2 rows have .* \(row 1, counting from 0, is the first\)"
    ) as caught:
        found = model.predict_proba(asked)
    assert len(caught) == 1
    np.testing.assert_allclose(found, [[1, 0], [1 / 3, 2 / 3], [0, 1], [1 / 3, 2 / 3]])
    with pytest.warns(BayouWarning, match="2 rows have"):
        assert model.predict(asked).tolist() == [0, 1, 1, 1]
    assert np.isneginf(model.predict_joint_log_proba(asked)[1]).all()
    shifted = model.with_class_prior({0: 0.9, 1: 0.1})
    with pytest.warns(BayouWarning, match="1 row has"):
        np.testing.assert_allclose(shifted.predict_proba({"f": ["a"], "g": ["d"]}), [[0.9, 0.1]])


def test_rows_of_a_file_are_counted_over_all_its_batches(tmp_path: Any) -> None:
    X, y = two_classes()
    model = bayou.NaiveBayes("gaussian").fit({"a": X[:, 0], "b": X[:, 1]}, y)
    numbers = np.zeros(300_000)
    numbers[[7, 150_000, 299_999]] = 1e200
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "".join(f"{a!r},0.5\n" for a in numbers.tolist()))
    with pytest.warns(BayouWarning, match=r"3 rows have .* \(row 7, ") as caught:
        found = model.predict_proba(str(path))
    assert len([each for each in caught if "probability 0" in str(each.message)]) == 1
    np.testing.assert_allclose(found[150_000], [20.5 / 61, 40.5 / 61], rtol=0.02)


def test_an_impossible_row_of_a_network_gets_the_marginal_of_its_class() -> None:
    rows = {"a": ["x", "x", "x", "y"], "b": ["u", "u", "u", "v"]}
    model = bayou.NetworkClassifier("a -> c; c -> b", target="c", prior=0).fit(rows, [0, 0, 0, 1])
    with pytest.warns(BayouWarning, match="1 row has"):
        found = model.predict_proba({"a": ["x", "x"], "b": ["v", "u"]})
    np.testing.assert_allclose(found, [[0.75, 0.25], [1.0, 0.0]])


def test_a_class_of_one_row_has_the_pooled_variance() -> None:
    random = np.random.default_rng(1)
    X = np.r_[random.normal(0, 3, 30), 9.0][:, None]
    y = np.array([0] * 30 + [1])
    model = bayou.NaiveBayes().fit(X, y)
    assert model.predict([[8.9], [8.0], [9.4], [0.0]]).tolist() == [1, 1, 1, 0]
    variance = model._model.densities[0].distribution.variance
    spread, own = X.var(), ((X[:30] - X[:30].mean()) ** 2).sum()
    pooled = (own + 2 * spread) / (29 + 2)
    np.testing.assert_allclose(variance, [(own + 2 * pooled) / 31 + 1e-9 * spread, pooled + 1e-9 * spread])


def test_the_pull_on_variances_is_a_named_parameter_elsewhere() -> None:
    X, y = two_classes(9)
    plain = bayou.NaiveBayes("gaussian").fit(X, y)
    peer = GaussianNB().fit(X, y)
    for k in range(2):
        found = plain._model.densities[k].distribution.variance
        np.testing.assert_allclose(found, peer.var_[:, k], rtol=1e-12)
    drawn = bayou.NaiveBayes(features.GaussianFeature(virtual_records=1e9)).fit(X, y)
    for density in drawn._model.densities:
        a, b = density.distribution.variance
        assert a == pytest.approx(b, rel=1e-6)


@pytest.mark.parametrize("share", [1e-9, 1e-3, 0.0])
def test_posteriors_equal_those_of_gaussian_nb(share: float) -> None:
    X, y = two_classes(80, seed=3)
    X = np.column_stack([X, 1e3 * X[:, 0] ** 2])
    ours, peer = bayou.NaiveBayes("gaussian", var_smoothing=share), GaussianNB(var_smoothing=share)
    ours, peer = ours.set_params(class_prior="empirical").fit(X, y), peer.fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("constant", [0.1, 1e6, 0.0])
@pytest.mark.parametrize("share", [1e-9, 0.0])
def test_a_constant_column_tells_nothing(constant: float, share: float) -> None:
    X, y = two_classes()
    alone = bayou.NaiveBayes("gaussian", var_smoothing=share).fit(X, y)
    with_it = bayou.NaiveBayes("gaussian", var_smoothing=share)
    with_it.fit(np.column_stack([X, np.full(len(X), constant)]), y)
    for value in (constant, constant + 1, -1e4):
        asked = np.column_stack([X, np.full(len(X), value)])
        np.testing.assert_allclose(with_it.predict_proba(asked), alone.predict_proba(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("huge", [1e160, 1e200, 1e300])
def test_huge_training_numbers_are_refused_by_name_or_become_ranges(huge: float) -> None:
    X, y = two_classes()
    X[3, 0] = huge
    table = {"Größe": X[:, 0], "b": X[:, 1]}
    with pytest.raises(BadData, match="variance of 'Größe' is not finite"):
        bayou.NaiveBayes("gaussian").fit(table, y)
    with pytest.raises(BadData, match="'Größe'"):
        bayou.GaussianBayes("diagonal").fit(table, y)
    with pytest.raises(BadData, match="'Größe'"):
        bayou.GaussianBayes("spherical").fit(table, y)
    for rows in (slice(None), slice(0, 8)):
        part = {name: column[rows] for name, column in table.items()}
        with pytest.warns(BayouWarning, match=r"'Größe' has numbers beyond 1e\+150, .* Use another unit"):
            model = bayou.NaiveBayes().fit(part, y[rows])
        assert model.choices_["Größe"].kind == "discretised"
        assert np.isfinite(model.predict_proba(table)).all()


@pytest.mark.parametrize("scale", [1e-155, 1e-160, 1e-200, 1e-300])
def test_tiny_training_numbers_are_refused_by_name_or_become_ranges(scale: float) -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(np.repeat([0, 3], 50)), ["p"] * 50 + ["q"] * 50
    with pytest.raises(BadData, match="variance of 'x' is too small for floats"):
        bayou.NaiveBayes("gaussian").fit({"x": x * scale}, y)
    with pytest.warns(BayouWarning, match="'x' has numbers that differ by less than 1e-145"):
        model = bayou.NaiveBayes().fit({"x": x * scale}, y)
    whole = bayou.NaiveBayes("discretised").fit({"x": x}, y)
    expected = whole.predict_proba({"x": [0.0, 1.5, 3.0]})
    found = model.predict_proba({"x": np.array([0.0, 1.5, 3.0]) * scale})
    assert model.choices_["x"].kind == "discretised"
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("constant", [0.0, 1e-160, 1e-140, 1e-320])
def test_a_constant_column_of_tiny_numbers_tells_nothing(constant: float) -> None:
    _, y = two_classes()
    for kind in ("auto", "gaussian"):
        model = bayou.NaiveBayes(kind).fit({"x": np.full(len(y), constant)}, y)
        assert np.ptp(model.predict_proba({"x": [constant, 5.0]}), axis=0).max() < 1e-12


def test_the_empirical_class_prior_is_the_share_of_the_rows() -> None:
    rows, y = {"a": ["u", "v", "v", "u", "u"]}, ["no", "yes", "no", "no", "no"]
    nothing = {"a": [None]}
    assert bayou.NaiveBayes(class_prior="empirical").fit(rows, y).predict_proba(nothing).tolist() == [
        [0.8, 0.2]
    ]
    assert bayou.NaiveBayes().fit(rows, y).predict_proba(nothing) == pytest.approx(np.array([[5 / 7, 2 / 7]]))
    strong = bayou.NaiveBayes(prior=100, class_prior="empirical").fit(rows, y)
    assert strong.predict_proba(nothing).tolist() == [[0.8, 0.2]]
    assert "4/5" in strong.working({"a": "u"}).text


@pytest.mark.parametrize("kind", ["kernel", "poisson", "gaussian"])
def test_the_prior_of_tables_changes_no_density(kind: str) -> None:
    random = np.random.default_rng(5)
    y = np.arange(40) % 2
    rows = {"n": random.poisson(3 + 4 * y).astype(float)}
    answers = [
        bayou.NaiveBayes(kind, prior=prior, class_prior="uniform").fit(rows, y).predict_proba(rows)
        for prior in (0, 1, 50, bayou.MEstimate(7))
    ]
    for answer in answers[1:]:
        assert (answer == answers[0]).all()


def test_virtual_records_smooth_rates_and_kernels() -> None:
    rows, y = {"n": [0.0, 2.0, 4.0, 9.0]}, [0, 0, 1, 1]
    for records in (0, 1, 3):
        kind = features.PoissonFeature(virtual_records=records)
        model = bayou.NaiveBayes({"n": kind}).fit(rows, y)
        rate = model._model.densities[0].distribution.rate
        expected = [(2 + records * 3.75) / (2 + records), (13 + records * 3.75) / (2 + records)]
        np.testing.assert_allclose(rate, expected)
    plain = bayou.NaiveBayes({"n": features.KernelFeature("scott", virtual_records=0)}).fit(rows, y)
    assert plain._model.densities[0].distribution.strength == 0
    with pytest.raises(bayou.errors.BadPrior, match="virtual_records"):
        bayou.NaiveBayes({"n": features.PoissonFeature(virtual_records=-1)}).fit(rows, y)


def test_many_classes_are_no_regression_problem() -> None:
    y = np.repeat(np.arange(30), 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = bayou.NaiveBayes("table").fit({"a": (y % 7).tolist()}, y)
        bayou.NaiveBayes("table").fit({"a": (y % 7).tolist()}, [f"k{label}" for label in y])
    assert len(model.classes_) == 30


def test_rows_that_are_sure_anyway_do_not_raise_the_weight() -> None:
    y = np.arange(400) % 2
    random = np.random.default_rng(0)
    rows = {"a": np.where(y, "u", "v"), "b": np.where(random.random(400) < 0.5, "s", "t")}
    assert bayou.NaiveBayes().fit(rows, y).evidence_weight_ == 1.0


def test_findings_that_say_more_together_raise_the_weight_up_to_a_bound() -> None:
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (3000, 7))
    y = X.sum(axis=1) > 3  # a majority: sure, where naive Bayes thinks of odds
    rows = {f"x{k}": X[:, k] for k in range(7)}
    assert 1 < bayou.NaiveBayes().fit(rows, y).evidence_weight_ <= MOST


def test_a_negative_count_is_an_impossible_row_and_no_error() -> None:
    table = {"n": [0, 1, 2, 5, 6, 7] * 5, "y": ["a", "a", "a", "b", "b", "b"] * 5}
    model = bayou.NaiveBayes("poisson").fit(table, "y")
    with pytest.warns(BayouWarning, match=r"1 row has probability 0 in every class \(row 1"):
        found = model.predict_proba({"n": [1, -1, 6]})
    np.testing.assert_allclose(found[[0, 2]], model.predict_proba({"n": [1, 6]}))
    np.testing.assert_allclose(found[1], [0.5, 0.5])
    with pytest.raises(BadData, match="'n' is negative in row 1"):
        bayou.NaiveBayes("poisson", unknown="error").fit(table, "y").predict({"n": [1, -1]})


def test_smoothing_is_advised_only_where_there_is_none() -> None:
    x, y = np.random.default_rng(0).normal(size=40), ["p", "q"] * 20
    for model in (bayou.NaiveBayes("gaussian", prior=1), bayou.GaussianBayes()):
        with pytest.raises(ImpossibleEvidence, match="a number is far beyond all training values"):
            model.fit({"x": x}, y).explain({"x": 1e200})
    plain = bayou.NaiveBayes(prior=0).fit({"f": ["a", "b", "b"], "g": ["c", "d", "d"]}, [0, 1, 1])
    with pytest.raises(ImpossibleEvidence, match=r"smooth the tables \(prior=1\)"):
        plain.explain({"f": "a", "g": "d"})
