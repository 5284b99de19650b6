"""The Bayes error: closed forms against integration, listed cases against enumeration, draws against both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import bayou
from bayou.decisions import BayesError, GaussianClasses
from bayou.errors import BadData, BadQuestion, BadTable, UnknownVariable


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(0.2, 3), st.floats(0.1, 1)), min_size=2, max_size=4))
@settings(max_examples=20, deadline=None)
def test_gaussians_on_a_line_agree_with_numerical_integration(
    classes: list[tuple[float, float, float]],
) -> None:
    means, spreads, weights = (np.array(column) for column in zip(*classes, strict=True))
    priors = weights / weights.sum()
    exact = BayesError(GaussianClasses(means, spreads**2, priors))

    x = np.linspace(-40, 40, 40_001)
    heights = priors * norm.pdf(x[:, None], means, spreads)
    area = (heights.sum(axis=1) - heights.max(axis=1)).sum() * (x[1] - x[0])
    assert exact.exact
    assert exact.value == pytest.approx(area, abs=1e-6)


def test_two_gaussians_of_one_variance_have_the_textbook_error() -> None:
    assert BayesError(GaussianClasses([0, 2], [1, 1])).value == pytest.approx(norm.cdf(-1))
    far = BayesError(GaussianClasses([1e8, 1e8 + 20], [1, 1])).value
    assert far == pytest.approx(norm.cdf(-10), rel=1e-6)
    same = BayesError(GaussianClasses([0, 0], [1, 1], priors=[0.3, 0.7]))
    assert same.value == pytest.approx(0.3)
    nested = BayesError(GaussianClasses([0, 0], [1, 4]))
    assert 0 < nested.value < 0.5
    assert BayesError(GaussianClasses([0, 5], [1, 1], priors=[1, 0])).value == 0


@pytest.mark.parametrize("unit", [1e-100, 1e-10, 1.0, 1e10, 1e100])
def test_the_unit_of_measurement_does_not_matter(unit: float) -> None:
    means, variances = np.array([0.0, 1.0, 3.0]) * unit, np.array([1.0, 0.25, 2.0]) * unit**2
    here = BayesError(GaussianClasses(means, variances, [0.2, 0.5, 0.3])).value
    assert here == pytest.approx(BayesError(GaussianClasses([0, 1, 3], [1, 0.25, 2], [0.2, 0.5, 0.3])).value)


def test_a_shared_covariance_needs_only_the_distance_of_the_means() -> None:
    covariance = [[2.0, 0.6], [0.6, 1.0]]
    gap = np.array([1.0, -2.0])
    distance = np.sqrt(gap @ np.linalg.inv(covariance) @ gap)
    model = GaussianClasses([[0, 0], gap], [covariance], classes=["a", "b"])
    assert BayesError(model).value == pytest.approx(norm.cdf(-distance / 2))


def test_other_gaussians_are_drawn_with_a_standard_error_and_a_seed() -> None:
    model = GaussianClasses([[0, 0], [3, 0], [0, 3]], [1.0, 1.0, 2.0])
    error = BayesError(model, draws=20_000, seed=5)
    assert not error.exact
    assert 0 < error.standard_error < 0.005
    assert error.value == BayesError(model, draws=20_000, seed=5).value
    rows, truth = model.sample(200_000, seed=9)
    wrong = (model.posterior(rows).argmax(axis=1) != truth).mean()
    assert error.value == pytest.approx(wrong, abs=5 * error.standard_error)
    assert "seed 5" in str(error)


def test_a_joint_table_is_listed() -> None:
    joint = np.array([[[0.1, 0.05], [0.2, 0.1]], [[0.05, 0.2], [0.15, 0.15]]])
    error = BayesError(joint, classes=["x", "y"])
    assert error.value == pytest.approx(0.05 + 0.1 + 0.05 + 0.15)
    best = error.regret(lambda rows: [["x", "y"][int(joint[a, b].argmax())] for a, b in rows])
    assert best.value == 0
    always = error.regret(lambda rows: ["y"] * len(rows))
    assert always.error == pytest.approx(joint[..., 0].sum())
    assert always.standard_error == 0


STORM = bayou.examples.storm()


@pytest.mark.parametrize("target", STORM.names)
def test_a_network_agrees_with_its_whole_joint_table(target: str) -> None:
    joint = STORM.joint()
    axis = STORM.names.index(target)
    cells = np.moveaxis(joint.to_array(), axis, -1).reshape(-1, len(STORM.states(target)))
    expected = (cells.sum(axis=1) - cells.max(axis=1)).sum()
    assert BayesError(STORM, target).value == pytest.approx(expected)
    assert BayesError(joint, target).value == pytest.approx(expected)


def test_the_network_itself_has_no_regret_and_a_constant_has() -> None:
    error = BayesError(STORM, "Storm", features=["Thunder", "Campfire"])

    def own(rows: Any) -> Any:
        return STORM.posterior(rows, "Storm")["Storm"]

    assert error.regret(own).value == pytest.approx(0, abs=1e-15)
    assert error.regret(STORM).value == pytest.approx(0, abs=1e-15)
    learned = bayou.Network("Storm -> Thunder; Storm -> Campfire").fit(bayou.examples.storm_data())
    assert 0 <= error.regret(learned).value < 0.1
    prior = STORM.query("Storm").to_dict()
    always = error.regret(lambda rows: ["yes"] * len(rows))
    assert always.error == pytest.approx(prior["no"])

    class Reversed:
        classes_ = ("yes", "no")

        def predict_proba(self, rows: Any) -> Any:
            return own(rows)[:, [STORM.states("Storm").index(name) for name in self.classes_]]

    assert error.regret(Reversed()).value == pytest.approx(0, abs=1e-15)


def test_drawn_rows_agree_with_listed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = BayesError(STORM, "ForestFire")
    lazy = exact.regret(lambda rows: ["yes"] * len(rows))
    monkeypatch.setattr("bayou.decisions.known_networks.LARGEST_LIST", 0)
    drawn = BayesError(STORM, "ForestFire", draws=20_000)
    assert not drawn.exact
    assert drawn.value == pytest.approx(exact.value, abs=5 * drawn.standard_error)
    again = drawn.regret(lambda rows: ["yes"] * len(rows))
    assert again.value == pytest.approx(lazy.value, abs=5 * again.standard_error)
    assert again.standard_error > 0


def test_networks_with_numbers() -> None:
    heights = {"sex": ["f", "f", "f", "m", "m", "m"], "Größe": [160.0, 165.0, 170.0, 172.0, 180.0, 188.0]}
    net = bayou.Network("sex -> Größe", continuous=["Größe"]).fit(heights, prior=0)
    error = BayesError(net, "sex")
    gaussian = net.frozen.gaussian("Größe")
    same = GaussianClasses(gaussian.intercept, gaussian.variance, [0.5, 0.5])
    assert error.exact
    assert error.value == pytest.approx(BayesError(same).value)
    wide = bayou.Network("sex -> Größe; sex -> schwer", continuous=["Größe"]).fit(
        {**heights, "schwer": ["no", "no", "yes", "no", "yes", "yes"]}, prior=1
    )
    drawn = BayesError(wide, "sex", draws=4000)
    assert not drawn.exact
    assert 0 < drawn.value < error.value + 5 * drawn.standard_error + 0.05
    table = wide.sample(50, seed=3).to_pandas()
    expected = wide.posterior(table, "sex")["sex"]
    from bayou.decisions.known_networks import _posterior

    columns = {
        "Größe": table["Größe"].to_numpy(),
        "schwer": (table["schwer"] == "yes").to_numpy().astype(np.uint8),
    }
    assert _posterior(wide.frozen, "sex", columns, 50) == pytest.approx(expected)


def test_anything_that_samples_and_knows_its_posterior() -> None:
    class Coin:
        classes = ("head", "tail")

        def sample(self, n: int, seed: int) -> Any:
            return np.random.default_rng(seed).random((n, 1))

        def posterior(self, rows: Any) -> Any:
            return np.column_stack([rows[:, 0], 1 - rows[:, 0]])

    error = BayesError(Coin(), draws=20_000)
    assert error.value == pytest.approx(0.25, abs=5 * error.standard_error)
    assert error.regret(lambda rows: np.where(rows[:, 0] > 0.5, "head", "tail")).value == 0
    with pytest.raises(BadData, match="returned 3 answers"):
        error.regret(lambda rows: ["head"] * 3)
    with pytest.raises(BadQuestion, match="callable of rows"):
        error.regret(3)


def test_what_is_wrong_with_a_model_is_said() -> None:
    with pytest.raises(BadTable, match="sum to 1"):
        BayesError([[0.5, 0.6]])
    with pytest.raises(BadQuestion, match="Pass target="):
        BayesError(STORM)
    with pytest.raises(UnknownVariable, match="Did you mean 'Storm'"):
        BayesError(STORM, "Strom")
    with pytest.raises(BadQuestion, match="at least one feature"):
        BayesError(STORM, "Storm", features=[])
    with pytest.raises(BadQuestion, match="cannot be one of the features"):
        BayesError(STORM, "Storm", features=["Storm"])
    with pytest.raises(BadQuestion, match="A known model is"):
        BayesError(object())
    with pytest.raises(BadQuestion, match="2 or more"):
        BayesError(STORM, "Storm", draws=1)
    with pytest.raises(BadTable, match="positive"):
        GaussianClasses([0, 1], [1, 0])
    with pytest.raises(BadTable, match="2 means and 3 classes"):
        GaussianClasses([0, 1], [1], classes=["a", "b", "c"])
