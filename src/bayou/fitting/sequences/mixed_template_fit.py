"""Learning dynamic networks with numbers: regressions where everything is known, EM with Kalman's smoother
where all states are known, EM with paths of states elsewhere.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bayou.distributions import Distribution, LinearGaussian
from bayou.errors import BadData, BadQuestion
from bayou.fitting.checkpoint import Checkpoint
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.sequence_fit import warn_of_verdict
from bayou.fitting.sequences.sequence_identity import fingerprint
from bayou.fitting.sequences.template_fit import (
    COUNT,
    FittedTemplate,
    TemplateFitOptions,
    template_structure,
    to_be_learned,
)
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning import PriorChoice, estimate
from bayou.learning.em.expectation_maximisation import EMTask, climb
from bayou.learning.em.initial_parameters import starts
from bayou.learning.em.m_step import LearningProblem
from bayou.learning.em.monte_carlo import NoisyClimb
from bayou.learning.em.several_starts import learn
from bayou.learning.em.trace import INTERRUPTED
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import Variable
from bayou.statistics import GroupMoments, Statistics
from bayou.temporal.gaussian_templates.evidence_summary import EvidenceSummary
from bayou.temporal.gaussian_templates.expected_families import ExpectedFamilies
from bayou.temporal.gaussian_templates.family_statistics import (
    has_few_rows,
    settled_statistics,
    starting_statistics,
    statistics_of,
)
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.templates.evidence_parts import EvidenceParts
from bayou.temporal.templates.hidden_state_order import sorted_states, statistics_in_order
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import IntArray, Name

_RUNS = 8
"""The likelihood of learned parameters is estimated by so many runs of the particles."""


@dataclass(frozen=True)
class MixedProblem(LearningProblem):
    """The M-step of templates with numbers: lines without noise stay, and of tables in ``few``, which have
    too few rows for a variance, only means are learned.
    """

    few: frozenset[Name] = field(default_factory=frozenset)

    def _better(self, block: Name, present: Distribution, known: Statistics) -> Distribution:
        if not isinstance(present, LinearGaussian):
            return super()._better(block, present, known)
        if _has_no_noise(present):
            return present
        if block not in self.few:
            return super()._better(block, present, known)
        answer = self.expected_answer(block, known)
        if present.coefficients.size or not answer.total > 0:
            return present
        means = np.where(answer.n > 0, answer.mean[..., 0], present.intercept)
        return LinearGaussian(means, present.coefficients, present.variance)

    def rounding(self, network: FrozenNetwork, statistics: Statistics) -> float:
        """An estimate of the rounding error of the log-likelihood."""
        found = 0.0
        for block in self.users:
            node, answer = network.blocks[block], self.expected_answer(block, statistics)
            if answer is not None and not (isinstance(node, LinearGaussian) and _has_no_noise(node)):
                found += node.rounding(answer)
        return found


def _has_no_noise(line: LinearGaussian) -> bool:
    return bool((line.variance == 0).any())


def counted_mixed(
    template: DynamicTemplate, structure: Structure, statistics: Statistics, priors: PriorChoice
) -> FittedTemplate:
    """The tables and lines estimated from statistics of families that are known."""
    settled = settled_statistics(structure.frozen(), template, statistics)
    return FittedTemplate(estimate(structure, settled, priors), statistics, priors, expected=False)


def fit_mixed_template(
    template: DynamicTemplate,
    variables: Mapping[Name, Variable],
    evidence: EvidenceParts[MixedEvidence],
    priors: PriorChoice,
    how: TemplateFitOptions,
) -> tuple[FittedTemplate, LearningTrace]:
    """Learn all tables and lines from sequences; a table is learned from all slices that use it."""
    if evidence.rows == 0:
        raise BadData("There is no row to learn from: all sequences are empty.")
    structure = template_structure(template, variables)
    statistics = statistics_of(structure.frozen(), evidence)
    summary = EvidenceSummary.of(evidence)
    if how.method in (None, COUNT) and summary.first_gap is None:
        return counted_mixed(template, structure, statistics, priors), LearningTrace.counted(evidence.rows)
    if how.method == COUNT:
        assert summary.first_gap is not None
        name, row = summary.first_gap
        raise BadQuestion(
            f'method="count" needs every value, but {name!r} has no value in row {row} (counting from 0, in '
            "the order of time)."
        )
    return _climbed(_MixedTask(template, structure, evidence, statistics, summary, priors), how)


@dataclass(frozen=True, eq=False)
class _MixedTask:
    template: DynamicTemplate
    structure: Structure
    evidence: EvidenceParts[MixedEvidence]
    statistics: Statistics
    """Of the families that are known."""
    summary: EvidenceSummary
    priors: PriorChoice

    @cached_property
    def problem(self) -> MixedProblem:
        """The M-step."""
        blank, template = self.structure.frozen(), self.template
        known, sequences = self.summary.states_known, self.statistics.rows
        few_blocks = frozenset(
            blank.slots[table]
            for table in template.tables
            if has_few_rows(blank, template, table, sequences, states_known=known)
        )
        return MixedProblem(self.structure, dict(self.structure.declared), self.priors, few=few_blocks)

    @cached_property
    def families(self) -> ExpectedFamilies:
        """The E-step."""
        return ExpectedFamilies(
            self.template,
            self.structure.frozen(),
            self.evidence,
            self.summary.centre,
            self._set_moments(),
            self.statistics.rows,
        )

    def _set_moments(self) -> dict[Name, GroupMoments]:
        """The moments of the tables of variables that were set in all rows: there is nothing to expect."""
        found: dict[Name, GroupMoments] = {}
        blank = self.structure.frozen()
        for label, node in self.template.behind.items():
            table = self.template.block(node)
            if node.name not in self.summary.numbers or not self._always_set(table, node.name):
                continue
            own: GroupMoments = self.statistics[blank.kind(label).needs(blank.family(label))]
            here, there = blank.family(label).axes, blank.family(table).axes
            own = own.renamed({one.name: other.name for one, other in zip(here, there, strict=True)})
            found[table] = found[table] + own if table in found else own
        return found

    def _always_set(self, table: Name, name: Name) -> bool:
        return all(part.was_set(name)[part.rows_of_table(table)].all() for part in self.evidence)

    def identity(self) -> str:
        """A text that identifies the sequences, and which values were set by somebody."""
        check = 0
        for part in self.evidence:
            for cells in (part.set_numbers, part.set_codes):
                check = zlib.crc32(np.ascontiguousarray(cells).tobytes(), check)
        return f"{fingerprint(self.evidence.sequences)} {check:08x}"


def _climbed(task: _MixedTask, how: TemplateFitOptions) -> tuple[FittedTemplate, LearningTrace]:
    template, families, settings = task.template, task.families, how.particles
    noisy = not task.summary.states_known and families.needs_particles

    def expect(network: FrozenNetwork) -> Expectation:
        return families.expected(network, settings)

    def expect_anew(network: FrozenNetwork, start: int, iteration: int) -> Expectation:
        return families.expected(network, settings.another(start, iteration))

    errors: list[tuple[FrozenNetwork, float]] = []

    def evaluate(network: FrozenNetwork) -> float:
        log, error = families.log_likelihood(network, settings, _RUNS)
        errors.append((network, error))
        return log

    beginning = starting_statistics(task.structure.frozen(), template, task.statistics)
    units = task.summary.units(template)
    steps = EMTask(task.problem, expect, how.settings, task.evidence.rows, units=units)
    choices = {"particles": f"{settings.particles} {settings.paths}"} if noisy else {}
    key = to_be_learned(task.problem, template, how, task.identity, choices)
    with Checkpoint.at(how.checkpoint, key) as file:
        reached = learn(
            steps,
            starts(task.problem, beginning, how.settings.seed, how.start),
            NoisyClimb(expect_anew, evaluate) if noisy else climb,
            resumed=file.resumed,
            keep=file.keep,
        )
    best = reached.best
    assert best is not None
    warn_of_verdict(best.verdict, best.iterations, best.objectives, how.settings)
    network, final, error = best.network, best.statistics, math.nan
    if best.verdict != INTERRUPTED or final is None:
        orders: Mapping[Name, IntArray] = {}
        if how.start is None and not task.priors.by_name:
            network, orders = sorted_states(template, network, task.summary.hidden)
        if noisy and final is not None:
            # The parameters come from statistics that were averaged over many steps.
            final = statistics_in_order(template, final, orders)
        else:
            final = expect(network).statistics
        if noisy and not any(one is best.network for one, _ in errors):
            evaluate(best.network)  # it was reached before an interruption
        error = next((error for one, error in errors if one is best.network), 0.0)
    trace = LearningTrace.climbed(
        reached,
        task.evidence.rows,
        task.summary.gaps,
        task.summary.hidden,
        particles=settings.particles if noisy else 0,
        error=error if noisy else 0.0,
    )
    return FittedTemplate(network, final, task.priors, expected=True), trace
