"""Pearl's message passing on polytrees: at most one path between any two variables, so messages never circle.

Every variable X has a table P(x | u₁ … uₙ) and a vector λ₀ for the findings about X itself: all ones without
a finding, a single 1 for an observed state, the weights of a likelihood. Two messages run along each arc, and
the posterior of each variable follows from the messages it receives:

    π_X(u)  from a parent U to its child X:   π(u) · λ₀(u) · (the λ messages of U's other children)
    λ_X(u)  from a child X to its parent U:   Σ_x λ(x) Σ_(other parents) P(x | parents) · (their π messages)

    π(x) = Σ_u P(x | u₁ … uₙ) · π_X(u₁) … π_X(uₙ)        from above:  P(x, findings above)
    λ(x) = λ₀(x) · (the λ messages of all children)       from below:  P(findings below | x)
    P(x | findings) = π(x) · λ(x) / P(findings),          P(findings) = Σ_x π(x) · λ(x)

Messages are not normalised, so every number is exactly the expression above. Pearl (1988), Probabilistic
Reasoning in Intelligent Systems, chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

import numpy as np

from bayou.errors import BadQuestion, TooWide
from bayou.inference.answer import Answer
from bayou.inference.engines import Engine
from bayou.inference.exact.density_factors import densities
from bayou.inference.exact.local_factors import table_factor
from bayou.inference.exact.polytree import arcs_outward
from bayou.inference.question import Question, evidence_columns, relevant
from bayou.memory import count_text
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

SMALLEST = 1e-100
"""Messages whose largest value is below this are scaled up (and the log kept), to avoid underflow."""
MOST_RUNS = 10_000
"""The most runs for a joint posterior: one for each combination of states of all but one target."""


@dataclass(frozen=True)
class Vector:
    """One number per state of a variable: exp(log_scale) · values."""

    values: FloatArray
    log_scale: float = 0.0

    def rescaled(self) -> Vector:
        """The same numbers, with ``values`` scaled to a largest value of 1 if that is below SMALLEST."""
        largest = float(self.values.max(initial=0.0))
        if largest == 0.0 or largest >= SMALLEST:
            return self
        return Vector(self.values / largest, self.log_scale + float(np.log(largest)))

    def __mul__(self, other: Vector) -> Vector:
        return Vector(self.values * other.values, self.log_scale + other.log_scale).rescaled()


@dataclass(frozen=True)
class PolytreeNode:
    """A variable of the polytree: P(x | parents) with the axes (parents …, x), and λ₀."""

    name: Name
    parents: tuple[Name, ...]
    table: FloatArray
    found: Vector


@dataclass(frozen=True)
class Message:
    """A message from one variable to a neighbour: π from parent to child, λ from child to parent."""

    kind: str
    sender: Name
    receiver: Name
    vector: Vector


@dataclass
class Propagation:
    """A polytree with all its messages, in the order in which they were sent."""

    nodes: dict[Name, PolytreeNode]
    log_constant: float = 0.0
    roots: list[Name] = field(default_factory=list)
    sent: dict[tuple[Name, Name], Message] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.children: dict[Name, list[Name]] = {name: [] for name in self.nodes}
        for node in self.nodes.values():
            for parent in node.parents:
                self.children[parent].append(node.name)

    def pi(self, name: Name) -> Vector:
        """π(x) = Σ_u P(x | u₁ … uₙ) · π_X(u₁) … π_X(uₙ)."""
        return self._weighted(self.nodes[name], len(self.nodes[name].parents))

    def lambda_(self, name: Name, but: Name | None = None) -> Vector:
        """λ(x) = λ₀(x) · the λ messages of all children (except ``but``, the receiver of a π message)."""
        vector = self.nodes[name].found
        for child in self.children[name]:
            if but is None or child != but:
                vector = vector * self.sent[child, name].vector
        return vector

    def belief(self, name: Name) -> tuple[FloatArray, float]:
        """P(x | findings), and log P(findings in this connected part of the graph) (-inf: impossible)."""
        both = self.pi(name) * self.lambda_(name)
        total = float(both.values.sum())
        if total <= 0.0:
            return both.values, -np.inf
        return both.values / total, both.log_scale + float(np.log(total))

    def log_evidence(self) -> float:
        """log P(findings): the unconnected parts of the graph multiply."""
        return self.log_constant + sum(self.belief(root)[1] for root in self.roots)

    def send(self, sender: Name, receiver: Name) -> None:
        """Send one message; those from all the sender's other neighbours must have been sent."""
        node = self.nodes[sender]
        if receiver in node.parents:
            kind, vector = "λ", self._weighted(node, node.parents.index(receiver), self.lambda_(sender))
        else:
            kind, vector = "π", self.pi(sender) * self.lambda_(sender, but=receiver)
        self.sent[sender, receiver] = Message(kind, sender, receiver, vector.rescaled())

    def _weighted(self, node: PolytreeNode, kept: int, below: Vector | None = None) -> Vector:
        """The table times the π messages of the parents (and λ(x)), summed over every axis but one."""
        vectors = [
            (axis, self.sent[u, node.name].vector) for axis, u in enumerate(node.parents) if axis != kept
        ]
        if below is not None:
            vectors.append((len(node.parents), below))
        # From the last axis to the first, so that the remaining axes keep their numbers.
        table, log_scale = node.table, 0.0
        for axis, vector in reversed(vectors):
            table = np.tensordot(table, vector.values, axes=(axis, 0))
            log_scale += vector.log_scale
        return Vector(table, log_scale).rescaled()


def propagate(network: FrozenNetwork, question: Question) -> Propagation:
    """Send all messages: in each connected part from its ends towards one variable, then back out."""
    names = relevant(network, question)
    network.require(names)
    tree = Propagation(_nodes(network, names, question), _log_weight_of_do(question))
    parents = {name: node.parents for name, node in tree.nodes.items()}
    reached: set[Name] = set()
    for start in (*question.targets, *tree.nodes):
        if start not in reached:
            outward = arcs_outward(parents, start)
            for near, far in reversed(outward):
                tree.send(far, near)
            for near, far in outward:
                tree.send(near, far)
            tree.roots.append(start)
            reached |= {start, *(far for _, far in outward)}
    return tree


def messages_query(network: FrozenNetwork, question: Question) -> tuple[FloatArray | None, float]:
    """Return P(targets | findings) and log P(findings) (-inf: impossible).

    One run gives the posterior of every single variable. Several targets together use the chain rule,
    P(a, b | e) = P(a | e) · P(b | a, e): one run for each combination of states of all but the last.
    """
    *others, last = question.targets or (None,)
    sizes = [network.schema[name].cardinality for name in others]
    if prod(sizes) > MOST_RUNS:
        raise TooWide(
            f"This joint posterior takes {count_text(prod(sizes))} runs of message passing (at most "
            f"{MOST_RUNS:,}): "
            'ask for fewer targets at a time, or use engine="compiled".'
        )
    if not others:
        tree = propagate(network, question)
        return (np.ones(()) if last is None else tree.belief(last)[0]), tree.log_evidence()
    rows, logs = [], []
    for codes in product(*(range(size) for size in sizes)):
        supposed = {**question.evidence, **dict(zip(others, codes, strict=True))}
        tree = propagate(network, replace(question, targets=(last,), evidence=supposed))
        rows.append(tree.belief(last)[0])
        logs.append(tree.log_evidence())
    top = max(logs)
    if not np.isfinite(top):
        return None, -np.inf
    weights = np.exp(np.array(logs) - top)
    table = np.where(weights[:, None] > 0, np.array(rows), 0.0) * (weights / weights.sum())[:, None]
    return table.reshape(*sizes, -1), float(top + np.log(weights.sum()))


class MessagesEngine(Engine):
    """Pearl's messages, on polytrees; real-valued variables must be observed."""

    handles_numbers = True

    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        """Send all messages and read the targets' beliefs."""
        table, log_evidence = messages_query(network, question)
        return Answer(question.targets, table, None, log_evidence if question.has_findings else 0.0)


def _nodes(network: FrozenNetwork, names: Sequence[Name], question: Question) -> dict[Name, PolytreeNode]:
    """The nodes of the polytree; a variable set by do is not a node, but entered in its children's tables."""
    nodes = {}
    for name in names:
        variable = network.schema[name]
        if variable.is_continuous:
            nodes[name] = _observed_number(network, name, question)
            continue
        found = np.asarray(question.likelihood.get(name, np.ones(variable.cardinality)), dtype=np.float64)
        if name in question.evidence:
            found = np.where(np.arange(variable.cardinality) == question.evidence[name], found, 0.0)
        set_by_hand = {key: np.array([int(code)]) for key, code in question.do.items()}
        parents = tuple(parent.name for parent in network.parents(name) if parent.name not in question.do)
        table = table_factor(network, name, set_by_hand).values[0]
        nodes[name] = PolytreeNode(name, parents, table, Vector(found))
    return nodes


def _log_weight_of_do(question: Question) -> float:
    """The log of the likelihood weights of the states set by do: a constant."""
    weights = [
        question.likelihood[name][int(code)]
        for name, code in question.do.items()
        if name in question.likelihood
    ]
    with np.errstate(divide="ignore"):
        return float(np.log(weights).sum())


def _observed_number(network: FrozenNetwork, name: Name, question: Question) -> PolytreeNode:
    """The node of an observed continuous variable: densities as a table whose single state is the value."""
    for real in (name, *(parent.name for parent in network.continuous_parents(name))):
        if real not in question.evidence and real not in question.do:
            raise BadQuestion(
                f"Message passing works on tables, but this query involves the real-valued variable "
                f'{real!r}, which is not observed: use engine="compiled".'
            )
    found = densities(network, [name], evidence_columns(network, question))
    (factor,) = found.factors
    parents = tuple(network.schema.variables[number].name for number in factor.scope)
    return PolytreeNode(
        name, parents, factor.values[0][..., None], Vector(np.ones(1), float(found.log_scale[0]))
    )
