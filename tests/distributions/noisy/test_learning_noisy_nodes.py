"""Learning noisy nodes: likelihood never falls, the truth is found, statistics add."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayou
from bayou.distributions import Family, FamilyRows, Laplace, MaxOfCauses, NodeKind
from bayou.errors import BadFile, BadGraph, BadStatistics, BadTable, BadVariable, UnknownVariable
from bayou.models.rows.unseen_states import widened
from bayou.schema import Variable
from bayou.sources import TableSource, read_columns
from bayou.statistics import CountTable, DistinctRows, RowCounts

LOGICS: dict[str, Any] = {"or": bayou.NoisyOr, "and": bayou.NoisyAnd, "max": bayou.NoisyMax}


@st.composite
def families(draw: st.DrawFn, size: int | None = None) -> RowCounts:
    """Distinct rows of a family of a few parents, with whole or broken weights."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    child = Variable("Wirkung, spät", range(size or draw(st.integers(2, 4))))
    parents = [Variable(f"x{k}", range(draw(st.integers(2, 3)))) for k in range(draw(st.integers(0, 4)))]
    axes = (*parents, child)
    rows = np.stack([random.integers(0, axis.cardinality, 40) for axis in axes], axis=1)
    whole = random.integers(1, 5, 40)
    return RowCounts.of(axes, rows, whole if draw(st.booleans()) else whole * 0.3)


def log_likelihood(node: MaxOfCauses, rows: RowCounts) -> float:
    columns = [rows.codes[:, k] for k in range(rows.codes.shape[1])]
    chances = node.probability(FamilyRows(len(rows.codes), columns[:-1], np.zeros((0, 0)), columns[-1]))
    return float(rows.counts @ np.log(np.maximum(chances, 1e-300)))


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize("logic", ["or", "and", "max"])
@pytest.mark.parametrize("strength", [0.0, 1.0])
@settings(max_examples=20)
@given(data=st.data())
def test_the_likelihood_never_falls_and_ends_at_a_top(logic: str, strength: float, data: Any) -> None:
    rows = data.draw(families(size=None if logic == "max" else 2))
    trace: list[float] = []
    family = Family(rows.axes[-1], rows.axes[:-1])
    marks = NodeKind(logic).meaning(family)
    node = MaxOfCauses.learned(rows, family, Laplace(strength), *marks, logic, trace)
    assert all(after >= before - 1e-9 * abs(before) for before, after in itertools.pairwise(trace))
    if strength:
        return
    assert log_likelihood(node, rows) == pytest.approx(trace[-1])
    for which in range(len(node.links) + 1):
        for share in (0.02, 0.1):
            assert log_likelihood(nudged(node, which, share), rows) <= trace[-1] + 0.02


def nudged(node: MaxOfCauses, which: int, share: float) -> MaxOfCauses:
    """The node with one cause's free rows (or the leak) moved a little towards uniform."""
    uniform = 1 / len(node.leak)
    if which == len(node.links):
        return MaxOfCauses(
            node.links, (1 - share) * node.leak + share * uniform, node.strength, node.neutral, node.logic
        )
    links = [link.copy() for link in node.links]
    free = np.arange(len(links[which])) != node.neutral[which]
    links[which][free] = (1 - share) * links[which][free] + share * uniform
    return MaxOfCauses(tuple(links), node.leak, node.strength, node.neutral, node.logic)


def test_maximum_likelihood_of_one_cause_is_known_in_closed_form() -> None:
    rows = {"A": ["no"] * 10 + ["yes"] * 10, "B": ["no"] * 8 + ["yes"] * 2 + ["no"] * 4 + ["yes"] * 6}
    node = bayou.Network("A -> B", nodes={"B": bayou.NoisyOr}).fit(rows, prior=0).node("B")
    assert node.leak == pytest.approx(0.2, abs=1e-4)
    assert node.chance("A", "yes") == pytest.approx(1 - 0.4 / 0.8, abs=1e-4)


@pytest.mark.parametrize("kind", ["or", "and"])
def test_the_truth_is_found_again(kind: str) -> None:
    names = [f"Ursache {k}" for k in range(12)]
    chances = dict(zip(names, np.linspace(0.2, 0.9, 12).tolist(), strict=True))
    tables = {name: {"no": 0.7, "yes": 0.3} if kind == "or" else {"no": 0.3, "yes": 0.7} for name in names}
    truth = bayou.Network(
        [(name, "E") for name in names],
        states={"E": ["no", "yes"]},
        tables={**tables, "E": LOGICS[kind](chances, leak=0.1)},
    )
    fitted = bayou.Network(truth.arcs, nodes={"E": LOGICS[kind]}).fit(truth.sample(30_000, seed=8))
    acting = "yes" if kind == "or" else "no"
    found = [fitted.node("E").chance(name, acting) for name in names]
    assert np.abs(np.array(found) - list(chances.values())).max() < 0.1
    assert fitted.parameter_count().free == 12 + 13


@pytest.mark.filterwarnings("ignore:The Noisy")  # the names a and b do not tell which means present
@pytest.mark.parametrize("kind", ["or", "and", "max"])
def test_more_data_in_any_split_is_the_same_as_all_at_once(kind: str, tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    columns = {name: random.choice(["b", "a"], 90).tolist() for name in ("A", "B", "C")}
    columns["D"] = random.choice([2, 1], 90).tolist()
    make = bayou.Network("A, B, C -> D", nodes={"D": LOGICS[kind]}).copy
    whole = make().fit(columns)
    parts = [{name: column[k : k + 30] for name, column in columns.items()} for k in (60, 0, 30)]
    split = make()
    for part in parts:
        split.partial_fit(part)
    assert split.same_as(whole)
    split.save(tmp_path / "part.bayou")
    again = bayou.load(tmp_path / "part.bayou")
    assert again.forget(parts[0]).partial_fit(parts[0]).same_as(whole)
    double = {name: column * 2 for name, column in columns.items()}
    assert make().fit(columns, weights=[2] * 90).same_as(make().fit(double))


def test_a_stated_noisy_node_is_learned_as_one_and_a_table_ends_that() -> None:
    rows = {"A": [0, 1, 0, 1, 1], "B": [0, 0, 1, 1, 1], "C": [0, 1, 1, 1, 0]}
    net = bayou.Network("A, B -> C", states={name: [0, 1] for name in "ABC"})
    net.set_cpt("C", bayou.NoisyOr({"A": 0.5, "B": 0.5}))
    assert isinstance(net.fit(rows).frozen.distribution("C"), MaxOfCauses)
    net.set_cpt("C", [[[0.5, 0.5]] * 2] * 2)
    assert isinstance(net.fit(rows).node("C"), bayou.ProbabilityTable)


def test_rows_of_a_wide_family_with_gaps_are_counted_only_where_complete() -> None:
    names = [f"c{k}" for k in range(70)]
    table: dict[str, Any] = {name: ["x", "y", "x", None] for name in names}
    request = DistinctRows(tuple(names))
    answer = TableSource(read_columns(table)).collect([request])[request]
    assert answer.counts.tolist() == [2, 1]
    assert answer.codes.tolist() == [[0] * 70, [1] * 70]


@given(st.data())
def test_distinct_rows_agree_with_counts_add_and_subtract(data: st.DataObject) -> None:
    cell = st.sampled_from([1, "1", True, None])
    rows = data.draw(st.lists(st.tuples(cell, cell), min_size=2, max_size=12))
    rows += [("1", True), (True, "1")]
    cut = data.draw(st.integers(1, len(rows) - 1))
    wide, request = CountTable(("A", "B")), DistinctRows(("A", "B"))

    def collected(part: list[Any]) -> Any:
        columns = [{"A": a, "B": b} for a, b in part]
        states = {"A": Variable("A", [1, "1", True]), "B": Variable("B", [1, "1", True])}
        found = TableSource(read_columns(columns)).collect([wide, request])
        return found[wide].aligned(list(states.values())), found[request].aligned(list(states.values()))

    counts, distinct = collected(rows)
    dense = np.zeros((3, 3), dtype=np.int64)
    dense[tuple(distinct.codes.T)] = distinct.counts
    assert np.array_equal(dense, counts.values)
    _, left = collected(rows[:cut])
    _, right = collected(rows[cut:])
    assert left + right == distinct
    assert distinct - right == left
    assert (distinct * 2).total == 2 * distinct.total
    if right.total:
        with pytest.raises(BadStatistics, match="more than was counted"):
            right - (right + right)


@pytest.mark.parametrize(
    ("nodes", "error", "message"),
    [
        ({"Z": bayou.NoisyOr}, UnknownVariable, "in nodes"),
        ({"B": "noisy"}, BadVariable, "use NoisyOr"),
        ({"B": bayou.NoisyOr(present={"Q": 1})}, UnknownVariable, "in the NoisyOr of 'B'"),
        ({"B": bayou.NoisyOr}, BadTable, "needs two states"),
    ],
)
def test_kinds_that_can_not_be_meant_are_refused(nodes: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bayou.Network("A -> B", nodes=nodes).fit({"A": [0, 1, 1], "B": [0, 1, 2]})


def test_a_continuous_variable_is_no_noisy_node() -> None:
    with pytest.raises(BadTable, match="'B' is continuous"):
        bayou.Network("A -> B", nodes={"B": bayou.NoisyMax}).fit({"A": [0, 1, 1], "B": [0.5, 1.5, 2.5]})


def test_shared_noisy_nodes_pool_their_rows_and_must_agree() -> None:
    rows = {"A1": [0, 1, 1, 1], "B1": [0, 1, 0, 1], "A2": [0, 0, 1, 1], "B2": [1, 0, 1, 1]}
    pooled = {"A": rows["A1"] + rows["A2"], "B": rows["B1"] + rows["B2"]}
    share = {"step": ["B1", "B2"]}
    kinds = {"B1": bayou.NoisyOr, "B2": bayou.NoisyOr}
    both = bayou.Network("A1 -> B1; A2 -> B2", share=share, nodes=kinds).fit(rows)
    alone = bayou.Network("A -> B", nodes={"B": bayou.NoisyOr}).fit(pooled)
    assert both.frozen.table("B2").tolist() == alone.frozen.table("B").tolist()
    with pytest.raises(BadGraph, match="different kinds"):
        bayou.Network("A1 -> B1; A2 -> B2", share=share, nodes={"B1": bayou.NoisyOr})
    apart = {**kinds, "B1": bayou.NoisyOr(present={"A1": 0})}
    with pytest.raises(BadGraph, match="mark the same states"):
        bayou.Network("A1 -> B1; A2 -> B2", share=share, nodes=apart).fit(rows)


def test_a_state_that_no_row_has_is_warned_of_without_a_prior() -> None:
    net = bayou.Network("A -> B", states={"A": [0, 1, 2]}, nodes={"B": bayou.NoisyOr})
    with pytest.warns(bayou.BayouWarning, match="never occur and the prior adds nothing"):
        net.fit({"A": [0, 1, 1, 0], "B": [0, 1, 0, 1]}, prior=0)


def test_a_file_in_batches_teaches_the_same_as_the_table(tmp_path: Path, monkeypatch: Any) -> None:
    rows = {"A": ["n", "y", "y", "n"] * 20, "B": ["n", "y"] * 40, "C": ["n", "y", "n", "n", "y"] * 16}
    lines = [",".join(rows), *(",".join(row) for row in zip(*rows.values(), strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr("bayou.sources.files.file_source.LARGEST_WHOLE", 1)
    make = bayou.Network("A, B -> C", nodes={"C": bayou.NoisyOr}).copy
    assert make().fit(tmp_path / "rows.csv").same_as(make().fit(rows))


def test_parameters_are_counted_before_anything_is_learned() -> None:
    states = {name: ["no", "yes"] for name in ("A", "B", "C")}
    net = bayou.Network("A, B -> C", states=states, nodes={"C": bayou.NoisyAnd})
    assert net.parameter_count().free == 2 + 3
    function = bayou.Network("A, B -> C", states=states, nodes={"C": bayou.Deterministic})
    assert function.parameter_count().free == 2


@pytest.mark.parametrize("kind", ["or", "and"])
def test_a_value_never_seen_before_does_not_change_which_state_is_present(kind: str) -> None:
    rows = {"A": ["n", "y", "y", "n"] * 5, "C": ["n", "y", "n", "n"] * 5}
    net = bayou.Network("A -> C", nodes={"C": LOGICS[kind]}).fit(rows)
    wider = widened(net._structure, net._learned, ["A"]).distribution("C")
    narrow = net.frozen.distribution("C")
    assert (wider.neutral, wider.strength) == (narrow.neutral, narrow.strength)
    assert np.allclose(wider.links[0][:2], narrow.links[0], atol=1e-3)
    assert np.isfinite(net.log_probability([{"A": "zz", "C": "y"}], unknown="smooth")[0])


def test_damaged_rows_in_a_file_are_refused(tmp_path: Path) -> None:
    from bayou.formats.bundle import read_bundle, write_bundle

    net = bayou.Network("A -> C", nodes={"C": bayou.NoisyOr}).fit({"A": [0, 1, 1], "C": [0, 1, 0]})
    net.save(tmp_path / "good.bayou")
    kind, state = read_bundle(tmp_path / "good.bayou")
    (entry,) = [entry for entry in state["learned"]["statistics"] if entry["kind"] == "rows"]
    entry["codes"] = entry["codes"] + 7
    write_bundle(tmp_path / "bad.bayou", kind, state, "test")
    with pytest.raises(BadFile, match="do not fit their states"):
        bayou.load(tmp_path / "bad.bayou")
