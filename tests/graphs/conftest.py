"""Teaches hypothesis to draw graphs, so that ``st.from_type(Dag)`` gives one with random arcs and orders."""

from __future__ import annotations

from hypothesis import strategies as st

from bayou.graphs import Dag

PLAIN_NAMES = ["Storm", "a b", "x-1", "Größe", "年齢", "1"]
HOSTILE_NAMES = ["a, b", "Öl->Preis", ";", "->", "←", "-", "it's", 'say "hi"', "# no", "", " x", "日本\n語\\"]


@st.composite
def dags(draw: st.DrawFn) -> Dag:
    chosen = draw(st.permutations(PLAIN_NAMES + HOSTILE_NAMES))[: draw(st.integers(1, 6))]
    parents = {}
    for position, name in enumerate(chosen):
        earlier = draw(st.permutations(chosen[:position]))
        parents[name] = earlier[: draw(st.integers(0, min(3, position)))]
    return Dag(draw(st.permutations(chosen)), parents)


st.register_type_strategy(Dag, dags())
