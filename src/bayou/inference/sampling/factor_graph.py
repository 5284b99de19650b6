"""A question as a product of tables over hidden variables: the form that all samplers work on.

    P(hidden states, findings) = exp(log_scale) · Π_f f(states of its scope)

The tables are those of the network with the findings entered, likelihoods, and the densities of real findings
(hidden real variables are integrated out). States that zeros in the tables rule out are removed first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, log, prod

import numpy as np

from bayou.graphs.ordering import elimination_order
from bayou.inference.exact.density_factors import densities
from bayou.inference.exact.local_factors import LocalFactors, factors_of
from bayou.inference.question import Question, evidence_columns
from bayou.inference.sampling.zero_propagation import PlainFactor, Scope, ZeroPropagation
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, IntArray, Name

LARGEST_TABLE = 2**16
"""A noisy node with more cells than this enters as its chain of small factors, with auxiliary variables."""


@dataclass(frozen=True, eq=False)
class FactorGraph:
    """Hidden variables 0, 1, … with at least two possible states each, and the tables that join them.

    ``numbers`` are their numbers in the schema (larger ones are auxiliary variables of noisy nodes),
    ``states`` the codes that are still possible, in order; axes of tables have these only. ``known`` has the
    code of each variable that has a single possible state. ``log_scale`` is -inf if the findings are
    impossible, which is certain; a finite one does not prove that they are possible.
    """

    numbers: tuple[int, ...]
    states: tuple[IntArray, ...]
    factors: tuple[PlainFactor, ...]
    known: Mapping[int, int]
    log_scale: float
    _orders: list[tuple[int, ...]] = field(default_factory=list, init=False, repr=False)

    @property
    def cards(self) -> list[int]:
        """The number of possible states of each variable."""
        return [len(states) for states in self.states]

    @property
    def order(self) -> tuple[int, ...]:
        """An order of the variables in which they are summed out with small tables; found once."""
        return self.order_by(inf)

    def order_by(self, until: float) -> tuple[int, ...]:
        """The same order; if not known yet, looked for until this time on the clock of ``time.monotonic``."""
        if not self._orders:
            scopes = [factor.scope for factor in self.factors]
            self._orders.append(elimination_order(scopes, dict(enumerate(self.cards)), until=until))
        return self._orders[0]

    @property
    def has_zeros(self) -> bool:
        """Whether a table rules out some combination of states."""
        return any(not factor.values.all() for factor in self.factors)


def question_graph(
    network: FrozenNetwork, names: Sequence[Name], question: Question, *, join: bool = True
) -> FactorGraph:
    """Return the tables of a question about these (relevant) variables, without impossible states.

    With ``join``, tables of the same variables are multiplied to one (through logs, which adds rounding
    errors); without it, all entries are those of the network.
    """
    fixed = {**question.evidence, **question.do}
    codes = {network.schema.index(n): int(v) for n, v in fixed.items() if not network.schema[n].is_continuous}
    factors, cards = network_factors(network, names)
    extra, log_scale = given_factors(network, names, question)
    reduced = [entered(factor, codes) for factor in factors] + extra
    return _reduced(reduced, cards, codes, log_scale, join)


def network_factors(
    network: FrozenNetwork, names: Sequence[Name]
) -> tuple[list[PlainFactor], dict[int, int]]:
    """The tables of the discrete variables among ``names``, and the number of states of each number.

    The last axis of a table is the variable that it is a distribution of; parents come before children.
    """
    wanted = set(names)
    cards = {number: variable.cardinality for number, variable in enumerate(network.schema)}
    factors: list[PlainFactor] = []
    for name in network.dag.topological_order:
        if name not in wanted or network.schema[name].is_continuous:
            continue
        local = _local_factors(network, name, len(cards))
        cards.update(enumerate(local.sizes, len(cards)))
        factors += [PlainFactor(tuple(s), t) for s, t in zip(local.scopes, local.tables, strict=True)]
    return factors, cards


def _local_factors(network: FrozenNetwork, name: Name, first_auxiliary: int) -> LocalFactors:
    node = network.finite(name)
    if node.is_tabled or prod(node.shape) <= LARGEST_TABLE:
        scope = [network.schema.index(member) for member in network.family(name).names]
        return LocalFactors([scope], [node.table], [], [])
    return factors_of(network, name, first_auxiliary)


def given_factors(
    network: FrozenNetwork, names: Sequence[Name], question: Question
) -> tuple[list[PlainFactor], float]:
    """Likelihoods and densities of real findings as tables, and the log of the constants among them."""
    fixed = {**question.evidence, **question.do}
    factors: list[PlainFactor] = []
    constants: list[float] = []
    log_units = 0.0
    for name, weights in question.likelihood.items():
        if name in fixed:
            constants.append(float(weights[int(fixed[name])]))
        else:
            scaled, log_unit = _scaled_up(weights)
            factors.append(PlainFactor((network.schema.index(name),), scaled))
            log_units += log_unit
    measured = densities(network, names, evidence_columns(network, question))
    factors += [PlainFactor(factor.scope, factor.values[0]) for factor in measured.factors]
    with np.errstate(divide="ignore"):
        return factors, float(np.log(constants).sum() + log_units + measured.log_scale[0])


def _scaled_up(weights: FloatArray) -> tuple[FloatArray, float]:
    """Tiny weights times a power of two, which changes no digit, and the log of what was taken out.

    >>> scaled, log_unit = _scaled_up(np.array([2.0**-1060, 2.0**-1070]))
    >>> scaled.tolist(), round(log_unit / log(2))
    ([0.5, 0.00048828125], -1059)
    """
    exponent = min(int(np.frexp(weights.max(initial=0.0))[1]), 0)
    scaled: FloatArray = np.ldexp(weights, -exponent)
    return scaled, exponent * log(2)


def entered(factor: PlainFactor, codes: Mapping[int, int]) -> PlainFactor:
    """The table at the codes of observed variables."""
    if codes.keys().isdisjoint(factor.scope):
        return factor
    index = tuple(codes.get(number, slice(None)) for number in factor.scope)
    return PlainFactor(tuple(n for n in factor.scope if n not in codes), np.asarray(factor.values[index]))


def _reduced(
    factors: Sequence[PlainFactor],
    cards: Mapping[int, int],
    known: Mapping[int, int],
    log_scale: float,
    join: bool,
) -> FactorGraph:
    masks = {n: np.ones(cards[n], dtype=np.bool_) for factor in factors for n in factor.scope}
    possible = ZeroPropagation(factors).narrowed(masks)
    if possible is None or log_scale == -inf:
        return FactorGraph((), (), (), dict(known), -inf)
    left = {n: np.flatnonzero(mask).astype(np.int64) for n, mask in possible.items()}
    known = {**known, **{n: int(codes[0]) for n, codes in left.items() if len(codes) == 1}}
    numbers = tuple(sorted(n for n, codes in left.items() if len(codes) > 1))
    place = {number: position for position, number in enumerate(numbers)}
    kept: list[PlainFactor] = []
    for factor in factors:
        values = factor.values
        if any(len(left[n]) < cards[n] for n in factor.scope):
            values = values[np.ix_(*(left[n] for n in factor.scope))]
        inside = [axis for axis, n in enumerate(factor.scope) if n in place]
        values = values.reshape([values.shape[axis] for axis in inside])
        if inside:
            kept.append(PlainFactor(tuple(place[factor.scope[axis]] for axis in inside), values))
        else:
            with np.errstate(divide="ignore"):
                log_scale += float(np.log(values))
    joined, log_unit = _joined(kept) if join else (tuple(map(_in_order, kept)), 0.0)
    return FactorGraph(numbers, tuple(left[n] for n in numbers), joined, known, log_scale + log_unit)


def _joined(factors: Sequence[PlainFactor]) -> tuple[tuple[PlainFactor, ...], float]:
    """Tables of the same variables multiplied to one, whose largest entry is 1; and the log of that entry.

    Logs are added, so that hundreds of findings that contradict each other do not underflow.
    """
    same: dict[Scope, list[FloatArray]] = {}
    for factor in map(_in_order, factors):
        same.setdefault(factor.scope, []).append(factor.values)
    joined, log_unit = [], 0.0
    for scope, arrays in same.items():
        values = arrays[0]
        if len(arrays) > 1:
            with np.errstate(divide="ignore"):
                logs = np.sum([np.log(array) for array in arrays], axis=0)
            most = float(logs.max())
            log_unit += most
            values = np.exp(logs - most) if most > -inf else np.zeros_like(logs)
        joined.append(PlainFactor(scope, np.ascontiguousarray(values)))
    return tuple(joined), log_unit


def _in_order(factor: PlainFactor) -> PlainFactor:
    """The same table with its axes in the order of their variables."""
    order = sorted(range(len(factor.scope)), key=factor.scope.__getitem__)
    return PlainFactor(tuple(factor.scope[axis] for axis in order), np.transpose(factor.values, order))
