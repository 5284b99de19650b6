"""Open trails and what closes them, against a search of all trails by the definition."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from tests.graphs.test_separation import is_active, simple_trails

from bayou.graphs import Dag, separated

CLINIC = Dag.from_text(
    "asia -> tub -> either; smoke -> lung -> either; smoke -> bronc -> dysp; either -> xray; either -> dysp"
)


@given(st.from_type(Dag), st.data())
def test_they_agree_with_a_search_of_all_trails_and_sets(dag: Dag, data: st.DataObject) -> None:
    roles = {name: data.draw(st.sampled_from("gnn")) for name in dag.nodes}
    if len(roles) < 2:
        return
    one, other = list(dag.nodes)[:2]
    observed = [name for name in list(dag.nodes)[2:] if roles[name] == "g"]
    verdict = separated(dag, [one], [other], observed)
    active = [trail for trail in simple_trails(dag, (one,), {other}) if is_active(dag, trail, set(observed))]
    assert set(verdict.open_trails) <= set(active)
    assert len(verdict.open_trails) == min(len(active), 8)
    lengths = [len(trail) for trail in verdict.open_trails]
    assert lengths == sorted(lengths)
    others = [name for name in dag.nodes if name not in (one, other, *observed)]
    closed = verdict.closed_by
    if closed is None:
        sets = [some for size in range(min(len(others), 4) + 1) for some in combinations(others, size)]
        assert not any(separated(dag, [one], [other], [*observed, *some]) for some in sets)
    else:
        assert separated(dag, [one], [other], [*observed, *closed])
        for name in closed:
            fewer = [each for each in closed if each != name]
            assert not separated(dag, [one], [other], [*observed, *fewer])


def test_a_known_effect_opens_the_trails_of_its_causes() -> None:
    assert separated(CLINIC, "asia", "smoke").open_trails == ()
    verdict = separated(CLINIC, "asia", "smoke", given="dysp")
    assert verdict.open_trails == (
        ("asia", "tub", "either", "lung", "smoke"),
        ("asia", "tub", "either", "dysp", "bronc", "smoke"),
    )
    assert verdict.closed_by == ("tub",)
    assert separated(CLINIC, "smoke", "lung").closed_by is None
