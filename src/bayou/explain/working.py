"""The working of an exact query, written line by line as a hand calculation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from bayou.errors import BadQuestion
from bayou.explain.question_title import question_title
from bayou.explain.working_notation import (
    HTML,
    LATEX,
    PLAIN,
    SMALLEST_LOG,
    Notation,
    NumbersAsLogs,
    PlainNumbers,
)
from bayou.inference import (
    EliminationTrace,
    Factor,
    Finding,
    Question,
    ask,
    eliminate,
    evidence_columns,
    finding_text,
    impossible_evidence,
    is_possible,
    relevant,
    too_small,
)
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, label
from bayou.text.latex import latex_text
from bayou.text.tables import PrintedLines, html_lines
from bayou.typing import FloatArray, Name

_SHOWN_LINES = 32


class Working(str, PrintedLines):
    """A calculation as text of several lines, which a REPL and a notebook show as lines.

    >>> Working("1 + 1\\n  = 2")
    1 + 1
      = 2
    """

    _latex = ""
    _html = ""

    def __repr__(self) -> str:
        return str(self)

    def to_latex(self) -> str:
        """The calculation as an ``align*`` environment of LaTeX."""
        return self._latex or LATEX.document([(0, latex_text(line)) for line in self.splitlines()])

    def to_html(self) -> str:
        """The calculation as HTML, with indices; names in it are escaped."""
        return self._html or html_lines(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def _repr_latex_(self) -> str:
        inside = self.to_latex().replace("{align*}", "{aligned}")
        return f"$${inside}$$"


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
    if not is_possible(network, question):
        raise impossible_evidence(network, question)
    if not _agrees(done.values[0], network, question):
        raise too_small("the working", "net.query(…) answers, with numbers of any size.")
    plain, latex, page = [
        notation.document(list(_Board(network, question, notation).lines(names, trace)))
        for notation in (PLAIN, LATEX, HTML)
    ]
    working = Working(plain)
    working._latex, working._html = latex, page
    return working


def _agrees(values: FloatArray, network: FrozenNetwork, question: Question) -> bool:
    """Whether the numbers of an elimination give the answer: they may be too small for it."""
    total, answer = float(values.sum()), ask(network, question).table
    return answer is not None and total > 0 and bool(np.abs(values / total - answer).max(initial=0) < 1e-9)


class _Board:
    """Names for the factors of one elimination, and their numbers, in a notation."""

    def __init__(self, network: FrozenNetwork, question: Question, notation: Notation) -> None:
        self.network = network
        self.given = {**question.evidence, **question.do}
        self.question = question
        self.notation = notation
        self.titles: dict[int, str] = {}
        self.trace = EliminationTrace()

    def lines(self, names: Sequence[Name], trace: EliminationTrace) -> Iterator[tuple[int, str]]:
        sign, self.trace = self.notation, trace
        yield 0, question_title(self.network, self.question, sign.words, sign.bar)
        barren = [label(n) for n in self.network.dag.nodes if n not in names and n not in self.question.do]
        if barren:
            yield 0, sign.words(f"Not needed (they sum to 1): {', '.join(barren)}")
        local = [self._local_title(name) for name, _ in trace.local]
        weighed = [f"w({self._mention(name)})" for name, _ in trace.weights]
        sums = "".join(sign.summed(label(step.variable)) for step in trace.steps)
        yield 1, f"{sign.proportional}{sums}{sign.dot.join([*local, *weighed])}"
        factors = [factor for _name, factor in (*trace.local, *trace.weights)]
        self.titles.update(zip(map(id, factors), [*local, *weighed], strict=True))
        for name, factor in trace.weights:
            yield 1, self._weights_text(name, factor)
        for number, step in enumerate(trace.steps, start=1):
            scope = ", ".join(sign.words(label(self._variable(k).name)) for k in step.result.scope)
            message = sign.message(number)
            self.titles[id(step.result)] = f"{message}({scope})" if scope else message
            inside = sign.dot.join(self.titles[id(factor)] for factor in step.multiplied)
            yield 0, sign.words(f"Sum out {label(step.variable)}:")
            yield 1, f"{self.titles[id(step.result)]} = {sign.summed(label(step.variable))}{inside}"
            yield from self._sums(step.variable, step.multiplied, step.result)
        yield from self._last_product(trace.final)

    def _weights_text(self, name: Name, factor: Factor) -> str:
        """The weights of an uncertain finding: ``w(Wet): no 1, yes 3 (likelihood of Wet)``."""
        sign, said = self.notation, self.question.shown.get(name, f"likelihood of {label(name)}")
        states = [f"{label(state)} " for state in self.network.schema[name].states] if factor.scope else [""]
        numbers = [
            f"{sign.words(state) if state else ''}{sign.number(weight)}"
            for state, weight in zip(states, factor.values.ravel().tolist(), strict=True)
        ]
        return f"w({self._mention(name)}): {', '.join(numbers)} {sign.words(f'({said})')}"

    def _local_title(self, name: Name) -> str:
        given = ", ".join(self._mention(parent.name) for parent in self.network.parents(name))
        return f"P({self._mention(name)}{self.notation.bar + given if given else ''})"

    def _mention(self, name: Name) -> str:
        shown = self._finding(name, self.given[name]) if name in self.given else label(name)
        return self.notation.words(shown)

    def _finding(self, name: Name, value: Finding) -> str:
        return finding_text(self.network.schema[name], value)

    def _variable(self, number: int) -> Variable:
        return self.network.schema.variables[number]

    def _sums(
        self, variable: Name, multiplied: Sequence[Factor], result: Factor
    ) -> Iterator[tuple[int, str]]:
        summed, sign = self.network.schema.index(variable), self.notation
        cells = list(self._cells(result.scope))
        for place in cells[:_SHOWN_LINES]:
            terms = [
                sign.times.join(self._number(factor, {**place, summed: code}) for factor in multiplied)
                for code in range(self._variable(summed).cardinality)
            ]
            yield 2, f"{self._cell_text(place)}{sign.plus.join(terms)} = {self._number(result, place)}"
        if len(cells) > _SHOWN_LINES:
            yield 2, sign.words(f"… and {len(cells) - _SHOWN_LINES} more lines")

    def _last_product(self, final: Sequence[Factor]) -> Iterator[tuple[int, str]]:
        sign = self.notation
        scope = tuple(self.network.schema.index(name) for name in self.question.targets)
        cells = list(self._cells(scope))
        weights, shown = self._weights(final, cells)
        total = shown.sum(weights)
        factors = sign.dot.join(self.titles[id(factor)] for factor in final)
        yield 0, f"{sign.words('Multiply what is left: ')}{factors}"
        for place, weight in list(zip(cells, weights, strict=True))[:_SHOWN_LINES]:
            numbers = sign.times.join(self._number(factor, place) for factor in final)
            equals = f" = {shown.text(weight)}" if len(final) > 1 else ""
            yield 2, f"{self._cell_text(place)}{numbers}{equals}"
        found = ", ".join(self._finding(n, c) for n, c in self.question.evidence.items())
        plain = bool(found) and not self.question.do and not self.question.likelihood
        evidence = f" = P({sign.words(found)})" if plain else ""
        yield 0, f"{sign.words('Divide by their sum, ')}{shown.text(total)}{evidence}:"
        for place, weight in list(zip(cells, weights, strict=True))[:_SHOWN_LINES]:
            quotient = f"{shown.text(weight)}{sign.divided}{shown.text(total)}"
            yield 2, f"{self._cell_text(place)}{quotient} = {shown.text(shown.divided(weight, total))}"

    def _cells(self, scope: Sequence[int]) -> Iterator[dict[int, int]]:
        for codes in product(*(range(self._variable(number).cardinality) for number in scope)):
            yield dict(zip(scope, codes, strict=True))

    def _cell_text(self, place: dict[int, int]) -> str:
        shown = ", ".join(
            f"{label(self._variable(number).name)}={label(self._variable(number).states[code])}"
            for number, code in place.items()
        )
        return self.notation.words(f"{shown}: ") if shown else ""

    def _number(self, factor: Factor, place: dict[int, int]) -> str:
        value, log = _value(factor, place), self.trace.log_scale(factor)
        if log and value > 0:
            return self.notation.number_from_log(log + math.log(value))
        return self.notation.number(value)

    def _weights(
        self, final: Sequence[Factor], cells: Sequence[dict[int, int]]
    ) -> tuple[list[float], PlainNumbers]:
        """The products of what is left by cell, and how they are added and written: as numbers, or as logs
        where some are too small for that.
        """
        by_cell = [[_value(factor, place) for factor in final] for place in cells]
        scale = sum(map(self.trace.log_scale, final))
        logs = [scale + math.fsum(map(math.log, row)) if all(row) else -math.inf for row in by_cell]
        if scale or any(-math.inf < log < SMALLEST_LOG for log in logs):
            return logs, NumbersAsLogs(self.notation)
        return [math.prod(row) for row in by_cell], PlainNumbers(self.notation)


def _value(factor: Factor, place: dict[int, int]) -> float:
    return float(factor.values[(0, *(place[number] for number in factor.scope))])
