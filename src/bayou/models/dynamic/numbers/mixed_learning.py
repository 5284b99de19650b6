"""Learning dynamic networks with numbers from rows of users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.errors import BadStatistics
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.mixed_template_fit import counted_mixed, fit_mixed_template, mixed_structure
from bayou.fitting.sequences.template_fit import FittedTemplate, TemplateFitOptions
from bayou.learning import PriorChoice
from bayou.memory import require_memory
from bayou.models.dynamic.numbers.mixed_input import MixedInput
from bayou.schema import Variable
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.gaussian_templates.family_statistics import family_statistics
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
    evidence = MixedInput(template, variables).read(_in_memory(rows), {"do": do})
    return fit_mixed_template(template, variables, evidence, priors, options)


def _in_memory(rows: AnySequences) -> SequenceBatch:
    """Sequences that were sorted through temporary files, read again; others as they are."""
    if isinstance(rows, SequenceBatch):
        return rows
    what = f"Learning numbers from {rows.rows:,} rows, which are kept in memory,"
    require_memory(32.0 * rows.rows * len(rows.kinds()), what, "Learn from fewer sequences.")
    return rows.only(np.arange(rows.count))


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
    evidence = MixedInput(template, variables).read(_in_memory(rows), {"do": do})
    if before.expected or not evidence.all_known:
        raise BadStatistics(
            "Sequences are added and forgotten by their statistics, which needs every value of them and of "
            "those learned before. Fit the network on all sequences."
        )
    structure = mixed_structure(template, variables)
    fresh = family_statistics(structure.frozen(), evidence)
    both = before.statistics - fresh if forget else before.statistics + fresh
    return counted_mixed(template, structure, both, before.priors), LearningTrace.counted(evidence.rows)
