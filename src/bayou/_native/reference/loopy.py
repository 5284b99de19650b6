"""Plain numpy reference of loopy belief propagation: every message in logs, the same order of messages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayou.typing import FloatArray

DAMPING_LADDER = (0.0, 0.5, 0.8, 0.95)
WINDOW = 20
PROGRESS = 0.9


class _Contradiction(Exception):
    """The messages exclude every state of a variable."""


def loopy_beliefs(
    cards: Sequence[int],
    scopes: Sequence[Sequence[int]],
    tables: list[FloatArray],
    first_log: int,
    tolerance: float,
    sweeps: int,
    threads: int = 0,
) -> tuple[FloatArray, float, float, int, bool]:
    """Return all beliefs, log Σ Π tables (Bethe), the residual, the number of sweeps, whether it is a forest.

    ``tables[first_log:]`` hold logs. If the messages prove that no states are possible, the log is -inf and
    the beliefs are meaningless.
    """
    with np.errstate(divide="ignore"):
        shaped = [
            table.reshape([cards[v] for v in scope]) for scope, table in zip(scopes, tables, strict=True)
        ]
        logs = [table if k >= first_log else np.log(table) for k, table in enumerate(shaped)]
    graph = _Graph(cards, [tuple(scope) for scope in scopes], logs)
    total, residual, most_sweeps, is_forest = graph.constant, 0.0, 0, True
    try:
        for variables, factors in graph.parts():
            found, taken = graph.run(factors, tolerance, sweeps)
            total += graph.log_total(variables, factors)
            residual, most_sweeps = max(residual, found), max(most_sweeps, taken)
            edges = sum(len(scopes[f]) for f in factors)
            is_forest &= edges + 1 == len(variables) + len(factors)
        beliefs = [np.exp(product - _log_sum(product)) for product in map(graph.product, range(len(cards)))]
    except _Contradiction:
        return np.zeros(sum(cards)), -np.inf, residual, most_sweeps, is_forest
    return np.concatenate([np.empty(0), *beliefs]), float(total), float(residual), most_sweeps, is_forest


class _Graph:
    def __init__(self, cards: Sequence[int], scopes: list[tuple[int, ...]], logs: list[FloatArray]) -> None:
        self.scopes, self.logs = scopes, logs
        self.constant = sum(float(log) for scope, log in zip(scopes, logs, strict=True) if not scope)
        self.own: list[FloatArray] = [np.zeros(card) for card in cards]
        self.factors_of: list[list[int]] = [[] for _ in cards]
        self.used = {v for scope in scopes for v in scope}
        self.messages: dict[tuple[int, int], FloatArray] = {}
        for k, scope in enumerate(scopes):
            if len(scope) == 1:
                self.own[scope[0]] = self.own[scope[0]] + logs[k]
            for v in scope if len(scope) > 1 else ():
                self.factors_of[v].append(k)
                self.messages[k, v] = np.zeros(cards[v])

    def parts(self) -> list[tuple[list[int], list[int]]]:
        """The variables and factors of each connected part, breadth first from its first variable."""
        seen: set[int] = set()
        parts = []
        for start in sorted(self.used):
            if start in seen:
                continue
            variables, factors = [start], []
            seen.add(start)
            for variable in variables:
                for factor in self.factors_of[variable]:
                    if factor not in factors:
                        factors.append(factor)
                        new = [v for v in self.scopes[factor] if v not in seen]
                        seen.update(new)
                        variables.extend(new)
            parts.append((variables, factors))
        return parts

    def run(self, factors: list[int], tolerance: float, sweeps: int) -> tuple[float, int]:
        """Sweep until the messages converge; the largest change in the last sweep, and the sweeps."""
        residual = np.inf if factors else 0.0
        best = best_before = np.inf
        step = taken = 0
        while factors and residual > tolerance and taken < sweeps:
            residual = max(self.visit(factor, DAMPING_LADDER[step]) for factor in [*factors[::-1], *factors])
            taken += 1
            best = min(best, residual)
            if taken % WINDOW == 0:
                stuck = best > PROGRESS * best_before
                step, best_before, best = step + stuck, np.inf if stuck else best, np.inf
                if step == len(DAMPING_LADDER):
                    break
        return residual, taken

    def product(self, variable: int, but: int | None = None) -> FloatArray:
        """The log of the product of the messages to a variable, except that of one factor."""
        others = [self.messages[f, variable] for f in self.factors_of[variable] if f != but]
        total: FloatArray = np.sum([self.own[variable], *others], axis=0)
        if np.isneginf(total).all():
            raise _Contradiction
        return total

    def weighted(self, factor: int, but: int | None = None) -> FloatArray:
        """The log of a factor times the messages that it gets, except that of one variable."""
        total = self.logs[factor]
        for axis, variable in enumerate(self.scopes[factor]):
            if variable != but:
                shape = [-1 if k == axis else 1 for k in range(total.ndim)]
                incoming = self.product(variable, factor)
                total = total + (incoming - incoming.max()).reshape(shape)
        return total

    def visit(self, factor: int, damping: float) -> float:
        """Send all messages of a factor, made from those before; return the largest change."""
        sent = []
        for axis, variable in enumerate(self.scopes[factor]):
            others = tuple(k for k in range(len(self.scopes[factor])) if k != axis)
            message = _log_sum(self.weighted(factor, variable), others)
            if np.isneginf(message).all():
                raise _Contradiction
            sent.append(message - message.max())
        change = 0.0
        for variable, message in zip(self.scopes[factor], sent, strict=True):
            before = self.messages[factor, variable]
            change = max(change, float(np.abs(np.exp(message) - np.exp(before)).max()))
            if damping:
                both = np.isfinite(message) & np.isfinite(before)
                message[both] = damping * before[both] + (1 - damping) * message[both]
                message = message - message.max()
            self.messages[factor, variable] = message
        return change

    def log_total(self, variables: list[int], factors: list[int]) -> float:
        """Bethe's approximation of log Σ Π tables over one connected part."""
        total = sum(float(_log_sum(self.product(v))) for v in variables)
        for factor in factors:
            total += float(_log_sum(self.weighted(factor)))
            for variable in self.scopes[factor]:
                incoming = self.product(variable, factor)
                total -= float(_log_sum(incoming - incoming.max() + self.messages[factor, variable]))
        return total


def _log_sum(logs: FloatArray, axes: tuple[int, ...] | None = None) -> FloatArray:
    top = logs.max(axis=axes, keepdims=True)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        summed: FloatArray = np.log(np.exp(logs - safe).sum(axis=axes)) + np.squeeze(safe, axes)
    return summed
