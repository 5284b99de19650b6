"""Counting is adding: any split, any order, forgetting and sharing give what counting by hand gives."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.strategies import SIMPLE_STATES, Sample, batches, law, samples, seeds, split_points

import bayou
from bayou.errors import BayouWarning
from bayou.schema import state_key
from bayou.schema.spelled_values import meaning

PRIORS: list[Any] = [0, 1, 0.5, bayou.MEstimate(2), bayou.BDeu(3), bayou.Dirichlet(0.25)]


@pytest.fixture(autouse=True)
def _rows_without_counts_are_uniform() -> Iterator[None]:
    """Few rows leave parent combinations without any: the warning about it is not the matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayouWarning)
        yield


def knows_every_column(columns: dict[Any, list[Any]]) -> bool:
    return all(any(value is not None for value in column) for column in columns.values())


def differ_in_meaning(column: list[Any]) -> bool:
    """Whether no two values of a column differ only by their type: later rows with "1" count as 1."""
    values = {state_key(value): value for value in column if value is not None}
    meant = [found for value in values.values() if (found := meaning(value)) is not None]
    return len(set(meant)) == len(meant)


@given(samples(least=2), st.sampled_from(PRIORS), st.booleans(), st.data())
@law
def test_any_split_in_any_order_gives_the_tables_of_one_fit(
    sample: Sample, prior: Any, declared: bool, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(sample.rows)))
    parts = batches(order, data.draw(split_points(sample.rows)))
    assume(declared or knows_every_column(sample.part(parts[0])))
    assume(declared or all(differ_in_meaning(column) for column in sample.columns.values()))
    whole = sample.network(declared=declared).fit(
        sample.columns, prior=prior, weights=sample.weights, method="count"
    )
    pieces = sample.network(declared=declared)
    for k, part in enumerate(parts):
        stated = {"prior": prior} if k == 0 else {}
        pieces.partial_fit(sample.part(part), weights=sample.some_weights(part), **stated, method="count")
    assert pieces.same_as(whole)
    assert pieces.statistics.rows == whole.statistics.rows


@given(samples(least=2), st.sampled_from(PRIORS), st.booleans(), st.data())
@law
def test_what_is_forgotten_was_never_learned(
    sample: Sample, prior: Any, declared: bool, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(sample.rows)))
    cut = data.draw(st.integers(1, sample.rows - 1))
    kept, gone = order[:cut], order[cut:]
    assume(declared or knows_every_column(sample.part(kept)))
    only = sample.network(declared=declared)
    only.fit(sample.part(kept), prior=prior, weights=sample.some_weights(kept), method="count")
    both = sample.network(declared=declared).fit(
        sample.columns, prior=prior, weights=sample.weights, method="count"
    )
    both.forget(sample.part(gone), weights=sample.some_weights(gone))
    for request in only.statistics:
        assert both.statistics[request] == only.statistics[request]
    if declared:
        assert both.same_as(only)


@given(samples(), st.data())
@law
def test_a_weight_is_that_many_rows(sample: Sample, data: st.DataObject) -> None:
    times = data.draw(st.lists(st.integers(1, 4), min_size=sample.rows, max_size=sample.rows))
    repeated = sample.part([row for row, count in enumerate(times) for _ in range(count)])
    weighted = sample.network().fit(sample.columns, weights=times, method="count")
    assert weighted.same_as(sample.network().fit(repeated, method="count"))


@given(samples(), st.data())
@law
def test_the_order_of_columns_and_rows_never_matters(sample: Sample, data: st.DataObject) -> None:
    assume(knows_every_column(sample.columns))
    names = data.draw(st.permutations(list(sample.columns)))
    rows = data.draw(st.permutations(range(sample.rows)))
    moved = sample.part(rows)
    as_dicts = [{name: moved[name][k] for name in names} for k in range(sample.rows)]
    plain = sample.network(declared=False).fit(sample.columns, method="count")
    for shuffled in ({name: moved[name] for name in names}, as_dicts):
        assert sample.network(declared=False).fit(shuffled, method="count").same_as(plain)
    logs = plain.log_probability(sample.columns)
    np.testing.assert_array_equal(plain.log_probability({name: moved[name] for name in names}), logs[rows])


@given(samples(), st.sampled_from(PRIORS))
@law
def test_tables_are_counts_and_pseudocounts_normalised_by_hand(sample: Sample, prior: Any) -> None:
    net = sample.network().fit(sample.columns, prior=prior, weights=sample.weights, method="count")
    for name in net.names:
        family = (*net.parents(name), name)
        axes = [net.variables[member] for member in family]
        counts = np.zeros([axis.cardinality for axis in axes])
        for row in range(sample.rows):
            values = [sample.columns[member][row] for member in family]
            if all(value is not None for value in values):
                index = tuple(axis.code(v) for axis, v in zip(axes, values, strict=True))
                counts[index] += sample.weights[row]
        states = counts.shape[-1]
        added = {bayou.MEstimate(2): 2 / states, bayou.BDeu(3): 3 / counts.size, bayou.Dirichlet(0.25): 0.25}
        counts += added.get(prior, prior if isinstance(prior, int | float) else 0)
        totals = counts.sum(axis=-1, keepdims=True)
        expected = np.where(totals > 0, counts / np.where(totals > 0, totals, 1), 1 / states)
        np.testing.assert_allclose(net.cpt(name).to_array(), expected, rtol=1e-15)


@st.composite
def shared_users(draw: st.DrawFn) -> tuple[dict[str, list[str]], list[str], dict[str, list[Any]], Any]:
    """Several children with parents of their own, columns of data, and the states of parent and child."""
    users, parents = draw(st.integers(2, 4)), draw(st.integers(0, 2))
    structure = {f"the child {k}": [f"Vater {k},{p}" for p in range(parents)] for k in range(users)}
    domains = [draw(st.sampled_from(SIMPLE_STATES)) for _ in range(parents + 1)]
    random, rows = draw(seeds()), draw(st.integers(1, 15))
    columns = {}
    for child, own in structure.items():
        for name, domain in zip((*own, child), domains, strict=True):
            columns[name] = [
                None if random.random() < 0.1 else domain[int(random.integers(len(domain)))]
                for _ in range(rows)
            ]
    return structure, list(structure), columns, domains


@given(shared_users(), st.sampled_from(PRIORS))
@law
def test_sharing_is_pooling_the_rows_of_all_users(drawn: Any, prior: Any) -> None:
    structure, children, columns, domains = drawn
    states = {}
    for child, own in structure.items():
        states.update(zip((*own, child), domains, strict=True))
    shared = bayou.Network(structure, states=states, share={"one block": children})
    shared.fit(columns, prior=prior, method="count")
    first = (*structure[children[0]], children[0])
    stacked: dict[str, list[Any]] = {name: [] for name in first}
    for child in children:
        for name, column in zip(first, (*structure[child], child), strict=True):
            stacked[name] += columns[column]
    pooled = bayou.Network({children[0]: structure[children[0]]}, states={n: states[n] for n in first})
    pooled.fit(stacked, prior=prior, method="count")
    for child in children:
        np.testing.assert_array_equal(shared.cpt(child).to_array(), pooled.cpt(children[0]).to_array())


@given(shared_users(), st.data())
@law
def test_shared_tables_learn_in_pieces_and_keep_one_set_of_states(drawn: Any, data: st.DataObject) -> None:
    structure, children, columns, _ = drawn
    rows = len(columns[children[0]])
    assume(rows > 1)
    cut = data.draw(st.integers(1, rows - 1))
    first = {name: column[:cut] for name, column in columns.items()}
    assume(knows_every_column(first))
    assume(differ_in_meaning([value for child in children for value in columns[child]]))
    whole = bayou.Network(structure, share={"one block": children}).fit(columns, method="count")
    pieces = bayou.Network(structure, share={"one block": children}).fit(first, method="count")
    pieces.partial_fit({name: column[cut:] for name, column in columns.items()}, method="count")
    assert pieces.same_as(whole)
    assert len({whole.states(child) for child in children}) == 1


@given(samples(), st.sampled_from(PRIORS[1:]), st.data())
@law
def test_smoothing_an_unseen_value_is_having_declared_it(
    sample: Sample, prior: Any, data: st.DataObject
) -> None:
    assume(knows_every_column(sample.columns))
    net = sample.network(declared=False).fit(sample.columns, prior=prior, method="count")
    stranger = data.draw(st.sampled_from(net.names))
    states = {name: [*net.states(name), *(["never seen"] if name == stranger else [])] for name in net.names}
    wide = bayou.Network(sample.dag, states=states).fit(sample.columns, prior=prior, method="count")
    row = {name: data.draw(st.sampled_from(net.states(name))) for name in net.names}
    for cells in (row, {**row, stranger: "never seen"}, {stranger: "never seen"}):
        table = {name: [cells.get(name), row[name]] for name in net.names}
        expected = net.log_probability({name: [row[name]] * 2 for name in net.names})
        if "never seen" in cells.values():
            expected[0] = wide.log_probability(table)[0]
        # The row beside it knows all its values: nothing changes for it.
        np.testing.assert_allclose(net.log_probability(table, unknown="smooth"), expected, rtol=1e-12)


@given(samples(), st.data())
@law
def test_an_unseen_value_counts_as_a_gap_with_a_warning(sample: Sample, data: st.DataObject) -> None:
    assume(knows_every_column(sample.columns))
    net = sample.network(declared=False).fit(sample.columns, method="count")
    stranger = data.draw(st.sampled_from(net.names))
    row = {name: data.draw(st.sampled_from(net.states(name))) for name in net.names}
    with pytest.warns(BayouWarning, match="1 in "):
        left_out = net.log_probability(
            {name: [value] for name, value in {**row, stranger: "never seen"}.items()}
        )
    gap = net.log_probability({name: [value] for name, value in {**row, stranger: None}.items()})
    np.testing.assert_array_equal(left_out, gap)
