"""All π and λ messages of Pearl's algorithm, as tables step by step and as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bayou.errors import BadQuestion
from bayou.explain.question_title import question_title
from bayou.inference import Message, Propagation, Question, impossible_evidence, propagate
from bayou.inference.exact.pearl import Vector
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.text.tables import Cell, TextTable
from bayou.typing import Name, State

Values = dict[State, float]


@dataclass(frozen=True)
class MessagesShown:
    """The messages of one question in the order they were sent, and the resulting vectors of each variable.

    Printing shows them step by step. As data: ``pi`` and ``lambda_`` of each variable, ``belief`` (its
    posterior), ``pi_messages[parent, child]`` and ``lambda_messages[child, parent]``, each with one number
    per state.
    """

    network: FrozenNetwork
    question: Question
    propagation: Propagation

    @property
    def pi(self) -> dict[Name, Values]:
        """π(x) = P(x, findings above x) of every variable."""
        return {name: self._values(name, self.propagation.pi(name)) for name in self.propagation.nodes}

    @property
    def lambda_(self) -> dict[Name, Values]:
        """λ(x) = P(findings about x and below x | x) of every variable."""
        return {name: self._values(name, self.propagation.lambda_(name)) for name in self.propagation.nodes}

    @property
    def belief(self) -> dict[Name, Values]:
        """P(x | findings) of every variable that is relevant to the question."""
        tree = self.propagation
        return {name: self._values(name, Vector(tree.belief(name)[0])) for name in tree.nodes}

    @property
    def pi_messages(self) -> dict[tuple[Name, Name], Values]:
        """The message down each arc, (parent, child): one number per state of the parent."""
        return {key: self._values(m.sender, m.vector) for key, m in self._sent("π")}

    @property
    def lambda_messages(self) -> dict[tuple[Name, Name], Values]:
        """The message up each arc, (child, parent): one number per state of the parent."""
        return {key: self._values(m.receiver, m.vector) for key, m in self._sent("λ")}

    @property
    def log_evidence(self) -> float:
        """log P(findings)."""
        return self.propagation.log_evidence()

    def tables(self) -> list[TextTable]:
        """One table per message in the order of sending, then one per variable."""
        sent = enumerate(self.propagation.sent.values(), start=1)
        shown = [self._message_table(number, message) for number, message in sent]
        return [*shown, *(self._node_table(name) for name in self.propagation.nodes)]

    def __str__(self) -> str:
        return "\n\n".join(["\n".join(self._opening()), *(str(table) for table in self.tables())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        opening = TextTable(["Pearl's message passing"], [[line] for line in self._opening()])
        return opening._repr_html_() + "".join(table._repr_html_() for table in self.tables())

    def _sent(self, kind: str) -> Iterator[tuple[tuple[Name, Name], Message]]:
        return ((key, m) for key, m in self.propagation.sent.items() if m.kind == kind)

    def _states(self, name: Name) -> tuple[State, ...]:
        variable = self.network.schema[name]
        return (self.question.evidence[name],) if variable.is_continuous else variable.states

    def _values(self, name: Name, vector: Vector) -> Values:
        numbers = vector.values * np.exp(vector.log_scale)
        values = dict(zip(self._states(name), numbers.tolist(), strict=True))
        if len(values) < len(numbers):
            raise BadQuestion(
                f"{name!r} has states that a dict cannot tell apart (1 and True): read the arrays of "
                ".propagation instead."
            )
        return values

    def _opening(self) -> Iterator[str]:
        yield question_title(self.network, self.question)
        tree = self.propagation
        barren = [n for n in self.network.dag.nodes if n not in tree.nodes and n not in self.question.do]
        if barren:
            yield f"Not needed (they sum to 1): {', '.join(label(name) for name in barren)}"
        for name in filter(self._is_found, tree.nodes):
            pairs = zip(self._states(name), tree.nodes[name].found.values, strict=True)
            weights = ", ".join(f"{weight:g} for {label(state)}" for state, weight in pairs)
            yield f"Found: λ₀({label(name)}) = {weights}"
        if any(map(self._is_found, tree.nodes)):
            yield f"log P(findings) = {self.log_evidence:.6g}"

    def _is_found(self, name: Name) -> bool:
        return name in self.question.evidence or name in self.question.likelihood

    def _message_table(self, number: int, message: Message) -> TextTable:
        about = message.receiver if message.kind == "λ" else message.sender
        other = message.sender if message.kind == "λ" else message.receiver
        symbol = f"{message.kind}_{label(other)}({label(about)})"
        formula = self._lambda_formula(message) if message.kind == "λ" else self._pi_formula(message)
        title = f"{number}. {label(message.sender)} to {label(message.receiver)}: {symbol} = {formula}"
        header = [label(about), f"{message.kind}{_scale(message.vector)}"]
        return TextTable(header, list(self._rows(about, message.vector)), title=title)

    def _pi_formula(self, message: Message) -> str:
        sender, tree = label(message.sender), self.propagation
        found = [f"λ₀({sender})"] if self._is_found(message.sender) else []
        others = [c for c in tree.children[message.sender] if c != message.receiver]
        return " · ".join([f"π({sender})", *found, *(f"λ_{label(child)}({sender})" for child in others)])

    def _lambda_formula(self, message: Message) -> str:
        parents, child = self.propagation.nodes[message.sender].parents, label(message.sender)
        others = [label(parent) for parent in parents if parent != message.receiver]
        given = ", ".join(label(parent) for parent in parents)
        factors = [f"P({child} | {given})", f"λ({child})", *(f"π_{child}({other})" for other in others)]
        return f"Σ_({', '.join([child, *others])}) {' · '.join(factors)}"

    def _node_table(self, name: Name) -> TextTable:
        above, below = self.propagation.pi(name), self.propagation.lambda_(name)
        both, belief = above * below, Vector(self.propagation.belief(name)[0])
        shown = label(name)
        header = [shown, f"π{_scale(above)}", f"λ{_scale(below)}", f"π·λ{_scale(both)}", "P"]
        title = f"{shown}: π({shown}) · λ({shown}), divided by its sum"
        return TextTable(header, list(self._rows(name, above, below, both, belief)), title=title)

    def _rows(self, name: Name, *vectors: Vector) -> Iterator[list[Cell]]:
        for position, state in enumerate(self._states(name)):
            yield [label(state), *(f"{vector.values[position]:.6g}" for vector in vectors)]


def _scale(vector: Vector) -> str:
    """The scale of a vector for its heading, if it was scaled up to avoid underflow."""
    return f" (× e^{vector.log_scale:.4g})" if vector.log_scale else ""


def messages_shown(network: FrozenNetwork, question: Question) -> MessagesShown:
    """Run Pearl's algorithm on a question and keep all messages; raise an error for impossible findings."""
    propagation = propagate(network, question)
    if not np.isfinite(propagation.log_evidence()):
        raise impossible_evidence(network, question)
    return MessagesShown(network, question, propagation)
