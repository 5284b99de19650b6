"""The junction tree as it is shown has the properties that make it one."""

from __future__ import annotations

from math import prod
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks

import bayou


@given(networks(most=7), st.data())
@law
def test_every_family_has_a_clique_and_every_variable_a_connected_subtree(
    net: bayou.Network, data: st.DataObject
) -> None:
    seen = data.draw(st.lists(st.sampled_from(net.names), unique=True, max_size=2))
    tree = net.junction_tree({name: net.states(name)[0] for name in seen})
    cliques = {clique.number: set(clique.variables) for clique in tree.cliques}
    for name in net.names:
        family = {name, *net.parents(name)} - set(seen)
        assert not family or any(family <= members for members in cliques.values())
    for name in set(net.names) - set(seen):
        holding = [number for number, members in cliques.items() if name in members]
        joined = sum(name in separator for separator in tree.separators.values())
        assert len(holding) - joined == 1
    assert set(tree.order) == set(net.names) - set(seen)


@given(networks(most=7))
@law
def test_sizes_are_products_and_separators_are_what_is_shared(net: bayou.Network) -> None:
    tree = net.junction_tree()

    def entries(names: Any) -> int:
        return prod(len(net.states(name)) for name in names)

    members = {clique.number: set(clique.variables) for clique in tree.cliques}
    for clique in tree.cliques:
        assert clique.entries == entries(clique.variables)
        assert clique.separator_entries == entries(clique.separator)
        if clique.parent is not None:
            assert set(clique.separator) == members[clique.number] & members[clique.parent]
    assert tree.entries == sum(clique.entries for clique in tree.cliques)
    assert tree.width == max(map(len, members.values())) - 1


def test_text_and_html_have_a_row_for_each_clique() -> None:
    net = bayou.Network("'a & <b>' -> c; c -> d", states={n: [0, 1] for n in ("a & <b>", "c", "d")})
    net.set_cpt("a & <b>", [0.5, 0.5]).set_cpt("c", [[0.5, 0.5]] * 2).set_cpt("d", [[0.5, 0.5]] * 2)
    tree = net.junction_tree()
    assert len(str(tree).splitlines()) == 2 + len(tree.cliques) == 4
    assert "a &amp; &lt;b&gt;" in tree._repr_html_()
    assert tree._repr_html_().count("<tr>") == 3


def test_everything_observed_leaves_no_clique() -> None:
    net = bayou.Network("R", states={"R": [0, 1]}, tables={"R": [0.5, 0.5]})
    tree = net.junction_tree({"R": 1})
    assert (tree.cliques, tree.width, tree.entries) == ((), 0, 0)
