"""Learning dynamic networks with numbers: regressions where everything is known, EM with Kalman's smoother
elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from bayou.distributions import Distribution, LinearGaussian
from bayou.errors import BadData, BadQuestion
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.sequence_fit import warn_of_verdict
from bayou.fitting.sequences.template_fit import COUNT, EM, FittedTemplate, TemplateFitOptions
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning import PriorChoice, estimate
from bayou.learning.em.expectation_maximisation import EMTask
from bayou.learning.em.initial_parameters import starts
from bayou.learning.em.m_step import LearningProblem
from bayou.learning.em.several_starts import learn
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import Variable
from bayou.statistics import CountTable, GroupMoments, Request, Result, Statistics
from bayou.temporal.gaussian_templates.family_statistics import (
    centre_of,
    family_statistics,
    has_few_rows,
    settled_statistics,
    starting_statistics,
)
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.mixed_model import MixedModel
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import Name, Units


@dataclass(frozen=True)
class MixedProblem(LearningProblem):
    """The M-step of templates with numbers: lines without noise stay, and of tables in ``few``, which have
    too few rows for a variance, only a mean is learned.
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
        if present.coefficients.size or present.intercept.size > 1 or not answer.total > 0:
            return present
        return LinearGaussian(answer.mean[..., 0], present.coefficients, present.variance)

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


def mixed_structure(template: DynamicTemplate, variables: Mapping[Name, Variable]) -> Structure:
    """The network of the first slices without parameters."""
    declared = {}
    for label, node in template.behind.items():
        own = variables[node.name]
        declared[label] = own if label == own.name else Variable(label, own.states, ordered=own.ordered)
    structure = Structure(template.dag, declared, template.sharing)
    structure.frozen()  # refuses numbers as parents of states
    return structure


def counted_mixed(
    template: DynamicTemplate, structure: Structure, statistics: Statistics, priors: PriorChoice
) -> FittedTemplate:
    """The tables and lines estimated from statistics of families that are known."""
    settled = settled_statistics(structure.frozen(), template, statistics)
    return FittedTemplate(estimate(structure, settled, priors), statistics, priors, expected=False)


def fit_mixed_template(
    template: DynamicTemplate,
    variables: Mapping[Name, Variable],
    evidence: MixedEvidence,
    priors: PriorChoice,
    how: TemplateFitOptions,
) -> tuple[FittedTemplate, LearningTrace]:
    """Learn all tables and lines from sequences; a table is learned from all slices that use it."""
    if evidence.rows == 0:
        raise BadData("There is no row to learn from: all sequences are empty.")
    structure = mixed_structure(template, variables)
    statistics = family_statistics(structure.frozen(), evidence)
    if how.method in (None, COUNT) and evidence.all_known:
        return counted_mixed(template, structure, statistics, priors), LearningTrace.counted(evidence.rows)
    if how.method == COUNT:
        raise BadQuestion(f'method="count" needs every value, but {_first_gap(evidence, numbers=True)}.')
    if not evidence.states_known:
        raise BadData(
            "The states that switch numbers must be known to learn from them, but "
            f"{_first_gap(evidence, numbers=False)}. Give its states."
        )
    return _climbed(_MixedTask(template, structure, evidence, statistics, priors), how)


@dataclass(frozen=True, eq=False)
class _MixedTask:
    template: DynamicTemplate
    structure: Structure
    evidence: MixedEvidence
    statistics: Statistics
    priors: PriorChoice


def _climbed(task: _MixedTask, how: TemplateFitOptions) -> tuple[FittedTemplate, LearningTrace]:
    template, evidence = task.template, task.evidence
    blank = task.structure.frozen()
    few = [t for t in template.tables if has_few_rows(blank, template, t, task.statistics)]
    problem = MixedProblem(
        task.structure,
        dict(task.structure.declared),
        task.priors,
        few=frozenset(blank.slots[table] for table in few),
    )
    centre = centre_of(evidence)
    counts = _counts_only(task.statistics)
    always_set = _set_statistics(task)

    def expect(network: FrozenNetwork) -> Expectation:
        model = MixedModel(template, network)
        total, found = model.expected(evidence, centre)
        return Expectation(total, model.statistics(found | always_set, counts, task.statistics.rows))

    beginning = starting_statistics(blank, template, task.statistics)
    steps = EMTask(problem, expect, how.settings, evidence.rows, units=_units(task))
    reached = learn(steps, starts(problem, beginning, how.settings.seed, how.start))
    best = reached.best
    assert best is not None
    warn_of_verdict(best.verdict, best.iterations, best.objectives, how.settings)
    gaps, hidden = _unknown(evidence)
    trace = LearningTrace(
        EM,
        best.verdict,
        evidence.rows,
        gaps,
        hidden,
        best.log_likelihoods,
        best.objectives,
        best.iterations,
        reached.finished,
        best.number,
        how.settings.seed,
    )
    final = expect(best.network).statistics
    return FittedTemplate(best.network, final, task.priors, expected=True), trace


def _counts_only(statistics: Statistics) -> Statistics:
    answers: dict[Request, Result] = {
        request: answer for request, answer in statistics.items() if isinstance(request, CountTable)
    }
    return Statistics(answers, statistics.rows)


def _set_statistics(task: _MixedTask) -> dict[Name, GroupMoments]:
    """The moments of the tables of variables that were set in all rows: there is nothing to expect."""
    found: dict[Name, GroupMoments] = {}
    blank = task.structure.frozen()
    for label, node in task.template.behind.items():
        table = task.template.block(node)
        was_set = task.evidence.was_set(node.name)[task.evidence.rows_of_table(table)]
        if node.name not in task.evidence.layout.numbers or not was_set.all():
            continue
        own: GroupMoments = task.statistics[blank.kind(label).needs(blank.family(label))]
        here, there = blank.family(label).axes, blank.family(table).axes
        own = own.renamed({one.name: other.name for one, other in zip(here, there, strict=True)})
        found[table] = found[table] + own if table in found else own
    return found


def _units(task: _MixedTask) -> Units:
    """The mean and the deviation of every variable that varies, by all its names."""
    units: dict[Name, tuple[float, float]] = {}
    for label, node in task.template.behind.items():
        if node.name in task.evidence.layout.numbers:
            values = task.evidence.numbers[:, task.evidence.layout.numbers.index(node.name)]
            known = values[~np.isnan(values)]
            spread = math.sqrt(float(known.var())) if len(known) else 0.0
            units[label] = (float(known.mean()), spread) if spread > 0 else (0.0, 1.0)
    return units


def _first_gap(evidence: MixedEvidence, *, numbers: bool) -> str:
    names = evidence.layout.template.names if numbers else evidence.layout.states
    for name in names:
        begins = evidence.rows_where_it_begins(name)
        gaps = begins[~evidence.known(name)[begins]]
        if len(gaps):
            return f"{name!r} has no value in row {int(gaps[0])} (counting from 0, in the order of time)"
    return "some are missing"


def _unknown(evidence: MixedEvidence) -> tuple[int, tuple[Name, ...]]:
    """(the number of values that are not known, the variables that are never known)."""
    known = {name: evidence.known(name) for name in evidence.layout.template.names}
    hidden = tuple(name for name, own in known.items() if not own.any())
    return sum(int((~own).sum()) for own in known.values()), hidden
