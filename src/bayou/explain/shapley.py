"""Shapley shares: how much of the change in a target's probability is due to each finding.

With v(S) the log odds of H given the findings S only, the share of finding i among all findings N is

    φ_i = Σ_(S ⊆ N without i)  |S|! (|N| − |S| − 1)! / |N|!  ·  [v(S with i) − v(S)],

the mean, over all orders in which the findings could come in, of what i adds when it comes in. The shares add
up to v(N) − v(∅). Where some v(S) is infinite (findings that decide the matter), v is P(H | S) instead.

Up to :data:`MOST_EXACT` findings all 2^|N| posteriors are computed. Beyond, shares are means over random
orders, each taken together with its reverse (antithetic pairs, which cancel much of each other's error).

Shapley (1953), A value for n-person games; Štrumbelj and Kononenko (2014), Explaining prediction models and
individual predictions with feature contributions, Knowledge and Information Systems 41; Mitchell, Cooper,
Frank and Holmes (2022), Sampling permutations for Shapley value estimation, JMLR 23.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import factorial

import numpy as np

from bayou.codes import code_type, missing_code
from bayou.errors import BadQuestion
from bayou.inference import Question, ask
from bayou.networks import FrozenNetwork
from bayou.typing import BoolArray, CodeArray, FloatArray, IntArray, Name

MOST_EXACT = 10
"""Up to this many findings the shares are exact: at most 1,024 posteriors."""
PAIRS = 100
"""The number of random orders for more findings; each is taken with its reverse."""


@dataclass(frozen=True, eq=False)
class ShapleyShares:
    """The share of each finding (evidence first, then likelihoods), in their order in the question.

    ``unit`` is "log odds" or, where some are infinite, "probability". The shares add up to ``total``.
    ``standard_errors`` are 0 where the shares are exact.
    """

    names: tuple[Name, ...]
    shares: FloatArray
    standard_errors: FloatArray
    unit: str
    total: float

    @property
    def is_exact(self) -> bool:
        """Whether all sets of findings were computed."""
        return len(self.names) <= MOST_EXACT

    def __getitem__(self, name: Name) -> float:
        return float(self.shares[self.names.index(name)])

    def error(self, name: Name) -> float:
        """The standard error of the share of a finding; 0 where the shares are exact."""
        return float(self.standard_errors[self.names.index(name)])

    def __str__(self) -> str:
        what = "change in the log odds" if self.unit == "log odds" else "change in the probability"
        total = "0" if abs(self.total) < 1e-15 else f"{self.total:+.4g}".replace("-", "−")
        text = f"The shares (Shapley) add up to the {what}, {total}"
        if self.is_exact:
            return f"{text}."
        error = float(self.standard_errors.max())
        return f"{text}; estimated from {2 * PAIRS} orders, standard errors up to {error:.2g}."


def shapley_shares(
    network: FrozenNetwork, question: Question, state: int, seed: int = 0, unit: str = "log odds"
) -> ShapleyShares:
    """Return the share of each finding in the change of target = state; do() always holds.

    ``seed`` chooses the random orders of more than :data:`MOST_EXACT` findings; with ``unit="probability"``
    v is always the probability.
    """
    if len(question.targets) != 1 or network.schema[question.targets[0]].is_continuous:
        raise BadQuestion("Shares are computed for a state of one discrete variable.")
    names = tuple(dict.fromkeys((*question.evidence, *question.likelihood)))
    if not names:
        raise BadQuestion(
            "There is no finding that could have a share (do() always holds); give findings: given={…}."
        )
    exact = len(names) <= MOST_EXACT
    orders = np.zeros((0, len(names)), dtype=np.int64) if exact else _orders(len(names), seed)
    sets = _all_sets(len(names)) if exact else _prefixes(orders)
    distinct, which = np.unique(sets, axis=0, return_inverse=True)
    values, unit = _values(_posteriors(network, question, names, distinct), state, unit)
    each = values[which.ravel()]
    if exact:
        shares, errors = _exact(each, len(names)), np.zeros(len(names))
    else:
        shares, errors = _estimated(each, orders)
    empty, full = distinct.sum(axis=1) == 0, distinct.all(axis=1)
    return ShapleyShares(names, shares, errors, unit, float(values[full][0] - values[empty][0]))


def _all_sets(count: int) -> BoolArray:
    """All sets of findings, one per row: row k has the findings of the bits of k."""
    numbers = np.arange(2**count)
    sets: BoolArray = (numbers[:, None] >> np.arange(count)) & 1 == 1
    return sets


def _exact(values: FloatArray, count: int) -> FloatArray:
    """The shares from the values of all sets, in the order of :func:`_all_sets`."""
    numbers = np.arange(2**count)
    sizes = _all_sets(count).sum(axis=1)
    weights = np.array([factorial(k) * factorial(count - k - 1) / factorial(count) for k in range(count)])
    shares = np.empty(count)
    for place in range(count):
        without = numbers[(numbers >> place) & 1 == 0]
        shares[place] = weights[sizes[without]] @ (values[without | (1 << place)] - values[without])
    return shares


def _orders(count: int, seed: int) -> IntArray:
    """Random orders of the findings, each followed by its reverse."""
    random = np.random.default_rng(seed)
    drawn = np.stack([random.permutation(count) for _ in range(PAIRS)])
    orders: IntArray = np.stack([drawn, drawn[:, ::-1]], axis=1).reshape(2 * PAIRS, count)
    return orders


def _prefixes(orders: IntArray) -> BoolArray:
    """For each order the sets of its first 0, 1, … findings, one after the other."""
    count = orders.shape[1]
    place = np.argsort(orders, axis=1)
    prefixes: BoolArray = place[:, None, :] < np.arange(count + 1)[None, :, None]
    return prefixes.reshape(-1, count)


def _estimated(values: FloatArray, orders: IntArray) -> tuple[FloatArray, FloatArray]:
    """The mean of what each finding adds, over the orders, and the standard error of that mean."""
    count = orders.shape[1]
    added = np.diff(values.reshape(len(orders), count + 1), axis=1)
    by_finding = np.take_along_axis(added, np.argsort(orders, axis=1), axis=1)
    pairs = by_finding.reshape(-1, 2, count).mean(axis=1)
    return pairs.mean(axis=0), pairs.std(axis=0, ddof=1) / np.sqrt(len(pairs))


def _values(posteriors: FloatArray, state: int, unit: str) -> tuple[FloatArray, str]:
    """v of each set: the log odds of the state, or its probability if asked for or some are infinite."""
    chance = posteriors[:, state]
    against = np.delete(posteriors, state, axis=1).sum(axis=1)
    if unit == "probability" or not (chance > 0).all() or not (against > 0).all():
        return chance, "probability"
    return np.log(chance) - np.log(against), "log odds"


def _posteriors(
    network: FrozenNetwork, question: Question, names: tuple[Name, ...], sets: BoolArray
) -> FloatArray:
    """P(target | the findings of each set), one row per set."""
    if _is_row(network, question):
        return _as_rows(network, question, names, sets)
    rows = []
    for chosen in sets:
        kept = {name for name, inside in zip(names, chosen.tolist(), strict=True) if inside}
        part = replace(
            question,
            evidence={name: value for name, value in question.evidence.items() if name in kept},
            likelihood={name: value for name, value in question.likelihood.items() if name in kept},
        )
        table = ask(network, part).table
        assert table is not None
        rows.append(table)
    return np.stack(rows)


def _is_row(network: FrozenNetwork, question: Question) -> bool:
    """Whether the findings are states only: then sets of them are rows of a table with gaps."""
    states = not any(network.schema[name].is_continuous for name in question.evidence)
    return states and not question.likelihood and not question.do


def _as_rows(
    network: FrozenNetwork, question: Question, names: tuple[Name, ...], sets: BoolArray
) -> FloatArray:
    """The posteriors of all sets in one call: rows that have a gap where a finding is left out."""
    from bayou.inference.rows.batch_posteriors import rows_posteriors

    codes: dict[Name, CodeArray] = {}
    for place, name in enumerate(names):
        kind = code_type(network.schema[name].cardinality)
        found = int(question.evidence[name])
        codes[name] = np.where(sets[:, place], found, missing_code(kind)).astype(kind)
    target = question.targets[0]
    return rows_posteriors(network, [target], codes, {}, len(sets)).tables[target]
