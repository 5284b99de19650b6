from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from bayou.errors import BadData, BadQuestion, UnknownVariable
from bayou.models.structures.infinite_losses import impossible_row
from bayou.sources import open_source, read_columns


def storm(rows: int) -> pandas.DataFrame:
    return bayou.examples.storm().sample(rows, seed=3).to_pandas()


def test_losses_are_those_of_networks_fitted_by_hand_to_the_other_folds() -> None:
    data = storm(97)
    net = bayou.Network(bayou.examples.storm().dag)
    seen = bayou.cross_validate(net, data, folds=4, seed=2, prior=0.5)
    assert sorted(np.bincount(seen.fold_of_row)) == [24, 24, 24, 25]
    states = {name: ["no", "yes"] for name in net.names}
    for fold in range(4):
        train, test = data[seen.fold_of_row != fold], data[seen.fold_of_row == fold]
        fitted = bayou.Network(net.dag, states=states).fit(train, prior=0.5)
        by_hand = -np.asarray(fitted.log_probability(test))
        assert seen.row_losses[seen.fold_of_row == fold] == pytest.approx(by_hand, rel=1e-12)
        assert seen.fold_losses[fold] == pytest.approx(by_hand.mean())
    assert seen.loss == pytest.approx(seen.row_losses.mean())
    assert seen.standard_error == pytest.approx(np.std(seen.fold_losses, ddof=1) / 2)
    assert str(seen).splitlines()[-1].startswith("all")


def test_a_function_that_learns_gives_the_same_as_the_network_that_it_fits() -> None:
    data = storm(60)
    dag = bayou.examples.storm().dag
    by_network = bayou.cross_validate(bayou.Network(dag), data, folds=3)
    by_function = bayou.cross_validate(lambda table: bayou.Network(dag).fit(table), data, folds=3)
    assert by_function.row_losses == pytest.approx(by_network.row_losses, rel=1e-12)


def test_the_true_structure_describes_new_rows_better_than_none() -> None:
    data = storm(400)
    true = bayou.cross_validate(bayou.Network(bayou.examples.storm().dag), data)
    none = bayou.cross_validate(bayou.Network("; ".join(bayou.examples.storm().names)), data)
    assert true.loss < none.loss
    assert true.loss == pytest.approx(bayou.examples.storm().entropy(), abs=0.5)


def test_the_network_given_is_left_alone_and_gaps_are_summed_out() -> None:
    net = bayou.Network("Größe -> B")
    data = {"Größe": ["a", "b"] * 20, "B": ["x", None] * 10 + ["y", "x"] * 10}
    seen = bayou.cross_validate(net, data, folds=40)
    assert len(seen.fold_losses) == 40
    assert np.all(np.isfinite(seen.row_losses))
    assert "not fitted" in repr(net)


def test_numbers_are_described_by_densities() -> None:
    random = np.random.default_rng(1)
    data = {"x": random.normal(0, 2, 500)}
    seen = bayou.cross_validate(bayou.Network("x"), data)
    assert seen.loss == pytest.approx(0.5 * math.log(2 * math.pi * math.e * 4), abs=0.1)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(BadQuestion, match="folds=1"):
        bayou.cross_validate(bayou.Network("A"), {"A": [1, 2]}, folds=1)
    with pytest.raises(BadData, match="at least two rows"):
        bayou.cross_validate(bayou.Network("A"), {"A": [1]})
    with pytest.raises(BadQuestion, match="not 'A'"):
        bayou.cross_validate("A", {"A": [1, 2]})
    with pytest.raises(BadQuestion, match="prior= needs a network"):
        bayou.cross_validate(lambda table: bayou.Network("A"), {"A": [1, 2]}, prior=1)
    with pytest.raises(BadQuestion, match="must return a network, not NoneType"):
        bayou.cross_validate(lambda table: None, {"A": [1, 2]})


def test_a_wrong_seed_is_refused_by_name() -> None:
    with pytest.raises(BadQuestion, match="seed=-1"):
        bayou.cross_validate(bayou.Network("A"), {"A": [0, 1] * 5}, seed=-1)


def test_weights_are_used_for_learning_and_for_the_mean() -> None:
    data = storm(60)
    times = np.arange(60) % 3
    heavy = data.assign(times=times)
    dag = bayou.examples.storm().dag
    seen = bayou.cross_validate(bayou.Network(dag), heavy, folds=4, weights="times")
    assert seen.loss == pytest.approx(np.average(seen.row_losses, weights=times))
    for fold in range(4):
        train, test = seen.fold_of_row != fold, seen.fold_of_row == fold
        states = {name: ["no", "yes"] for name in dag.nodes}
        repeated = data[train].loc[data[train].index.repeat(times[train])]
        fitted = bayou.Network(dag, states=states).fit(repeated)
        by_hand = -np.asarray(fitted.log_probability(data[test]))
        assert seen.row_losses[test] == pytest.approx(by_hand, rel=1e-12)
        assert seen.fold_losses[fold] == pytest.approx(np.average(by_hand, weights=times[test]))
    for other in (
        bayou.cross_validate(bayou.Network(dag), data, folds=4, weights=times),
        bayou.cross_validate(bayou.Network(dag), open_source(data, weights=times), folds=4),
        bayou.cross_validate(lambda rows: bayou.Network(dag).fit(rows), heavy, folds=4, weights="times"),
    ):
        assert other.loss == pytest.approx(seen.loss, rel=1e-12)
    with pytest.raises(UnknownVariable, match="no variable 'time' in the data"):
        bayou.cross_validate(bayou.Network(dag), heavy, weights="time")
    with pytest.raises(BadData, match="row 1"):
        bayou.cross_validate(bayou.Network(dag), data, weights=[1, -1] * 30)
    with pytest.raises(BadData, match="give weights= with a table"):
        bayou.cross_validate(bayou.Network(dag), open_source(data), weights=times)


def test_more_folds_than_rows_are_refused_and_few_rows_are_left_out_one_by_one() -> None:
    rows = {"A": [0, 1] * 4}
    with pytest.raises(BadQuestion, match="folds=9, but there are 8 rows: use at most 8 folds"):
        bayou.cross_validate(bayou.Network("A"), rows, folds=9)
    assert len(bayou.cross_validate(bayou.Network("A"), rows).fold_losses) == 8
    assert len(bayou.cross_validate(bayou.Network("A"), {"A": [0, 1] * 40}).fold_losses) == 10


def test_an_infinite_loss_is_explained() -> None:
    rows = {"Rain": ["no", "yes"] * 10, "Wet": ["no", "yes"] * 10}
    rows["Wet"][6] = "yes"
    with pytest.warns(bayou.BayouWarning, match="1 row has the probability 0") as told:
        seen = bayou.cross_validate(bayou.Network("Rain -> Wet"), rows, prior=0, folds=4)
    assert len(told) == 1
    assert np.flatnonzero(np.isinf(seen.row_losses)).tolist() == [6]
    for text in ("row 6 (counting from 0)", "P(Wet='yes' | Rain='no') = 0", "prior=1"):
        assert text in seen.note
        assert text in str(seen)
    assert seen.to_dict()["note"] == seen.note
    assert seen.note in str(told[0].message)
    smooth = bayou.cross_validate(bayou.Network("Rain -> Wet"), rows, prior=1, folds=4)
    assert smooth.note == ""
    assert "note" not in smooth.to_dict()
    # The same row has no weight, so it has no loss.
    weights = [0 if row == 6 else 1 for row in range(20)]
    weighted = bayou.cross_validate(bayou.Network("Rain -> Wet"), rows, prior=0, folds=4, weights=weights)
    assert math.isfinite(weighted.loss)


def test_what_is_impossible_in_a_row_with_gaps_is_told_by_its_values() -> None:
    half = {"u": 0.5, "v": 0.5}
    net = bayou.Network("A -> B", tables={"A": {"x": 1, "y": 0}, "B": {"x": half, "y": half}})
    told = impossible_row(net, read_columns({"A": ["y"], "B": [None]}))
    assert told.startswith("In the other folds its values never occur together (A='y').")


def test_a_class_of_one_row_has_an_infinite_loss_that_is_explained() -> None:
    rows = {"a": [0, 1] * 10, "y": ["u", "v"] * 9 + ["u", "rare"]}
    with pytest.warns(bayou.BayouWarning, match="row 19 .counting from 0.. It is the class 'rare'"):
        seen = bayou.cross_validate(bayou.NaiveBayes(), rows, "y", folds=4)
    assert math.isinf(seen.loss)
    declared = bayou.NaiveBayes(states={"y": ["u", "v", "rare"]})
    assert math.isfinite(bayou.cross_validate(declared, rows, "y", folds=4).loss)


@pytest.mark.parametrize(
    ("classes", "error", "words"),
    [
        (["a", "b"] * 1500, BadQuestion, "not the classes (a list)"),
        (np.array(["a", "b"] * 1500), BadQuestion, "not the classes (a ndarray)"),
        (("a", "b") * 1500, UnknownVariable, "There is no variable ('a', 'b', 'a', 'b', 'a', 'b', ...)"),
    ],
    ids=["list", "array", "tuple"],
)
def test_classes_where_their_name_belongs_are_refused_in_few_words(
    classes: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as refused:
        bayou.cross_validate(bayou.NaiveBayes(), {"wind": [1, 2] * 1500}, classes)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 200


def test_classifiers_take_weights() -> None:
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 60)
    rows = pandas.DataFrame({"a": (random.random(60) < 0.3 + 0.4 * y).astype(int), "y": y})
    weights = random.integers(1, 4, 60)
    seen = bayou.cross_validate(bayou.NaiveBayes(), rows, "y", folds=3, weights=weights)
    for other in (
        bayou.cross_validate(bayou.NaiveBayes(), rows.assign(n=weights), "y", folds=3, weights="n"),
        bayou.cross_validate(bayou.NaiveBayes(), open_source(rows, weights=weights), "y", folds=3),
    ):
        np.testing.assert_array_equal(other.row_losses, seen.row_losses)
    for fold in range(3):
        test = seen.fold_of_row == fold
        model = bayou.NaiveBayes().fit(rows[~test], "y", sample_weight=weights[~test])
        logs = model.predict_log_proba(rows[test])
        by_hand = -logs[np.arange(test.sum()), y[test]]
        np.testing.assert_allclose(seen.row_losses[test], by_hand, rtol=1e-12)
        assert seen.fold_losses[fold] == pytest.approx(np.average(by_hand, weights=weights[test]))
    assert seen.loss == pytest.approx(np.average(seen.row_losses, weights=weights))
    with pytest.raises(BadQuestion, match="BayesOptimal does not take weights"):
        bayou.cross_validate(bayou.BayesOptimal(), rows, "y", weights=weights)
