"""Which tables matter, against d-separation from an additional parent of each variable."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import dags, law

import bayou
from bayou.graphs import separated
from bayou.graphs.tables_that_matter import tables_that_matter


@given(dags(most=7, least=2), st.data())
@law
def test_a_table_matters_if_its_numbers_are_not_separated_from_the_target(
    dag: bayou.Dag, data: st.DataObject
) -> None:
    names = data.draw(st.permutations(dag.nodes))
    target, rest = names[0], names[1:]
    observed = rest[: data.draw(st.integers(0, 2))]
    weighed = [name for name in names[-2:] if name not in observed and data.draw(st.booleans())]
    found = tables_that_matter(dag, target, observed, weighed)
    # Numbers are an additional parent, an uncertain finding is an observed child.
    parents = {name: [*dag.parents(name), ("numbers of", name)] for name in dag.nodes}
    parents |= {("finding about", name): [name] for name in weighed}
    larger = bayou.Dag.from_parents(parents)
    known = [*observed, *(("finding about", name) for name in weighed)]
    for name in dag.nodes:
        apart = separated(larger, [target], [("numbers of", name)], known)
        assert (name in found) == (not apart)
