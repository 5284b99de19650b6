"""The working of an exact query, written line by line as a hand calculation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from bayou.errors import BadQuestion
from bayou.explain.question_title import question_title
from bayou.inference import (
    EliminationTrace,
    Factor,
    Finding,
    Question,
    eliminate,
    evidence_columns,
    finding_text,
    impossible_evidence,
    relevant,
)
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, label
from bayou.text.tables import PrintedLines
from bayou.typing import Name

_SHOWN_LINES = 32


class Working(str, PrintedLines):
    """A calculation as text of several lines, which a REPL and a notebook show as lines.

    >>> Working("1 + 1\\n  = 2")
    1 + 1
      = 2
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def elimination_working(network: FrozenNetwork, question: Question) -> Working:
    """Return every step of the variable elimination that answers a question, with the engine's numbers."""
    names = relevant(network, question)
    network.require(names)
    if any(network.schema[name].is_continuous for name in names):
        raise BadQuestion(
            "The working can be shown for discrete networks only; this query involves real-valued variables."
        )
    trace = EliminationTrace()
    columns = evidence_columns(network, question)
    done = eliminate(network, names, question.targets, columns, question.likelihood, trace)
    if done.values.sum() <= 0:
        raise impossible_evidence(network, question)
    board = _Board(network, question)
    return Working("\n".join(board.lines(names, trace)))


class _Board:
    """Names for the factors of one elimination, and their numbers as text."""

    def __init__(self, network: FrozenNetwork, question: Question) -> None:
        self.network = network
        self.given = {**question.evidence, **question.do}
        self.question = question
        self.titles: dict[int, str] = {}

    def lines(self, names: Sequence[Name], trace: EliminationTrace) -> Iterator[str]:
        yield question_title(self.network, self.question)
        barren = [label(n) for n in self.network.dag.nodes if n not in names and n not in self.question.do]
        if barren:
            yield f"Not needed (they sum to 1): {', '.join(barren)}"
        local = [self._local_title(name) for name, _ in trace.local]
        weighed = [f"w({self._mention(name)})" for name, _ in trace.weights]
        yield f"  ∝ {self._sum_sign(trace)}{' · '.join([*local, *weighed])}"
        factors = [factor for _name, factor in (*trace.local, *trace.weights)]
        self.titles.update(zip(map(id, factors), [*local, *weighed], strict=True))
        for name, factor in trace.weights:
            yield self._weights_text(name, factor)
        for number, step in enumerate(trace.steps, start=1):
            scope = ", ".join(label(self._variable(k).name) for k in step.result.scope)
            self.titles[id(step.result)] = f"τ{number}({scope})" if scope else f"τ{number}"
            inside = " · ".join(self.titles[id(factor)] for factor in step.multiplied)
            yield f"Sum out {label(step.variable)}:"
            yield f"  {self.titles[id(step.result)]} = Σ_{label(step.variable)} {inside}"
            yield from self._sums(step.variable, step.multiplied, step.result)
        yield from self._last_product(trace.final)

    def _weights_text(self, name: Name, factor: Factor) -> str:
        """The weights of an uncertain finding: ``w(Wet): no 1, yes 3 (likelihood of Wet)``."""
        said = self.question.shown.get(name, f"likelihood of {label(name)}")
        states = [f"{label(state)} " for state in self.network.schema[name].states] if factor.scope else [""]
        numbers = [
            f"{state}{weight:.6g}" for state, weight in zip(states, factor.values.ravel(), strict=True)
        ]
        return f"  w({self._mention(name)}): {', '.join(numbers)} ({said})"

    def _sum_sign(self, trace: EliminationTrace) -> str:
        return "".join(f"Σ_{label(step.variable)} " for step in trace.steps)

    def _local_title(self, name: Name) -> str:
        given = ", ".join(self._mention(parent.name) for parent in self.network.parents(name))
        return f"P({self._mention(name)}{' | ' + given if given else ''})"

    def _mention(self, name: Name) -> str:
        return self._finding(name, self.given[name]) if name in self.given else label(name)

    def _finding(self, name: Name, value: Finding) -> str:
        return finding_text(self.network.schema[name], value)

    def _variable(self, number: int) -> Variable:
        return self.network.schema.variables[number]

    def _sums(self, variable: Name, multiplied: Sequence[Factor], result: Factor) -> Iterator[str]:
        summed = self.network.schema.index(variable)
        cells = list(self._cells(result.scope))
        for place in cells[:_SHOWN_LINES]:
            terms = [
                " × ".join(_number(factor, {**place, summed: code}) for factor in multiplied)
                for code in range(self._variable(summed).cardinality)
            ]
            yield f"    {self._cell_text(place)}{' + '.join(terms)} = {_number(result, place)}"
        if len(cells) > _SHOWN_LINES:
            yield f"    … and {len(cells) - _SHOWN_LINES} more lines"

    def _last_product(self, final: Sequence[Factor]) -> Iterator[str]:
        scope = tuple(self.network.schema.index(name) for name in self.question.targets)
        cells = list(self._cells(scope))
        weights = [_weight(final, place) for place in cells]
        total = sum(weights)
        yield f"Multiply what is left: {' · '.join(self.titles[id(factor)] for factor in final)}"
        for place, weight in list(zip(cells, weights, strict=True))[:_SHOWN_LINES]:
            numbers = " × ".join(_number(factor, place) for factor in final)
            equals = f" = {weight:.6g}" if len(final) > 1 else ""
            yield f"    {self._cell_text(place)}{numbers}{equals}"
        found = ", ".join(self._finding(n, c) for n, c in self.question.evidence.items())
        evidence = f" = P({found})" if found and not self.question.do and not self.question.likelihood else ""
        yield f"Divide by their sum, {total:.6g}{evidence}:"
        for place, weight in list(zip(cells, weights, strict=True))[:_SHOWN_LINES]:
            yield f"    {self._cell_text(place)}{weight:.6g} / {total:.6g} = {weight / total:.6g}"

    def _cells(self, scope: Sequence[int]) -> Iterator[dict[int, int]]:
        for codes in product(*(range(self._variable(number).cardinality) for number in scope)):
            yield dict(zip(scope, codes, strict=True))

    def _cell_text(self, place: dict[int, int]) -> str:
        shown = ", ".join(
            f"{label(self._variable(number).name)}={label(self._variable(number).states[code])}"
            for number, code in place.items()
        )
        return f"{shown}: " if shown else ""


def _value(factor: Factor, place: dict[int, int]) -> float:
    return float(factor.values[(0, *(place[number] for number in factor.scope))])


def _number(factor: Factor, place: dict[int, int]) -> str:
    return f"{_value(factor, place):.6g}"


def _weight(final: Sequence[Factor], place: dict[int, int]) -> float:
    weight = 1.0
    for factor in final:
        weight *= _value(factor, place)
    return weight
