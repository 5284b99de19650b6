"""Thresholds, cost curves, calibration, learning curves and prior shift, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as peer_log_loss

from bayou.decisions import (
    Isotonic,
    Temperature,
    best_threshold,
    brier,
    confusion,
    cost_curve,
    estimate_priors,
    expected_calibration_error,
    learning_curve,
    log_loss,
    recalibrate,
    reliability,
    shift_priors,
    threshold_for,
)
from bayou.errors import BadData, BadQuestion, BadTable, ImpossibleEvidence, UnknownState

SCORES = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.05, 0.2, 0.3, 0.5, 0.55, 0.8, 0.95, 1.0])),
    min_size=2,
    max_size=25,
).filter(lambda rows: len({label for label, _ in rows}) == 2)


@given(SCORES, st.floats(0.1, 10), st.floats(0.1, 10))
def test_the_best_threshold_is_the_best_of_all(
    rows: list[tuple[bool, float]], false_positive: float, false_negative: float
) -> None:
    labels, scores = map(list, zip(*rows, strict=True))
    best = best_threshold(labels, scores, false_positive=false_positive, false_negative=false_negative)
    costs = [confusion(labels, scores, t).cost(false_positive, false_negative) for t in [*scores, np.inf]]
    assert best.cost(false_positive, false_negative) == pytest.approx(min(costs))
    assert best == confusion(labels, scores, best.threshold)


@given(SCORES, st.floats(0, 1))
def test_the_cost_curve_is_the_lower_envelope_of_all_thresholds(
    rows: list[tuple[bool, float]], probability_cost: float
) -> None:
    labels, scores = map(list, zip(*rows, strict=True))
    curve = cost_curve(labels, scores)
    lines = [confusion(labels, scores, t) for t in [*scores, np.inf]]
    expected = min(
        c.false_negative_rate * probability_cost + c.false_positive_rate * (1 - probability_cost)
        for c in lines
    )
    assert curve(probability_cost) == pytest.approx(expected, abs=1e-12)
    assert 0 <= curve.area <= 0.25
    assert np.all(np.diff(curve.probability_cost) > 0)
    assert len(curve.thresholds) == len(curve.probability_cost) - 1
    for k, threshold in enumerate(curve.thresholds):
        middle = (curve.probability_cost[k] + curve.probability_cost[k + 1]) / 2
        c = confusion(labels, scores, threshold)
        cost = c.false_negative_rate * middle + c.false_positive_rate * (1 - middle)
        assert curve(middle) == pytest.approx(cost, abs=1e-12)


def test_costs_alone_give_the_threshold_of_calibrated_probabilities() -> None:
    assert threshold_for(1, 9) == 0.1
    with pytest.raises(BadQuestion, match="false_negative=-1"):
        threshold_for(1, -1)
    with pytest.raises(BadQuestion, match="no error costs"):
        threshold_for(0, 0)
    with pytest.raises(BadData, match="both classes"):
        cost_curve([1, 1], [0.2, 0.3])
    with pytest.raises(BadQuestion, match="two classes"):
        confusion(["a", "b", "c"], np.full((3, 3), 1 / 3))
    assert "Threshold 0.5" in str(confusion([0, 1], [0.2, 0.7]))


@pytest.mark.parametrize("by", ["width", "mass"])
def test_reliability_puts_every_row_into_one_bin(by: str) -> None:
    random = np.random.default_rng(3)
    said = np.append(random.random(500).round(2), [0.0, 1.0])
    true = random.random(502) < said
    found = reliability(true, said, bins=7, by=by)
    assert found.counts.sum() == 502
    for k in range(len(found.counts)):
        low, high = found.edges[k], found.edges[k + 1]
        last = k == len(found.counts) - 1
        members = (said >= low) & ((said <= high) if last else (said < high))
        assert found.counts[k] == members.sum()
        assert found.mean_probability[k] == pytest.approx(said[members].mean())
        assert found.frequency[k] == pytest.approx(true[members].mean())
    gaps = np.abs(found.gaps)
    assert found.mce == gaps.max()
    assert found.ece == pytest.approx((gaps * found.counts).sum() / 502)
    if by == "mass":
        assert found.counts.max() < 100


def test_reliability_of_several_classes() -> None:
    proba = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.5, 0.25, 0.25]])
    top = reliability(["a", "b", "ü"], proba)
    assert top.counts.sum() == 3
    assert expected_calibration_error(["a", "b", "ü"], proba, bins=1) == pytest.approx(abs(2 / 3 - 2 / 3))
    assert reliability(["a", "b", "ü"], proba, of="ü", bins=1).mean_probability[0] == pytest.approx(0.15)
    assert "P(ü)" in str(reliability(["a", "b", "ü"], proba, of="ü"))
    with pytest.raises(BadQuestion, match="not one of the classes"):
        reliability(["a", "b", "ü"], proba, of="u")
    assert reliability([0, 1], [0.5, 0.5], by="mass").counts.tolist() == [2]
    assert reliability([0, 1], [0.1, 0.9]).to_frame().shape == (10, 5)


@given(SCORES, st.none() | st.integers(1, 7))
def test_the_parts_of_the_brier_score_add_up(rows: list[tuple[bool, float]], bins: int | None) -> None:
    labels, scores = map(list, zip(*rows, strict=True))
    found = brier(labels, scores, bins=bins)
    assert found.value == pytest.approx(brier_score_loss(labels, scores))
    parts = found.reliability - found.resolution + found.uncertainty + found.within_bins
    assert parts == pytest.approx(found.value, abs=1e-12)
    if bins is None:
        assert found.within_bins == pytest.approx(0, abs=1e-15)
    both = brier(labels, np.column_stack([1 - np.array(scores), scores]), bins=None)
    assert both.value == pytest.approx(2 * found.value)


def test_log_loss_agrees_with_a_peer_and_is_honest_about_the_impossible() -> None:
    proba = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.5, 0.25, 0.25]])
    assert log_loss([0, 1, 2], proba) == pytest.approx(peer_log_loss([0, 1, 2], proba))
    assert log_loss(["x", "y"], [0.0, 0.0]) == np.inf
    assert log_loss(["x", "y"], [0.0, 1.0]) == 0


@given(SCORES)
def test_isotonic_agrees_with_a_peer(rows: list[tuple[bool, float]]) -> None:
    labels, scores = map(list, zip(*rows, strict=True))
    peer = IsotonicRegression(out_of_bounds="clip").fit(scores, np.array(labels, dtype=float))
    asked = np.linspace(0, 1, 41)
    assert Isotonic.fit(labels, scores)(asked) == pytest.approx(peer.predict(asked), abs=1e-12)


@given(SCORES)
def test_temperature_is_the_best_of_a_fine_grid(rows: list[tuple[bool, float]]) -> None:
    labels, scores = map(np.array, zip(*rows, strict=True))
    own = np.where(labels, scores, 1 - scores)
    if not (own > 0).any():
        with pytest.raises(BadData, match="no temperature"):
            Temperature.fit(labels, scores)
        return
    found = Temperature.fit(labels, scores)
    kept = own > 0

    def loss(temperature: float) -> float:
        return log_loss(labels[kept], Temperature(temperature)(scores[kept]), classes=[False, True])

    best = min(loss(t) for t in np.geomspace(0.01, 100, 61))
    assert loss(found.value) <= best + 1e-9


def test_overconfident_probabilities_are_cooled() -> None:
    random = np.random.default_rng(1)
    honest = random.random((4000, 3)) ** 2
    honest /= honest.sum(axis=1, keepdims=True)
    truth = np.array([random.choice(3, p=row) for row in honest])
    sharp = honest**3 / (honest**3).sum(axis=1, keepdims=True)
    cooled = Temperature.fit(truth, sharp)
    assert cooled.value == pytest.approx(3, rel=0.1)
    assert not cooled.at_limit
    for method in ("isotonic", "temperature"):
        mapped = recalibrate(truth, sharp, method)(sharp)
        assert mapped.sum(axis=1) == pytest.approx(np.ones(4000))
        assert expected_calibration_error(truth, mapped) < expected_calibration_error(truth, sharp) / 2
    with pytest.raises(BadQuestion, match="no method 'platt'"):
        recalibrate(truth, sharp, "platt")
    with pytest.raises(BadTable, match="fitted on 3 columns"):
        recalibrate(truth, sharp, "isotonic")([0.5])


def test_a_row_that_isotonic_maps_to_nothing_stays_as_it_was() -> None:
    mapped = Isotonic((np.array([0.0, 1.0]),) * 2, (np.array([0.0, 0.0]),) * 2)
    assert mapped([[0.3, 0.7]]).tolist() == [[0.3, 0.7]]


def test_learning_curves_nest_their_rows_and_keep_the_test_apart() -> None:
    calls: list[tuple[set[int], set[int]]] = []

    def fit_and_score(train: np.ndarray, test: np.ndarray) -> float:
        calls.append((set(train.tolist()), set(test.tolist())))
        return len(train)

    labels = ["selten"] * 30 + ["oft"] * 270
    curve = learning_curve(fit_and_score, 300, sizes=[20, 100, 200], repeats=3, labels=labels)
    assert curve.mean.tolist() == [20, 100, 200]
    assert curve.spread.tolist() == [0, 0, 0]
    for train, test in calls:
        assert not train & test
        assert len(test) == 100
        assert abs(sum(row < 30 for row in test) - 10) <= 1
        assert abs(sum(row < 30 for row in train) - len(train) / 10) <= 1
    assert calls[0][0] < calls[1][0] < calls[2][0]
    assert calls[0][1] != calls[3][1]
    default = learning_curve(fit_and_score, 50, repeats=1, withheld=0.2)
    assert default.sizes.tolist() == [1, 2, 5, 10, 20, 40]
    assert "1 repeat," in str(default)
    with pytest.raises(BadQuestion, match="between 1 and 200"):
        learning_curve(fit_and_score, 300, sizes=[201])
    with pytest.raises(BadData, match="must return a number"):
        learning_curve(lambda train, test: "good", 300)  # type: ignore[arg-type, return-value]


def test_priors_shift_by_the_ratio() -> None:
    old, new = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.1, 0.8])
    likelihood = np.random.default_rng(2).random((6, 3))
    before = likelihood * old / (likelihood * old).sum(axis=1, keepdims=True)
    after = likelihood * new / (likelihood * new).sum(axis=1, keepdims=True)
    assert shift_priors(before, new, old) == pytest.approx(after)
    assert shift_priors(before[0], new, old) == pytest.approx(after[0])
    names = ["a", "b", "c"]
    named = shift_priors(dict(zip(names, before[0], strict=True)), dict(zip(names, new, strict=True)), old)
    assert list(named.values()) == pytest.approx(after[0])
    with pytest.raises(BadQuestion, match="old prior 0"):
        shift_priors([0.5, 0.5], [0.5, 0.5], [0.0, 1.0])
    with pytest.raises(ImpossibleEvidence, match="Row 1"):
        shift_priors([[0.5, 0.5], [1.0, 0.0]], [0.0, 1.0], [0.5, 0.5])
    with pytest.raises(BadTable, match="no number for the class 'b'"):
        shift_priors({"a": 0.5, "b": 0.5}, {"a": 1.0}, [0.5, 0.5])


def test_em_finds_new_priors_and_says_when_it_did_not_settle() -> None:
    random = np.random.default_rng(11)
    truth = random.random(20_000) < 0.8
    x = random.normal(np.where(truth, 1.5, 0.0))
    up, down = np.exp(-((x - 1.5) ** 2) / 2), np.exp(-(x**2) / 2)
    posterior = np.column_stack([down, up]) / (up + down)[:, None]
    shift = estimate_priors(posterior, {"no": 0.5, "yes": 0.5}, classes=["no", "yes"])
    assert shift.converged
    assert shift.priors["yes"] == pytest.approx(truth.mean(), abs=0.01)
    assert shift.p_value < 1e-6
    assert "Converged" in str(shift)
    hasty = estimate_priors(posterior, [0.5, 0.5], most_steps=2)
    assert not hasty.converged
    assert "NOT converged after 2 steps" in str(hasty)
    still = estimate_priors(np.full((50, 2), 0.5), [0.5, 0.5])
    assert still.p_value == 1
    # The fixed point: the mean of the shifted posteriors is the prior itself.
    assert shift_priors(posterior, shift.new, [0.5, 0.5]).mean(axis=0) == pytest.approx(shift.new, abs=1e-8)


def test_labels_that_do_not_fit_are_named() -> None:
    with pytest.raises(UnknownState, match=r"'c' \(row 1, counting from 0\)"):
        log_loss(["a", "c"], [[0.5, 0.5], [0.5, 0.5]], classes=["a", "b"])
    with pytest.raises(BadData, match=r"row 1 \(counting from 0\) is missing"):
        log_loss(["a", None], [[0.5, 0.5], [0.5, 0.5]], classes=["a", "b"])
    with pytest.raises(BadData, match="2 labels and 1 row of"):
        log_loss(["a", "b"], [[0.5, 0.5]])
    with pytest.raises(BadQuestion, match="classes="):
        log_loss(["a", "b"], [[0.2, 0.3, 0.5]] * 2)
    with pytest.raises(BadTable, match="Row 1"):
        log_loss([0, 1], [0.5, np.nan])
