"""Questions, and the same questions asked of networks with a changed table entry."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import bayou
from bayou.errors import ImpossibleEvidence
from bayou.explain.sensitivity.sensitivity_functions import with_entry
from bayou.models.answers.sensitivity.entry_effect import EntryEffect


def place_of(net: bayou.Network, entry: EntryEffect) -> tuple[int, ...]:
    states = [*entry.parents.values(), entry.state]
    names = [*net.parents(entry.table), entry.table]
    return tuple(net.variables[n].code(s) for n, s in zip(names, states, strict=True))


def changed(net: bayou.Network, entry: EntryEffect, value: float) -> bayou.Network:
    table = net.cpt(entry.table).to_array()
    return net.copy().set_cpt(entry.table, with_entry(table, place_of(net, entry), value))


def asked_again(net: bayou.Network, entry: EntryEffect, value: float, target: Any, how: Any) -> Any:
    """The posterior of the target in the changed network; None where the findings are impossible."""
    try:
        return changed(net, entry, value).query(target, **how)
    except ImpossibleEvidence:
        return None


@st.composite
def questions(draw: st.DrawFn, net: bayou.Network) -> tuple[Any, Any, dict[str, Any]]:
    names = draw(st.permutations(net.names))
    target, rest = names[0], list(names[1:])
    pick = {name: draw(st.sampled_from(net.states(name))) for name in rest}
    evidence = {name: pick[name] for name in rest[:2]}
    do = {name: pick[name] for name in rest[2:3] if draw(st.booleans())}
    weighed = draw(st.sampled_from([target, *rest]))
    soft = {weighed: [draw(st.sampled_from([0.5, 2.0, 0.0, 1.0])) for _ in net.states(weighed)]}
    how = {"given": evidence, "do": do, "likelihood": soft if draw(st.booleans()) else None}
    return target, draw(st.sampled_from(net.states(target))), how


def cancer() -> bayou.Network:
    return bayou.Network(
        "disease -> test",
        tables={
            "disease": {"yes": 0.008, "no": 0.992},
            "test": {"yes": {"+": 0.98, "-": 0.02}, "no": {"+": 0.03, "-": 0.97}},
        },
    )
