"""Learning dynamic networks with numbers from rows of users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayou.errors import BadStatistics
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.mixed_template_fit import counted_mixed, fit_mixed_template
from bayou.fitting.sequences.template_fit import FittedTemplate, TemplateFitOptions, template_structure
from bayou.learning import PriorChoice
from bayou.models.dynamic.numbers.mixed_input import MixedInput
from bayou.schema import Variable
from bayou.temporal.gaussian_templates.evidence_summary import EvidenceSummary
from bayou.temporal.gaussian_templates.family_statistics import statistics_of
from bayou.temporal.stored_sequences import AnySequences
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import Name


def fitted_numbers(
    template: DynamicTemplate,
    variables: Mapping[Name, Variable],
    rows: AnySequences,
    do: Any,
    priors: PriorChoice,
    options: TemplateFitOptions,
) -> tuple[FittedTemplate, LearningTrace]:
    """Learn all tables and lines from rows."""
    evidence = MixedInput(template, variables).parts_of(rows, do)
    return fit_mixed_template(template, variables, evidence, priors, options)


def changed_numbers(
    template: DynamicTemplate,
    variables: Mapping[Name, Variable],
    rows: AnySequences,
    do: Any,
    before: FittedTemplate,
    *,
    forget: bool,
) -> tuple[FittedTemplate, LearningTrace]:
    """Learn from more sequences without gaps, or forget some."""
    evidence = MixedInput(template, variables).parts_of(rows, do)
    if before.expected or EvidenceSummary.of(evidence).first_gap is not None:
        raise BadStatistics(
            "Sequences are added and forgotten by their statistics, which needs every value of them and of "
            "those learned before. Fit the network on all sequences."
        )
    structure = template_structure(template, variables)
    fresh = statistics_of(structure.frozen(), evidence)
    both = before.statistics - fresh if forget else before.statistics + fresh
    return counted_mixed(template, structure, both, before.priors), LearningTrace.counted(evidence.rows)
