from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou.errors import BadGraph, UnknownVariable
from bayou.graphs import Dag, dag_from

FIRE = "Storm -> Lightning -> Thunder; Storm, Bus -> Campfire; Lightning, Storm, Campfire -> Forest fire"


@given(st.from_type(Dag))
def test_a_graph_written_as_text_reads_back_equal_with_both_orders(dag: Dag) -> None:
    again = Dag.from_text(dag.to_text())
    assert again == dag
    assert hash(again) == hash(dag)
    assert (again.nodes, again.arcs) == (dag.nodes, dag.arcs)


@given(st.from_type(Dag))
def test_pairs_and_mappings_give_the_graph_back(dag: Dag) -> None:
    assert Dag.from_arcs(dag.arcs, dag.nodes) == dag
    assert Dag.from_parents({name: dag.parents(name) for name in dag.nodes}) == dag


@given(st.from_type(Dag))
def test_the_topological_order_is_the_first_by_node_order_of_all_that_are_valid(dag: Dag) -> None:
    def valid(order: tuple[Any, ...]) -> bool:
        return all(order.index(parent) < order.index(child) for parent, child in dag.arcs)

    # permutations come in the order of the nodes, so the first valid one is the smallest
    assert dag.topological_order == next(filter(valid, itertools.permutations(dag.nodes)))


@given(st.from_type(Dag))
def test_ancestors_and_descendants_agree_with_paths(dag: Dag) -> None:
    below: dict[Any, set[Any]] = {}
    for name in reversed(dag.topological_order):
        below[name] = set(dag.children(name)).union(*(below[c] for c in dag.children(name)))
    for name in dag.nodes:
        assert dag.descendants((name,)) == below[name]
        assert dag.ancestors((name,)) == {other for other in dag.nodes if name in below[other]}


@given(st.from_type(Dag))
def test_markov_blanket_is_the_neighbourhood_in_the_moral_graph(dag: Dag) -> None:
    moral = dag.moral()
    for name in dag.nodes:
        blanket = dag.markov_blanket(name)
        assert set(blanket) == moral[name]
        assert list(blanket) == sorted(blanket, key=dag.nodes.index)


def test_local_independencies_of_the_camp_fire() -> None:
    statements = [str(statement) for statement in Dag.from_text(FIRE).local_independencies()]
    assert "Thunder ⟂ Storm, Bus, Campfire, Forest fire | Lightning" in statements
    assert "Bus ⟂ Storm, Lightning, Thunder" in statements
    assert all(not statement.startswith("Storm ") or "Bus" in statement for statement in statements)


def test_parts_of_a_graph() -> None:
    dag = Dag.from_text(FIRE)
    assert dag.leaves == ("Thunder", "Forest fire")
    assert dag.subgraph(["Campfire", "Storm", "Bus"]).to_text() == "Storm, Bus -> Campfire"
    cut = dag.without_arcs_into("Campfire")
    assert cut.parents("Campfire") == ()
    assert cut.nodes == dag.nodes
    assert set(dag.arcs) - set(cut.arcs) == {("Storm", "Campfire"), ("Bus", "Campfire")}


def test_names_of_any_kind_and_tuples_as_names() -> None:
    dag = Dag([1, ("a", 1), "1"], {("a", 1): [1], "1": [("a", 1)]})
    assert dag.parents("1") == (("a", 1),)
    assert dag.descendants(("a", 1)) == {"1"}
    assert dag.ancestors([("a", 1), 1]) == set()
    assert repr(dag) == "Dag([1, ('a', 1), '1'], {('a', 1): [1], '1': [('a', 1)]})"
    with pytest.raises(BadGraph, match="Only names that are text"):
        dag.to_text()


def test_graphs_differ_by_the_order_of_parents_but_have_the_same_arcs() -> None:
    one, other = Dag.from_text("A, B -> C"), Dag.from_text("A, B; B, A -> C")
    assert one != other
    assert one.same_arcs(other)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("Rain; A -> B -> C -> A; Rain -> A", "cycle: A -> B -> C -> A."),
        ({"A": ["A"]}, "from 'A' to itself"),
        ([("A", "B"), ("A", "B")], "A -> B is given twice"),
        ([("A", "B", "C")], "pair (parent, child); got ('A', 'B', 'C')"),
        (["AB"], "pair (parent, child); got 'AB'"),
        ([("A", ["B"])], "must be hashable; ['B'] is not"),
        ({"A": [{}]}, "must be hashable; {} is not"),
        (7, "got int"),
    ],
)
def test_what_is_no_graph_is_refused_with_names(source: Any, message: str) -> None:
    with pytest.raises(BadGraph) as caught:
        dag_from(source)
    assert message in str(caught.value)


def test_unknown_parents_are_refused_where_the_nodes_are_declared() -> None:
    with pytest.raises(BadGraph, match=r"parents of 'Fire' names 'Strom'.*Did you mean 'Storm'"):
        dag_from({"Fire": ["Strom"]}, nodes=["Storm", "Fire"])
    with pytest.raises(BadGraph, match=r"names 'Smoke', which is not a node"):
        dag_from("Fire -> Smoke", nodes=["Fire"])
    with pytest.raises(BadGraph, match="declared twice"):
        Dag(["A", "A"], {})


def test_every_kind_of_source_gives_the_same_graph() -> None:
    dag = Dag(["Storm", "Fire"], {"Fire": "Storm"})
    assert dag_from(dag) is dag
    assert dag_from("Storm -> Fire") == dag
    assert dag_from({"Fire": "Storm"}) == dag
    assert dag_from([("Storm", "Fire")]) == dag
    assert dag_from("Storm -> Fire", nodes=["Fire", "Storm"]).nodes == ("Fire", "Storm")


def test_unknown_names_bring_a_hint_and_a_string_is_one_name() -> None:
    dag = Dag.from_text("A -> B -> AB")
    with pytest.raises(UnknownVariable, match="Did you mean"):
        dag.parents("b")
    with pytest.raises(UnknownVariable, match="no variable 'BA'"):
        dag.ancestors("BA")
    assert "b" not in dag
    assert [] not in dag


@given(st.from_type(Dag), st.data())
def test_nodes_with_their_ancestors_come_in_the_order_of_the_nodes(dag: Dag, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(dag.nodes), unique=True)) if dag.nodes else []
    expected = {*names, *dag.ancestors(names)}
    assert dag.with_ancestors(names) == [name for name in dag.nodes if name in expected]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bayou.graphs.dag._MOST_MASKED", -1)
        assert dag.with_ancestors(names) == [name for name in dag.nodes if name in expected]
