"""Random networks around a noisy node, and the noisy node written out by summing over all proposals."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import bayou

PARENTS: list[Any] = ["Grippe, früh", "x=y", 3, "3", "日本 語", True]
CHILD_STATES: list[list[Any]] = [["no", "yes"], [0, 1, 2], [False, True], ["1", 1, True]]
CHILD = "Fieber | hoch"


def full_table(links: list[np.ndarray], leak: np.ndarray, strength: list[int]) -> np.ndarray:
    """P(child | parents) by going through every combination of proposals: slow, obvious."""
    rank = {code: place for place, code in enumerate(strength)}
    table = np.zeros([*(len(link) for link in links), len(leak)])
    for states in itertools.product(*(range(len(link)) for link in links)):
        for proposals in itertools.product(range(len(leak)), repeat=len(links) + 1):
            chance = leak[proposals[-1]]
            for link, state, proposal in zip(links, states, proposals[:-1], strict=True):
                chance *= link[state, proposal]
            winner = max(proposals, key=lambda code: rank[code])
            table[(*states, winner)] += chance
    return table


def rows(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Distributions, some entries 0."""
    values = random.gamma(0.7, size=shape) + 1e-3
    zero = random.random(shape) < 0.15
    zero[..., 0] = False
    values[zero] = 0
    return np.asarray(values / values.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class Pair:
    """The same network twice: with a noisy node, and with its table written out."""

    noisy: bayou.Network
    plain: bayou.Network
    node_after: bayou.NoisyMax


@st.composite
def pairs(draw: st.DrawFn, most: int = 4) -> Pair:
    """Dependent parents, a noisy child, and a child of that child that is a noisy node too."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = draw(st.permutations(PARENTS))[: draw(st.integers(0, most))]
    sizes = {name: int(random.integers(1, 4)) for name in names}
    parents: dict[Any, list[Any]] = {name: [] for name in names}
    for position, name in enumerate(names[1:], 1):
        if draw(st.booleans()):
            parents[name] = [names[position - 1]]
    parents[CHILD] = list(draw(st.permutations(names)))
    parents["after"] = [CHILD, *names[:2]]
    states = {name: [f"s{k}" for k in range(size)] for name, size in sizes.items()}
    states[CHILD], states["after"] = draw(st.sampled_from(CHILD_STATES)), ["low", "mid", "high"]
    dag = bayou.Dag(draw(st.permutations([*names, CHILD, "after"])), parents)
    noisy, plain = bayou.Network(dag, states=states), bayou.Network(dag, states=states)
    for name in names:
        table = rows(random, *(sizes[parent] for parent in parents[name]), sizes[name])
        noisy.set_cpt(name, table)
        plain.set_cpt(name, table)
    for name in (CHILD, "after"):
        size = len(states[name])
        links = {parent: rows(random, len(states[parent]), size) for parent in parents[name]}
        leak = rows(random, size)
        node = bayou.NoisyMax(links, leak=leak)
        noisy.set_cpt(name, node)
        plain.set_cpt(name, full_table(list(links.values()), leak, list(range(size))))
    return Pair(noisy, plain, node)
