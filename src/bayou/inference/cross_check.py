"""Check an answer with a second, independent engine: the largest gap between the two answers."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from bayou.errors import BadQuestion, Disagreement
from bayou.inference.answer import Answer
from bayou.inference.query import ask
from bayou.inference.question import Question, relevant
from bayou.networks import FrozenNetwork

SMALL_JOINT = 2**20
"""Joint tables up to this size are enumerated; beyond it the second engine is variable elimination."""
LARGEST_GAP = 1e-9


@dataclass(frozen=True)
class Verification:
    """The engine that answered a second time, and the largest gap between the two answers.

    >>> print(Verification("enumeration", 1.1e-16))
    Verified by enumeration: the largest gap is 1.1e-16.
    """

    engine: str
    gap: float

    def __str__(self) -> str:
        return f"Verified by {self.engine}: the largest gap is {self.gap:.2g}."


def verify(network: FrozenNetwork, question: Question, answer: Answer, engine: str) -> Verification:
    """Answer again with an engine other than ``engine``; raise Disagreement if the gap is above 1e-9.

    The gap is the largest absolute difference of any probability or of log P(findings); the latter is
    divided by the size of log P(findings) where that is above 1.
    """
    if answer.table is None or any(network.schema[n].is_continuous for n in relevant(network, question)):
        raise BadQuestion(
            "verify=True compares tables of probabilities, but this query involves real-valued variables, "
            "for which there is no second engine: ask without verify=True."
        )
    second = second_engine(network, engine)
    other = ask(network, question, second)
    assert other.table is not None
    logs = abs(answer.log_evidence - other.log_evidence) / max(1.0, abs(other.log_evidence))
    gap = max(float(np.abs(answer.table - other.table).max(initial=0.0)), logs)
    if not gap <= LARGEST_GAP:
        raise Disagreement.between(engine, second, gap, LARGEST_GAP)
    return Verification(second, gap)


def second_engine(network: FrozenNetwork, engine: str) -> str:
    """The engine to compare ``engine`` with: never the same one.

    Enumeration where the network is discrete, fully parametrised and its joint table is small; otherwise
    elimination, or "compiled" if ``engine`` is elimination itself.
    """
    fitted = all(network.slots[name] in network.blocks for name in network.dag.nodes)
    discrete = not any(variable.is_continuous for variable in network.schema)
    small = prod(max(variable.cardinality, 1) for variable in network.schema) <= SMALL_JOINT
    if engine != "enumeration" and fitted and discrete and small:
        return "enumeration"
    return "compiled" if engine == "elimination" else "elimination"
