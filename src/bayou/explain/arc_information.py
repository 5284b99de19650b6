"""What child and parent of an arc tell about each other, in bits, given findings.

For the arc U → X with the other parents O and the findings e,

    I(X; U | e)    = H(X) + H(U) − H(X, U),
    I(X; U | O, e) = H(X, O) + H(U, O) − H(X, U, O) − H(O),

all entropies given e. The first is what one is worth for the other while nothing else is known; the second,
the strength of the link, is what is left when the other parents are known: it also sees causes that work only
together. Ebert-Uphoff (2007), Measuring connection strengths and link strengths in discrete Bayesian
networks, Georgia Tech GT-IIC-07-01.

Both come from P(family | e), and one clique tree gives those of all families. Where that tree would be large,
variables without findings among their descendants are left out of it: of these P(family | e) is the table
times P(parents | e), which is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from bayou.errors import TooWide
from bayou.inference import Question, ask, relevant
from bayou.inference.expectation.family_tree import FamilyTree, expandable, family_factors
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

MOST_ENTRIES = 2.0**26
"""The most table entries of a tree of all families; above, families are asked for one by one."""
Families = dict[Name, tuple[tuple[Name, ...], FloatArray]]
"""The unobserved members of each variable's family, and their joint distribution."""


@dataclass(frozen=True)
class ArcBits:
    """An arc and its information in bits: ``alone``, and ``given_others``, the other parents known."""

    parent: Name
    child: Name
    alone: float
    given_others: float


def arc_bits(network: FrozenNetwork, question: Question) -> list[ArcBits]:
    """Return the information of every arc between discrete variables, given the findings of the question.

    Arcs at an observed variable have none, and neither have arcs into variables set by do. Arcs into noisy
    nodes whose table would be too large are left out.
    """
    ask(network, question)  # Raises where the findings are impossible, or parameters are missing.
    families = _families(network, question)
    fixed = {*question.evidence, *question.do}
    found = []
    for parent, child in network.dag.arcs:
        if network.schema[parent].is_continuous or network.schema[child].is_continuous:
            continue
        if parent in fixed or child in fixed:
            found.append(ArcBits(parent, child, 0.0, 0.0))
        elif child in families:
            found.append(ArcBits(parent, child, *_bits(*families[child], parent, child)))
    return found


def _families(network: FrozenNetwork, question: Question) -> Families:
    """P(family | findings) of each family, over its unobserved members."""
    names = [name for name in network.dag.nodes if name not in question.do]
    try:
        return _from_tree(network, question, names, MOST_ENTRIES)
    except TooWide:
        above = relevant(network, question)
        found = _from_tree(network, question, above, inf)
        below = [name for name in names if name not in set(above) and not network.schema[name].is_continuous]
        return {**found, **_from_parents(network, question, below)}


def _from_tree(network: FrozenNetwork, question: Question, names: Sequence[Name], most: float) -> Families:
    factors, cards = family_factors(network, names, question, expandable(network, names))
    given = {**question.evidence, **question.do}
    schema = network.schema
    known = {schema.index(name): int(code) for name, code in given.items() if schema[name].cardinality}
    tree = FamilyTree(factors, cards, known, most)
    _, shares = tree.run(tree.tables(known))
    return {
        factor.owner: (tuple(n for n in network.family(factor.owner).names if n not in given), share)
        for factor, share in zip(factors, shares, strict=True)
        if factor.owner is not None
    }


def _from_parents(network: FrozenNetwork, question: Question, names: Sequence[Name]) -> Families:
    """The families of variables without findings among themselves and their descendants."""
    given = {**question.evidence, **question.do}
    written_out = expandable(network, names)
    found: Families = {}
    for name in names:
        parents = network.dag.parents(name)
        hidden = tuple(parent for parent in parents if parent not in given)
        if hidden and (network.finite(name).is_tabled or name in written_out):
            place = tuple(int(given[p]) if p in given else slice(None) for p in parents)
            joint = ask(network, replace(question, targets=hidden)).table
            assert joint is not None
            found[name] = (*hidden, name), joint[..., None] * network.table(name)[place]
    return found


def _bits(names: Sequence[Name], joint: FloatArray, parent: Name, child: Name) -> tuple[float, float]:
    """I(child; parent) and I(child; parent | the others) under a joint distribution with these axes."""
    u, x = names.index(parent), names.index(child)
    others = tuple(axis for axis in range(len(names)) if axis not in (u, x))
    pair = joint.sum(axis=others)
    alone = _entropy(joint.sum(axis=(*others, u))) + _entropy(joint.sum(axis=(*others, x))) - _entropy(pair)
    known = (
        _entropy(joint.sum(axis=u))
        + _entropy(joint.sum(axis=x))
        - _entropy(joint)
        - _entropy(joint.sum(axis=(u, x)))
    )
    # Rounding may leave a difference of entropies a little below 0.
    return max(alone, 0.0), max(known, 0.0)


def _entropy(table: FloatArray) -> float:
    positive = np.asarray(table)[np.asarray(table) > 0]
    return float(-(positive * np.log2(positive)).sum())
