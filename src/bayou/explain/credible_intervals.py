"""Credible intervals of a posterior: its quantiles over random draws of the tables.

Each row of a table with counts n and pseudocounts α has the posterior Dirichlet(n + α). The query is answered
with many draws of all tables, and the interval is between two quantiles of the answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou._native._core import FactorTables, InferencePlan
from bayou.errors import BadPrior, BadQuestion, TooWide, counted
from bayou.inference import Question, relevant
from bayou.inference.exact.compiled_query import signature_of
from bayou.inference.exact.plan_cache import REMEDIES
from bayou.learning import PriorChoice
from bayou.learning.parameters import pooled_answer, requests_for
from bayou.memory import current_limits
from bayou.networks import FrozenNetwork, Structure
from bayou.statistics import Statistics
from bayou.typing import FloatArray, Name

DRAWS = 2_000
SEED = 20_250_101
LANES = 64
"""The number of draws that a plan computes together."""
LARGEST_WORK = 2.0**36
"""The most table entries that all draws together may go through (minutes of work)."""


@dataclass(frozen=True, eq=False)
class CredibleInterval:
    """The central interval of each entry of a posterior, and the records behind it.

    ``rows`` has, for each table involved, the number (weight) of records it was counted from; a block shared
    by several variables counts the records of all of them. ``expected`` means that the counts are expected
    counts of rows with gaps: missing cells are treated as observed, so the true interval is wider.
    """

    mass: float
    lower: FloatArray
    upper: FloatArray
    rows: dict[Name, float]
    draws: int
    seed: int
    expected: bool = False


def dirichlet_parameters(
    network: FrozenNetwork, statistics: Statistics, priors: PriorChoice, names: list[Name]
) -> dict[Name, tuple[FloatArray, float]]:
    """Return for each block of these discrete variables counts + pseudocounts, and the number of records."""
    variables = {variable.name: variable for variable in network.schema}
    requests = requests_for(Structure(network.dag, variables, network.sharing), variables)
    blocks: dict[Name, tuple[FloatArray, float]] = {}
    for block in dict.fromkeys(network.slots[name] for name in names):
        users = [name for name in network.dag.nodes if network.slots[name] == block]
        counts = pooled_answer(network, users, {name: statistics[requests[name]] for name in users})
        family = network.family(users[0])
        prior = priors.of(block, tuple(users))
        alpha = counts.values + prior.pseudocounts(family.child, family.parents)
        empty = int((alpha.sum(axis=-1) <= 0).sum())
        if empty:
            raise BadPrior(
                f"Neither records nor a prior: {counted(empty, 'row')} of the table of {users[0]!r}, whose "
                "uncertainty is therefore unknown. Fit with a prior such as Laplace(1)."
            )
        blocks[block] = np.asarray(alpha, dtype=np.float64), counts.total
    return blocks


def credible_interval(
    network: FrozenNetwork,
    question: Question,
    statistics: Statistics,
    priors: PriorChoice,
    mass: float = 0.95,
    draws: int = DRAWS,
    seed: int = SEED,
) -> CredibleInterval:
    """Return quantiles of P(targets | findings) over draws of every table from its Dirichlet posterior.

    With 2,000 draws the ends of a 95 % interval are the 2.5 ± 0.7 % and 97.5 ± 0.7 % quantiles of the true
    distribution (two standard errors of a sampled quantile), however skewed that is.
    """
    if not 0 < mass < 1:
        raise BadQuestion(f"interval={mass!r}: give its probability, a number between 0 and 1 such as 0.95.")
    names = relevant(network, question)
    real = [name for name in (*names, *question.do) if network.schema[name].is_continuous]
    if real:
        raise BadQuestion(
            "Intervals can be computed for discrete variables only; this query involves the continuous "
            f"variable {real[0]!r}."
        )
    others = [name for name in names if not network.distribution(name).has_dirichlet_posterior]
    if others:
        raise BadQuestion(
            f"Intervals can be computed for tables only; {others[0]!r} has a "
            f"{network.kind(others[0]).title} distribution."
        )
    learned = dirichlet_parameters(network, statistics, priors, names)
    run = _Draws(network, question, names)
    random = np.random.default_rng(seed)
    answers = []
    for start in range(0, draws, LANES):
        tables = {block: _drawn(alpha, random) for block, (alpha, _) in learned.items()}
        answers.append(run.answers(tables)[..., : draws - start])
    tail = (1 - mass) / 2
    # Draws under which the findings are impossible (NaN) are ignored.
    lower, upper = np.nanquantile(np.concatenate(answers, axis=-1), [tail, 1 - tail], axis=-1)
    rows = {name: learned[network.slots[name]][1] for name in names}
    return CredibleInterval(float(mass), lower, upper, rows, draws, seed)


class _Draws:
    """One plan in which every table is a given factor, with one lane per draw."""

    def __init__(self, network: FrozenNetwork, question: Question, names: list[Name]) -> None:
        schema = network.schema
        signature, self.findings = signature_of(network, names, question)
        families = [(*network.parents(name), schema[name]) for name in names]
        scopes = [[schema.index(member.name) for member in family] for family in families]
        self.blocks = [network.slots[name] for name in names]
        self.targets = [schema.index(name) for name in question.targets]
        try:
            self.plan = InferencePlan(
                FactorTables([max(variable.cardinality, 1) for variable in schema], [], []),
                [],
                [*scopes, *(list(scope) for scope in signature.given)],
                list(signature.observed),
                self.targets,
                [],
                LANES,
            )
        except ValueError as error:
            raise TooWide(f"This interval is too wide: {error}. {REMEDIES}") from None
        cells = float(sum(network.table(name).size for name in names))
        work = (self.plan.entries + cells) * DRAWS
        if self.plan.bytes + 4 * 8 * LANES * cells > current_limits().memory or work > LARGEST_WORK:
            raise TooWide(
                f"Intervals answer this query {DRAWS:,} times, through {work:.3g} table entries in all "
                f"(limit {LARGEST_WORK:.3g}). {REMEDIES}"
            )
        rank = self.plan.rank
        self.stored = sorted(self.targets, key=lambda number: rank[number])
        self.sizes = [schema.variables[number].cardinality for number in self.stored]

    def answers(self, tables: dict[Name, FloatArray]) -> FloatArray:
        """P(targets | findings) under each draw: axes in the order of the targets, then the draws."""
        given = [np.repeat(weights[..., None], LANES, axis=-1) for weights in self.findings.given]
        _, flat, _ = self.plan.run(self.findings.codes, [*(tables[block] for block in self.blocks), *given])
        order = [self.stored.index(number) for number in self.targets]
        table = flat.reshape(*self.sizes, LANES).transpose([*order, len(order)])
        return np.asarray(table)


def _drawn(alpha: FloatArray, random: np.random.Generator) -> FloatArray:
    """Tables of shape (parents …, states, draws), each row from its Dirichlet distribution.

    Gamma draws are made in logs, Γ(a) = Γ(a + 1) · U^(1/a), so that tiny pseudocounts do not underflow.
    """
    shape = (*alpha.shape, LANES)
    spread = np.broadcast_to(alpha[..., None], shape)
    with np.errstate(divide="ignore"):
        logs = np.log(random.standard_gamma(spread + 1)) + np.log(random.random(shape)) / spread
    logs -= logs.max(axis=-2, keepdims=True)
    weights = np.exp(logs)
    table: FloatArray = np.ascontiguousarray(weights / weights.sum(axis=-2, keepdims=True))
    return table
