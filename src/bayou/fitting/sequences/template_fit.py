"""Learning dynamic networks: counting where everything is known, EM elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from bayou.errors import BadData, BadQuestion
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.sequence_fit import warn_of_verdict
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning import PriorChoice, estimate
from bayou.learning.em.expectation_maximisation import EMTask
from bayou.learning.em.initial_parameters import starts
from bayou.learning.em.m_step import LearningProblem
from bayou.learning.em.several_starts import learn
from bayou.learning.em.trace import Settings
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import Variable
from bayou.statistics import Statistics
from bayou.temporal.templates.family_counts import all_known, family_counts, unknown_cells
from bayou.temporal.templates.slice_evidence import KNOWN, SliceEvidence
from bayou.temporal.templates.template import DynamicTemplate
from bayou.temporal.templates.template_model import PlanMemory, TemplateModel
from bayou.typing import Name

EM, COUNT = "em", "count"
METHODS = (EM, COUNT)


@dataclass(frozen=True)
class TemplateFitOptions:
    """The user's options for learning a dynamic network."""

    method: str | None = None
    settings: Settings = field(default_factory=Settings)
    start: FrozenNetwork | None = None


@dataclass(frozen=True)
class FittedTemplate:
    """The tables of a dynamic network, the statistics they were estimated from, and whether these are
    expected.
    """

    network: FrozenNetwork
    statistics: Statistics
    priors: PriorChoice
    expected: bool


def template_structure(template: DynamicTemplate, variables: Mapping[Name, Variable]) -> Structure:
    """The network of the first slices without parameters."""
    declared = {}
    for label, node in template.behind.items():
        own = variables[node.name]
        declared[label] = own if label == own.name else Variable(label, own.states, ordered=own.ordered)
    return Structure(template.dag, declared, template.sharing)


def fit_template(
    template: DynamicTemplate,
    variables: Mapping[Name, Variable],
    evidence: SliceEvidence,
    priors: PriorChoice,
    how: TemplateFitOptions,
    memory: PlanMemory,
) -> tuple[FittedTemplate, LearningTrace]:
    """Learn all tables from sequences: the counts of all slices that use a table are added up."""
    if evidence.rows == 0:
        raise BadData("There is no row to learn from: all sequences are empty.")
    structure = template_structure(template, variables)
    statistics = family_counts(structure.frozen(), evidence)
    if how.method in (None, COUNT) and all_known(evidence):
        return counted(structure, statistics, priors), LearningTrace.counted(evidence.rows)
    if how.method == COUNT:
        raise BadQuestion(_why_not_counted(evidence))
    problem = LearningProblem(structure, dict(structure.declared), priors)

    def expect(network: FrozenNetwork) -> Expectation:
        return Expectation(*TemplateModel(template, network, memory).expected(evidence))

    task = EMTask(problem, expect, how.settings, evidence.rows)
    reached = learn(task, starts(problem, statistics, how.settings.seed, how.start))
    best = reached.best
    assert best is not None
    _, expected = TemplateModel(template, best.network, memory).expected(evidence)
    warn_of_verdict(best.verdict, best.iterations, best.objectives, how.settings)
    trace = LearningTrace(
        EM,
        best.verdict,
        evidence.rows,
        *unknown_cells(evidence),
        best.log_likelihoods,
        best.objectives,
        best.iterations,
        reached.finished,
        best.number,
        how.settings.seed,
    )
    return FittedTemplate(best.network, expected, priors, expected=True), trace


def counted(structure: Structure, statistics: Statistics, priors: PriorChoice) -> FittedTemplate:
    """The tables estimated from counts."""
    return FittedTemplate(estimate(structure, statistics, priors), statistics, priors, expected=False)


def _why_not_counted(evidence: SliceEvidence) -> str:
    for name in evidence.template.names:
        unknown = np.flatnonzero(~(evidence.status[evidence.index(name)] & KNOWN).astype(bool))
        if len(unknown):
            return (
                f'method="count" needs every value, but {name!r} has none in row {int(unknown[0])} '
                "(counting from 0, in the order of time). Leave method= out: EM learns with gaps."
            )
    return 'method="count" needs every value. Leave method= out: EM learns with gaps.'
