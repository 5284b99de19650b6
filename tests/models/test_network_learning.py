"""``Network``: learning tables from data, priors, adding and forgetting rows, values never seen."""

from __future__ import annotations

import numpy as np
import pytest

import bayou
from bayou.errors import (
    BadData,
    BadPrior,
    BadStatistics,
    BayouWarning,
    UnknownState,
    UnknownVariable,
)
from bayou.statistics import CountTable

MOVIES = {"G": ["d", "d", "d", "c", "c"], "R": [4, 4, 5, 1, 5]}
RATINGS = {"G": ["d", "c"], "R": [1, 2, 3, 4, 5]}


@pytest.mark.parametrize("shared", [True, False])
def test_jim_and_martha(shared: bool) -> None:
    data = {"G": list("dddcc"), "R1": [4, 4, 5, 1, 5], "R2": [5, 4, 3, 2, 4]}
    net = bayou.Network("G -> R1, R2", share={"p_R": ["R1", "R2"]} if shared else None)
    net.fit(data, prior=0)
    expected = {3: 1 / 6, 4: 3 / 6, 5: 2 / 6} if shared else {4: 2 / 3, 5: 1 / 3}
    for rating, probability in expected.items():
        assert net.cpt("R1")["d", rating] == pytest.approx(probability, abs=1e-15)
    assert (net.cpt("R1").to_array().tolist() == net.cpt("R2").to_array().tolist()) is shared
    assert net.parameter_count().total == 2 + 2 * 5 * (1 if shared else 2) - (0 if shared else 2 * 3)


def test_laplace_example_of_the_lecture() -> None:
    net = bayou.Network("G -> R", states=RATINGS).fit(MOVIES)
    assert net.cpt("G")["d"] == pytest.approx(4 / 7, abs=1e-15)
    assert [net.cpt("R")["c", r] for r in (1, 2, 3, 4, 5)] == pytest.approx(
        [2 / 7, 1 / 7, 1 / 7, 1 / 7, 2 / 7]
    )


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        (0.5, [1.5 / 4, 0.5 / 4, 1.5 / 4, 0.5 / 4]),
        (bayou.MEstimate(4), [2 / 6, 1 / 6, 2 / 6, 1 / 6]),
        (bayou.MEstimate(2, {1: 0.5, 2: 0.25, 3: 0.25, 4: 0.0}), [2 / 4, 0.5 / 4, 1.5 / 4, 0]),
        (bayou.Dirichlet([1, 2, 3, 4]), [2 / 12, 2 / 12, 4 / 12, 4 / 12]),
        (bayou.Dirichlet({4: 4, 3: 3, 2: 2, 1: 1}), [2 / 12, 2 / 12, 4 / 12, 4 / 12]),
        (bayou.BDeu(8), [3 / 10, 2 / 10, 3 / 10, 2 / 10]),
        ({"R": "bdeu"}, [3.5 / 12, 2.5 / 12, 3.5 / 12, 2.5 / 12]),
    ],
)
def test_every_prior(prior: object, expected: list[float]) -> None:
    net = bayou.Network("R", states={"R": [1, 2, 3, 4]}).fit({"R": [1, 3]}, prior=prior)
    assert net.cpt("R").to_array().tolist() == pytest.approx(expected, abs=1e-15)


def test_priors_that_make_no_sense() -> None:
    net = bayou.Network("R", states={"R": [1, 2]})
    for prior, printed in [
        (-1, "negative"),
        ("kt", "not a prior"),
        (bayou.MEstimate(1, {1: 0.5}), "has no entry for 2"),
        (bayou.MEstimate(1, {1: 0.5, 2: 0.6}), "sums to 1.1"),
        (bayou.Dirichlet([1, 2, 3]), "shape"),
    ]:
        with pytest.raises(BadPrior, match=printed):
            net.fit({"R": [1, 2]}, prior=prior)
    with pytest.raises(UnknownVariable, match="in prior"):
        net.fit({"R": [1, 2]}, prior={"Q": 1})


def test_typed_states_never_meet() -> None:
    net = bayou.Network("x").fit({"x": [1, "1", True, 1, None]}, prior=0)
    assert net.states("x") == (True, 1, "1")
    assert [net.cpt("x")[state] for state in (True, 1, "1")] == [0.25, 0.5, 0.25]


def test_new_states_in_mid_stream_equal_one_fit() -> None:
    whole = bayou.Network("G -> R").fit(MOVIES)
    parts = bayou.Network("G -> R")
    for row in (4, 0, 3, 2, 1):
        parts.partial_fit({name: [column[row]] for name, column in MOVIES.items()})
    assert parts.same_as(whole)


def test_forgetting_gives_the_network_without_the_record() -> None:
    net = bayou.Network("G -> R", states=RATINGS).fit(MOVIES)
    net.forget({"G": ["c"], "R": [5]})
    less = bayou.Network("G -> R", states=RATINGS).fit({name: col[:4] for name, col in MOVIES.items()})
    assert net.same_as(less)
    with pytest.raises(BadStatistics, match="would become -1"):
        net.forget({"G": ["c"], "R": [5]})
    assert net.same_as(less)


def test_gaps_count_where_the_family_is_observed() -> None:
    data = {"G": ["d", None, "c"], "R": [4, 4, None]}
    net = bayou.Network("G -> R").fit(data, prior=1, method="count")
    assert net.cpt("G").to_dict() == {"c": 0.5, "d": 0.5}
    assert net.statistics[CountTable(("G", "R"))].values.tolist() == [[0], [1]]


def test_rows_that_never_occur_are_uniform_with_a_warning() -> None:
    with pytest.warns(BayouWarning, match="1 of 2 parent combinations of 'R' never occur"):
        net = bayou.Network("G -> R", states={"G": ["d", "c"]}).fit({"G": ["d"] * 2, "R": [4, 5]}, prior=0)
    assert net.cpt("R")["c", 4] == 0.5


def test_weights_are_repeated_rows() -> None:
    repeated = {name: np.repeat(column, [3, 1, 2, 1, 4]) for name, column in MOVIES.items()}
    weighed = bayou.Network("G -> R").fit(MOVIES, weights=[3, 1, 2, 1, 4])
    assert weighed.same_as(bayou.Network("G -> R").fit(repeated))
    by_column = bayou.Network("G -> R").fit({**MOVIES, "n": [3, 1, 2, 1, 4]}, weights="n")
    assert by_column.same_as(weighed)
    with pytest.raises(BadData, match="row 1"):
        bayou.Network("G").fit({"G": ["d", "c"]}, weights=[1, -2])


@pytest.mark.parametrize("unknown", ["error", "missing", "smooth"])
def test_values_never_seen_follow_the_policy(unknown: str) -> None:
    net = bayou.Network("G -> R").fit(MOVIES)
    rows = {"G": ["d", "d"], "R": [4, 9]}
    if unknown == "error":
        with pytest.raises(UnknownState, match=r"9 in row 1 \(counting from 0\) is not a state of 'R'"):
            net.log_probability(rows, unknown=unknown)
    elif unknown == "missing":
        with pytest.warns(BayouWarning, match="1 in 'R'"):
            logs = net.log_probability(rows, unknown=unknown)
        assert np.exp(logs[1]) == pytest.approx(4 / 7)
    else:
        logs = net.log_probability(rows, unknown=unknown)
        # The second row is scored as if 9 had been declared; the first row is not affected.
        assert np.exp(logs) == pytest.approx([4 / 7 * 3 / 6, 4 / 7 * 1 / 7])


def test_absent_column_at_fit_is_named_with_a_hint() -> None:
    with pytest.raises(UnknownVariable, match=r"'Rating' in the data. Did you mean 'rating'"):
        bayou.Network("G -> Rating").fit({"G": ["d"], "rating": [4]})


def test_absent_column_at_prediction_is_a_gap() -> None:
    net = bayou.Network("G -> R").fit(MOVIES)
    assert np.exp(net.log_probability({"R": [4], "other": ["x"]})) == pytest.approx(
        net.query("R").to_dict()[4]
    )
    with pytest.raises(BadData, match="no column for any of 'G', 'R'"):
        net.log_probability({"other": ["x"]})


def test_values_outside_the_declared_states_are_refused() -> None:
    with pytest.raises(BadStatistics, match="'R' that are not among its declared states: 9"):
        bayou.Network("R", states={"R": [4, 5]}).fit({"R": [4, 9]})


def test_nothing_to_learn_from() -> None:
    with pytest.raises(BadData, match="no row"):
        bayou.Network("R", states={"R": [4, 5]}).fit({"R": []})
    with pytest.raises(BadData, match="'R' has no value at all"):
        bayou.Network("R").fit({"R": [None, None]})


def test_fractions_among_learned_whole_numbers_are_refused() -> None:
    net = bayou.Network("x").fit({"x": [1, 2, 3]})
    with pytest.raises(BadData, match="Declare it"):
        net.partial_fit({"x": [2.5, 1.25]})
    assert net.states("x") == (1, 2, 3)


@pytest.mark.parametrize("layout", ["array", "reversed", "strided", "records"])
def test_numbers_in_any_memory_layout(layout: str) -> None:
    import pandas as pd

    values = np.random.default_rng(0).normal(size=(50, 3))
    frame = pd.DataFrame(values, columns=list("abc"))
    data = {
        "array": values,
        "reversed": frame[::-1],
        "strided": {name: values[:, k] for k, name in enumerate("abc")},
        "records": frame.to_records(),
    }[layout]
    net = bayou.Network("a -> b -> c").fit(data, columns=list("abc") if layout == "array" else None)
    expected = bayou.Network("a -> b -> c").fit({name: values[:, k].copy() for k, name in enumerate("abc")})
    assert net.gaussian("c").variance() == pytest.approx(expected.gaussian("c").variance(), rel=1e-12)


def test_times_with_and_without_a_zone_meet_in_mid_stream() -> None:
    import datetime

    naive = datetime.datetime(2026, 1, 1)
    aware = naive.replace(tzinfo=datetime.timezone.utc)
    net = bayou.Network("t").fit({"t": [naive]}).partial_fit({"t": [aware]})
    assert len(net.states("t")) == 2
