"""Credible intervals of a posterior: its quantiles over random draws of the learned parameters.

The query is answered with many draws of all tables (Dirichlet) and of all Gaussians whose values are given
(normal–inverse-gamma); the interval is between two quantiles of the answers. All rows of a table that have
findings about the same variables are answered with the same draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native._core import FactorTables, InferencePlan
from bayou.distributions import LinearGaussian
from bayou.distributions.gaussian.gaussian_posterior import DrawnLines, drawn_lines, require_line_posterior
from bayou.errors import BadQuestion, TooWide, counted
from bayou.explain.parameter_draws import (
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


@dataclass(frozen=True, eq=False)
class CredibleInterval:
    """The central interval of each entry of a posterior, and the records behind it.

    ``rows`` has, for each table involved, the number (weight) of records it was counted from; a block shared
    by several variables counts the records of all of them. ``expected`` means that the counts are expected
    counts of rows with gaps: missing cells are treated as observed, so the true interval is wider.
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
) -> CredibleInterval:
    """Return quantiles of P(targets | findings) over draws of all parameters from their posteriors.

    With 2,000 draws the ends of a 95 % interval are the 2.5 ± 0.7 % and 97.5 ± 0.7 % quantiles of the true
    distribution (two standard errors of a sampled quantile), however skewed that is.
    """
    drawn = DrawnAnswers(network, question, statistics, priors)
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
        if isinstance(answer, GroupMoments):
            require_line_posterior(answer)
            blocks[block] = answer, answer.total
        else:
            prior = priors.of(block, tuple(users))
            blocks[block] = dirichlet_posterior(answer.values, network.family(users[0]), prior), answer.total
    return blocks


def require_known_posteriors(network: FrozenNetwork, question: Question, names: list[Name]) -> None:
    """Raise BadQuestion if a variable of the question has parameters that cannot be drawn."""
    for name in names:
        kind = network.distribution(name)
        if not (kind.has_dirichlet_posterior or isinstance(kind, LinearGaussian)):
            raise BadQuestion(
                f"Intervals can be computed for tables and Gaussians only; {name!r} has a "
                f"{network.kind(name).title} distribution."
            )
        if network.schema[name].is_continuous and name not in question.evidence:
            what = "asks for" if name in question.targets else "sums over"
            raise BadQuestion(
                "Intervals can be computed for the probabilities of discrete variables, where all continuous "
                f"variables that matter are given; this query {what} the continuous variable {name!r}."
            )


class DrawnAnswers:
    """Answers under draws of all parameters: one plan in which every table is given, with one lane per draw.

    ``question`` has the findings of some row; :meth:`ends` takes rows with findings about the same variables.
    """

    def __init__(
        self, network: FrozenNetwork, question: Question, statistics: Statistics, priors: PriorChoice
    ) -> None:
        self._network, schema = network, network.schema
        names = relevant(network, question)
        require_known_posteriors(network, question, names)
        self._fixed = {**question.evidence, **question.do}
        # The density of a number whose parents are all given is a constant.
        names = [name for name in names if not (schema[name].is_continuous and not self._hidden(name))]
        learned = parameter_posteriors(network, statistics, priors, names)
        self.records = {name: learned[network.slots[name]][1] for name in names}
        self._posteriors = {block: source for block, (source, _) in learned.items()}
        self._tables = [name for name in names if not schema[name].is_continuous]
        # Gaussians by their hidden parents: densities over the same parents are multiplied as logs.
        self._gaussians: dict[tuple[int, ...], list[Name]] = {}
        for name in names:
            if schema[name].is_continuous:
                self._gaussians.setdefault(self._hidden(name), []).append(name)
        self.gaussians = len(names) - len(self._tables)
        self._compile(question)

    def _hidden(self, name: Name) -> tuple[int, ...]:
        """The numbers of the discrete parents that are not given."""
        parents = self._network.discrete_parents(name)
        return tuple(self._network.schema.index(p.name) for p in parents if p.name not in self._fixed)

    def _compile(self, question: Question) -> None:
        """Compile the plan, unless its runs would be too long."""
        network, schema = self._network, self._network.schema
        discrete = replace(
            question, evidence=_of_states(network, question.evidence), do=_of_states(network, question.do)
        )
        signature, findings = signature_of(network, self._tables, discrete)
        self._likelihoods = [np.repeat(weights[..., None], LANES, axis=-1) for weights in findings.given]
        self._observed = [schema.names[number] for number in signature.observed]
        families = [(*network.parents(name), schema[name]) for name in self._tables]
        scopes = [[schema.index(member.name) for member in family] for family in families]
        targets = [schema.index(name) for name in question.targets]
        try:
            self._plan = InferencePlan(
                FactorTables([max(variable.cardinality, 1) for variable in schema], [], []),
                [],
                [*scopes, *(list(scope) for scope in (*signature.given, *self._gaussians))],
                list(signature.observed),
                targets,
                [],
                LANES,
            )
        except ValueError as error:
            raise TooWide(f"This interval is too wide: {error}. {REMEDIES}") from None
        cells = float(sum(network.table(name).size for name in self._tables))
        self._work = (self._plan.entries + cells) * DRAWS
        if self._plan.bytes + 4 * 8 * LANES * cells > current_limits().memory:
            self._refuse(1)
        rank = self._plan.rank
        stored = sorted(targets, key=lambda number: rank[number])
        self._stored_shape = [schema.variables[number].cardinality for number in stored]
        self._order = [stored.index(number) for number in targets]
        self._shape = tuple(schema.variables[number].cardinality for number in targets)

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
        for start in range(0, rows, step):
            part = slice(start, min(rows, start + step))
            some = {name: column[part] for name, column in findings.items()}
            lower[part], upper[part] = central_ends(self._answers(some, part.stop - start), mass)
        return lower, upper

    def _answers(self, findings: Mapping[Name, npt.NDArray[Any]], rows: int) -> FloatArray:
        """P(targets | findings), NaN if impossible: axes of rows, of the targets, and of the draws."""
        random = np.random.default_rng(SEED)
        codes = np.zeros((rows, len(self._observed)), dtype=np.uint32)
        for place, name in enumerate(self._observed):
            codes[:, place] = findings[name]
        answers = np.empty((rows, *self._shape, DRAWS))
        for start in range(0, DRAWS, LANES):
            drawn, lines = self._draw(random)
            tables = [drawn[self._network.slots[name]] for name in self._tables]
            end = min(DRAWS, start + LANES)
            for row in range(rows):
                densities = self._densities(lines, {name: column[row] for name, column in findings.items()})
                _, flat, _ = self._plan.run(codes[row], [*tables, *self._likelihoods, *densities])
                table = flat.reshape(*self._stored_shape, LANES).transpose([*self._order, len(self._order)])
                answers[row, ..., start:end] = table[..., : end - start]
        possible = answers.sum(axis=tuple(range(1, answers.ndim - 1)), keepdims=True) > 0
        return answers if possible.all() else np.where(possible, answers, np.nan)

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

    def _densities(self, drawn: Mapping[Name, DrawnLines], fixed: Mapping[Name, Any]) -> list[FloatArray]:
        """The densities of the row's numbers, over hidden parents and draws; the largest of a draw is 1."""
        factors: list[FloatArray] = []
        for scope, names in self._gaussians.items():
            logs = np.zeros((*(self._network.schema.variables[n].cardinality for n in scope), LANES))
            for name in names:
                inputs = np.array([fixed[p.name] for p in self._network.continuous_parents(name)])
                density = drawn[self._network.slots[name]].log_density(fixed[name], inputs)
                states = [
                    int(fixed[p.name]) if p.name in self._fixed else slice(None)
                    for p in self._network.discrete_parents(name)
                ]
                logs += density[tuple(states)]
            logs -= logs.reshape(-1, LANES).max(axis=0)
            factors.append(np.ascontiguousarray(np.exp(logs)))
        return factors


def _of_states(network: FrozenNetwork, findings: Mapping[Name, Finding]) -> dict[Name, Finding]:
    """The findings about discrete variables."""
    return {name: value for name, value in findings.items() if not network.schema[name].is_continuous}
