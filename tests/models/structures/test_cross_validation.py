from __future__ import annotations

import math

import numpy as np
import pandas
import pytest

import bayou
from bayou.errors import BadData, BadQuestion, UnknownVariable
from bayou.sources import open_source


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
    seen = bayou.cross_validate(net, data, folds=50)
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
