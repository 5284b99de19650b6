"""Credible intervals of a posterior: its quantiles over random draws of the learned parameters.

The query is answered with many draws of all tables (Dirichlet) and of all Gaussians that matter
(normal–inverse-gamma); the interval is between two quantiles of the answers: of each probability of discrete
targets, of the mean of continuous ones. All rows of a table that have findings about the same variables are
answered with the same draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native._core import FactorTables, InferencePlan
from bayou.distributions import LinearGaussian
from bayou.distributions.gaussian.gaussian_posterior import DrawnLines, drawn_lines, require_line_posterior
from bayou.distributions.gaussian.virtual_rows import with_virtual_rows
from bayou.errors import BadQuestion, TooWide, counted
from bayou.explain.intervals.drawn_gaussians import DrawnGaussians
from bayou.explain.intervals.drawn_marginals import draws_with_marginals
from bayou.explain.intervals.parameter_draws import (
    ANSWERS_AT_A_TIME,
    DRAWS,
    LANES,
    SEED,
    central_ends,
    dirichlet_posterior,
    drawn_tables,
)
from bayou.inference import Question, relevant
from bayou.inference.exact.compiled_query import signature_of
from bayou.inference.exact.plan_cache import REMEDIES
from bayou.inference.question import Finding
from bayou.learning import PriorChoice
from bayou.learning.parameters import pooled_answer, requests_for
from bayou.memory import current_limits
from bayou.networks import FrozenNetwork, Structure
from bayou.statistics import GroupMoments, Statistics
from bayou.typing import FloatArray, Name

LARGEST_WORK = 2.0**36
"""The most table entries that all draws together may go through (minutes of work)."""
NUMBERS_AT_A_TIME = 2**22
"""The most densities (rows × combinations of states × draws) that are made at a time: 32 MiB."""


@dataclass(frozen=True, eq=False)
class CredibleInterval:
    """The central interval of each entry of a posterior (or of its means), and the records behind it.

    ``rows`` has, for each distribution involved, the number (weight) of records it was learned from; a block
    shared by several variables counts the records of all of them. ``expected`` means that the counts are
    expected counts of rows with gaps: missing cells are treated as observed, so the true interval is wider.
    ``gaussians`` of the distributions are Gaussians, the others are tables.
    """

    mass: float
    lower: FloatArray
    upper: FloatArray
    rows: dict[Name, float]
    draws: int
    seed: int
    expected: bool = False
    gaussians: int = 0


def credible_interval(
    network: FrozenNetwork,
    question: Question,
    statistics: Statistics,
    priors: PriorChoice,
    mass: float = 0.95,
    marginals: Mapping[Name, FloatArray] | None = None,
) -> CredibleInterval:
    """Return quantiles of P(targets | findings) over draws of all parameters from their posteriors.

    Continuous targets have quantiles of their means (a single one has two numbers). ``marginals`` are those
    that variables have after the update (Jeffrey's rule), in every draw. With 2,000 draws the ends of a 95 %
    interval are the 2.5 ± 0.7 % and 97.5 ± 0.7 % quantiles of the true distribution (two standard errors of a
    sampled quantile), however skewed that is.
    """
    drawn = DrawnAnswers(network, question, statistics, priors, marginals)
    fixed = {**question.evidence, **question.do}
    lower, upper = drawn.ends({name: np.array([value]) for name, value in fixed.items()}, 1, mass)
    found = lower[0], upper[0], drawn.records, DRAWS, SEED
    return CredibleInterval(float(mass), *found, gaussians=drawn.gaussians)


def parameter_posteriors(
    network: FrozenNetwork, statistics: Statistics, priors: PriorChoice, names: list[Name]
) -> dict[Name, tuple[FloatArray | GroupMoments, float]]:
    """Return for each block of these variables what its draws come from, and the number of records.

    Draws come from counts + pseudocounts of a table, and from the moments of a Gaussian.
    """
    variables = {variable.name: variable for variable in network.schema}
    requests = requests_for(Structure(network.dag, variables, network.sharing), variables)
    blocks: dict[Name, tuple[FloatArray | GroupMoments, float]] = {}
    for block in dict.fromkeys(network.slots[name] for name in names):
        users = [name for name in network.dag.nodes if network.slots[name] == block]
        answer = pooled_answer(network, users, {name: statistics[requests[name]] for name in users})
        prior = priors.of(block, tuple(users))
        if isinstance(answer, GroupMoments):
            known = with_virtual_rows(answer, prior)
            require_line_posterior(known)
            blocks[block] = known, answer.total
        else:
            blocks[block] = dirichlet_posterior(answer.values, network.family(users[0]), prior), answer.total
    return blocks


def require_known_posteriors(network: FrozenNetwork, names: list[Name]) -> None:
    """Raise BadQuestion if a variable that matters has parameters that cannot be drawn."""
    for name in names:
        kind = network.distribution(name)
        if not (kind.has_dirichlet_posterior or isinstance(kind, LinearGaussian)):
            raise BadQuestion(
                f"Intervals can be computed for tables and Gaussians only; {name!r} has a "
                f"{network.kind(name).title} distribution. Ask without interval=."
            )


class DrawnAnswers:
    """Answers under draws of all parameters: one plan in which every table is given, with one lane per draw.

    ``question`` has the findings of some row; :meth:`ends` takes rows with findings about the same variables.
    """

    def __init__(
        self,
        network: FrozenNetwork,
        question: Question,
        statistics: Statistics,
        priors: PriorChoice,
        marginals: Mapping[Name, FloatArray] | None = None,
    ) -> None:
        self._network, schema = network, network.schema
        self._required = dict(marginals or {})
        self._fixed = {**question.evidence, **question.do}
        wanted = dict.fromkeys((*question.targets, *self._required))
        names = relevant(network, replace(question, targets=tuple(wanted)))
        names = [name for name in names if not self._is_constant(name)]
        require_known_posteriors(network, names)
        real = [name for name in names if schema[name].is_continuous]
        self._means = [name for name in question.targets if schema[name].is_continuous]
        self._numbers = DrawnGaussians(network, real, list(self._fixed), self._means)
        if self._means and not self._numbers.border:
            # The means depend on no hidden state, so that no table matters.
            names = list(self._numbers.names)
        names = [name for name in names if not schema[name].is_continuous or name in self._numbers.names]
        # The axes of the plan's answer: first those that the result has, or that its means depend on.
        self._kept = self._numbers.border if self._means else question.targets
        self._axes = (*self._kept, *(name for name in self._required if name not in self._kept))
        learned = parameter_posteriors(network, statistics, priors, names)
        self.records = {name: learned[network.slots[name]][1] for name in names}
        self._posteriors = {block: source for block, (source, _) in learned.items()}
        self._tables = [name for name in names if not schema[name].is_continuous]
        self.gaussians = len(names) - len(self._tables)
        sizes = [schema[name].cardinality for name in self._kept]
        if self._means:
            sizes = [len(self._means)] if len(self._means) > 1 else []
        self._shape = tuple(sizes)
        self._work = self._numbers.work * DRAWS
        self._plan = self._compiled(question) if self._kept else None

    def _is_constant(self, name: Name) -> bool:
        """Whether a number and all its parents are given: its density is then a constant."""
        return self._network.schema[name].is_continuous and all(
            member in self._fixed for member in self._network.family(name).names
        )

    def _compiled(self, question: Question) -> InferencePlan:
        """Compile the plan, unless its runs would be too long."""
        network, schema = self._network, self._network.schema
        discrete = replace(
            question,
            targets=(),
            evidence=_of_states(network, question.evidence),
            do=_of_states(network, question.do),
        )
        signature, findings = signature_of(network, self._tables, discrete)
        self._likelihoods = [np.repeat(weights[..., None], LANES, axis=-1) for weights in findings.given]
        self._observed = [schema.names[number] for number in signature.observed]
        families = [(*network.parents(name), schema[name]) for name in self._tables]
        scopes = [[schema.index(member.name) for member in family] for family in families]
        targets = [schema.index(name) for name in self._axes]
        try:
            plan = InferencePlan(
                FactorTables([max(variable.cardinality, 1) for variable in schema], [], []),
                [],
                [*scopes, *(list(scope) for scope in (*signature.given, *self._numbers.scopes))],
                list(signature.observed),
                targets,
                [],
                LANES,
            )
        except ValueError as error:
            raise TooWide(f"This interval is too wide: {error}. {REMEDIES}") from None
        cells = float(sum(network.table(name).size for name in self._tables))
        joint = float(prod(schema[name].cardinality for name in self._axes))
        self._work += (plan.entries + cells) * DRAWS
        if plan.bytes + 4 * 8 * LANES * (cells + joint) > current_limits().memory:
            self._refuse(1)
        rank = plan.rank
        stored = sorted(targets, key=lambda number: rank[number])
        self._stored_shape = [schema.variables[number].cardinality for number in stored]
        self._order = [stored.index(number) for number in targets]
        return plan

    def _refuse(self, rows: int) -> None:
        asked = "this query" if rows == 1 else f"the query of each of {counted(rows, 'different row')}"
        raise TooWide(
            f"Intervals answer {asked} {DRAWS:,} times, through {rows * self._work:.3g} table entries in all "
            f"(limit {LARGEST_WORK:.3g}). {REMEDIES}"
        )

    def ends(
        self, findings: Mapping[Name, npt.NDArray[Any]], rows: int, mass: float
    ) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper ends for each row: axes of rows, then of the targets.

        ``findings`` has the codes or numbers of each row, of the variables that the question has fixed.
        """
        if rows * self._work > LARGEST_WORK:
            self._refuse(rows)
        lower, upper = np.empty((rows, *self._shape)), np.empty((rows, *self._shape))
        step = max(1, ANSWERS_AT_A_TIME // (DRAWS * prod(self._shape)))
        for scope in self._numbers.scopes:
            combinations = prod(self._network.schema.variables[number].cardinality for number in scope)
            step = max(1, min(step, NUMBERS_AT_A_TIME // (LANES * combinations)))
        for start in range(0, rows, step):
            part = slice(start, min(rows, start + step))
            some = {name: column[part] for name, column in findings.items()}
            lower[part], upper[part] = central_ends(self._answers(some, part.stop - start), mass)
        return lower, upper

    def _answers(self, findings: Mapping[Name, npt.NDArray[Any]], rows: int) -> FloatArray:
        """P(targets | findings) or their means, NaN if impossible: axes of rows, of the targets, of draws."""
        random = np.random.default_rng(SEED)
        answers = np.empty((rows, *self._shape, DRAWS))
        for start in range(0, DRAWS, LANES):
            tables, lines = self._draw(random)
            drawn = self._numbers.under(lines)
            end = min(DRAWS, start + LANES)
            for row, table in enumerate(self._joint_tables(tables, drawn, findings, rows)):
                if self._means:
                    alone = {name: column[row : row + 1] for name, column in findings.items()}
                    means = _averages(table, self._numbers.means(drawn, alone))
                    table = means.reshape(*self._shape, LANES)
                answers[row, ..., start:end] = table[..., : end - start]
        return answers

    def _joint_tables(
        self,
        tables: Mapping[Name, FloatArray],
        drawn: FrozenNetwork,
        findings: Mapping[Name, npt.NDArray[Any]],
        rows: int,
    ) -> Iterator[FloatArray]:
        """Yield P(kept variables | findings) of each row; the last axis are the draws; NaN: impossible."""
        if self._plan is None:
            for _ in range(rows):
                yield np.ones(LANES)
            return
        codes = np.zeros((rows, len(self._observed)), dtype=np.uint32)
        for place, name in enumerate(self._observed):
            codes[:, place] = findings[name]
        given = [*(tables[self._network.slots[name]] for name in self._tables), *self._likelihoods]
        densities = self._numbers.densities(drawn, findings)
        required = {self._axes.index(name): weights for name, weights in self._required.items()}
        others = tuple(range(len(self._kept), len(self._axes)))
        for row in range(rows):
            numbers = [np.ascontiguousarray(part[row]) for part in densities]
            _, flat, _ = self._plan.run(codes[row], [*given, *numbers])
            table = flat.reshape(*self._stored_shape, LANES).transpose([*self._order, len(self._order)])
            if required:
                table = draws_with_marginals(table, required)
            possible = table.sum(axis=tuple(range(len(self._axes)))) > 0
            table = table.sum(axis=others) if others else table
            yield table if possible.all() else np.where(possible, table, np.nan)

    def _draw(self, random: np.random.Generator) -> tuple[dict[Name, FloatArray], dict[Name, DrawnLines]]:
        """Some draws of the tables and of the lines of Gaussians, by block."""
        tables: dict[Name, FloatArray] = {}
        lines: dict[Name, DrawnLines] = {}
        for block, source in self._posteriors.items():
            if isinstance(source, GroupMoments):
                lines[block] = drawn_lines(source, LANES, random)
            else:
                tables[block] = drawn_tables(source, random)
        return tables, lines


def _averages(shares: FloatArray, means: FloatArray) -> FloatArray:
    """Σ over the states of the border of share · mean: axes of targets and draws."""
    weighed: FloatArray = (shares[..., None] * means).reshape(-1, *means.shape[-2:]).sum(axis=0).T
    return weighed


def _of_states(network: FrozenNetwork, findings: Mapping[Name, Finding]) -> dict[Name, Finding]:
    """The findings about discrete variables."""
    return {name: value for name, value in findings.items() if not network.schema[name].is_continuous}
