"""Learning dynamic networks: counting where everything is known, EM elsewhere."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion
from bayou.fitting.checkpoint import Checkpoint, CheckpointKey
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.sequence_fit import warn_of_verdict
from bayou.fitting.sequences.sequence_identity import fingerprint
from bayou.formats.file_content import FilePath
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning import PriorChoice, estimate
from bayou.learning.em.expectation_maximisation import EMTask
from bayou.learning.em.initial_parameters import starts
from bayou.learning.em.m_step import LearningProblem
from bayou.learning.em.several_starts import learn
from bayou.learning.em.trace import INTERRUPTED, Settings
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import Variable
from bayou.statistics import Statistics
from bayou.temporal.gaussian_templates.switching_particles import SwitchingSettings
from bayou.temporal.templates.evidence_parts import EvidenceParts
from bayou.temporal.templates.family_counts import counts_of, first_unknown, unknown_cells
from bayou.temporal.templates.hidden_state_order import with_sorted_states
from bayou.temporal.templates.slice_evidence import SliceEvidence
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
    checkpoint: FilePath | None = None
    model_state: Callable[[FittedTemplate], dict[str, Any]] | None = None
    """What a file of the network holds, for a checkpoint."""
    particles: SwitchingSettings = field(default_factory=SwitchingSettings)
    """How numbers that unknown states switch are estimated."""


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
    structure = Structure(template.dag, declared, template.sharing)
    structure.frozen()  # refuses numbers as parents of states
    return structure


def fit_template(
    template: DynamicTemplate,
    variables: Mapping[Name, Variable],
    evidence: EvidenceParts[SliceEvidence],
    priors: PriorChoice,
    how: TemplateFitOptions,
    memory: PlanMemory,
) -> tuple[FittedTemplate, LearningTrace]:
    """Learn all tables from sequences: the counts of all slices that use a table are added up."""
    if evidence.rows == 0:
        raise BadData("There is no row to learn from: all sequences are empty.")
    structure = template_structure(template, variables)
    statistics = counts_of(structure.frozen(), evidence)
    unknown = first_unknown(evidence) if how.method in (None, COUNT) else None
    if how.method in (None, COUNT) and unknown is None:
        return counted(structure, statistics, priors), LearningTrace.counted(evidence.rows)
    if how.method == COUNT and unknown is not None:
        name, row = unknown
        raise BadQuestion(
            f'method="count" needs every value, but {name!r} has none in row {row} (counting from 0, in the '
            "order of time). Leave method= out: EM learns with gaps."
        )
    problem = LearningProblem(structure, dict(structure.declared), priors)

    def expect(network: FrozenNetwork) -> Expectation:
        return Expectation(*TemplateModel(template, network, memory).expected_of(evidence))

    task = EMTask(problem, expect, how.settings, evidence.rows)
    key = to_be_learned(
        problem, template, how, lambda: fingerprint(evidence.sequences) + _set_cells(evidence)
    )
    with Checkpoint.at(how.checkpoint, key) as file:
        reached = learn(
            task,
            starts(problem, statistics, how.settings.seed, how.start),
            resumed=file.resumed,
            keep=file.keep,
        )
    best = reached.best
    assert best is not None
    gaps, hidden = unknown_cells(evidence)
    network, expected = best.network, best.statistics
    if best.verdict != INTERRUPTED or expected is None:
        if how.start is None and not priors.by_name:
            network = with_sorted_states(template, network, hidden)
        expected = TemplateModel(template, network, memory).expected_of(evidence)[1]
    warn_of_verdict(best.verdict, best.iterations, best.objectives, how.settings)
    trace = LearningTrace.climbed(reached, evidence.rows, gaps, hidden)
    return FittedTemplate(network, expected, priors, expected=True), trace


def to_be_learned(
    problem: LearningProblem,
    template: DynamicTemplate,
    how: TemplateFitOptions,
    data: Callable[[], str],
    choices: Mapping[str, str] | None = None,
) -> CheckpointKey:
    """What a checkpoint of this fit is about. ``data`` gives a text that identifies the sequences."""

    def model_state(network: FrozenNetwork, statistics: Statistics | None) -> dict[str, Any]:
        assert how.model_state is not None
        assert statistics is not None
        return how.model_state(FittedTemplate(network, statistics, problem.priors, expected=True))

    groups = {
        word: str(sorted(map(str, group)))
        for word, group in (
            ("constant", template.constant),
            ("first", template.first),
            ("last", template.last),
        )
    }
    return CheckpointKey(
        problem,
        data,
        how.settings,
        how.start,
        {**groups, **(choices or {})},
        "dynamic network",
        model_state,
    )


def _set_cells(evidence: EvidenceParts[SliceEvidence]) -> str:
    """A text that identifies which values were set by somebody."""
    check = 0
    for part in evidence:
        check = zlib.crc32(np.ascontiguousarray(part.status).tobytes(), check)
    return f" {check:08x}"


def counted(structure: Structure, statistics: Statistics, priors: PriorChoice) -> FittedTemplate:
    """The tables estimated from counts."""
    return FittedTemplate(estimate(structure, statistics, priors), statistics, priors, expected=False)
