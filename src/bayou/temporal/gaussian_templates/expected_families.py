"""The E-step of templates with numbers: expected counts of states, expected moments of lines.

Where all states of a sequence are known, Kalman's smoother gives the moments exactly; where all numbers are
known, the interface algorithm does. Otherwise they are the mean over paths of the states: over all, if there
are few, else over paths that were drawn given the whole sequence (Rao-Blackwellised particle smoothing;
Lindsten, Bunch, Särkkä, Schön and Godsill 2016).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add

import numpy as np

from bayou.inference.expectation.expected_statistics import Expectation
from bayou.networks import FrozenNetwork
from bayou.statistics import GroupMoments, Statistics
from bayou.temporal.gaussian_templates.family_statistics import state_counts
from bayou.temporal.gaussian_templates.known_numbers import (
    KnownNumbers,
    can_be_planned,
    no_unknown_number_matters,
)
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.mixed_model import MixedModel
from bayou.temporal.gaussian_templates.slice_layout import SliceLayout
from bayou.temporal.gaussian_templates.state_template import StateTemplate
from bayou.temporal.gaussian_templates.switching_particles import SwitchingSettings, switching_estimates
from bayou.temporal.gaussian_templates.weighted_paths import has_few_paths, weighted_paths
from bayou.temporal.templates.evidence_parts import EvidenceParts
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import BoolArray, FloatArray, Name

_ROWS = 2**18
"""About so many rows of paths are smoothed at once."""


@dataclass(frozen=True, eq=False)
class ExpectedFamilies:
    """Computes the expected statistics of sequences under the parameters of a network.

    ``centre`` has a number near the values of each variable. ``always_set`` has the moments of tables of
    variables that were set in all rows: there is nothing to expect. ``weight`` is that of all sequences.
    """

    template: DynamicTemplate
    blank: FrozenNetwork
    parts: EvidenceParts[MixedEvidence]
    centre: FloatArray
    always_set: Mapping[Name, GroupMoments]
    weight: float

    @cached_property
    def _known_counts(self) -> Statistics:
        """The counts of the states of sequences whose states are all known."""
        known = (part.only(~part.has_unknown_states) for part in self.parts)
        return reduce(add, (state_counts(self.blank, part) for part in known))

    @cached_property
    def needs_particles(self) -> bool:
        """Whether some sequence has more paths of unknown states than can be listed."""
        return any(
            not has_few_paths(part.of(k))
            for part in self.parts
            for k in np.flatnonzero(self._ways(part)[2]).tolist()
        )

    @cached_property
    def _states(self) -> StateTemplate:
        variables = {name: self.blank.schema[name] for name in self.template.names}
        return StateTemplate(SliceLayout(self.template, variables))

    @cached_property
    def _planned(self) -> dict[int, bool]:
        """By the first row of a part whether the states behind its numbers are few enough."""
        return {}

    def _ways(self, part: MixedEvidence) -> tuple[BoolArray, BoolArray, BoolArray]:
        """Which sequences have known states, which others have known numbers, and which have neither."""
        unknown = part.has_unknown_states
        by_states = unknown & no_unknown_number_matters(part)
        if by_states.any() and not self._can_be_planned(part, by_states):
            by_states = np.zeros_like(unknown)
        return ~unknown, by_states, unknown & ~by_states

    def _can_be_planned(self, part: MixedEvidence, which: BoolArray) -> bool:
        if part.first_row not in self._planned:
            self._planned[part.first_row] = can_be_planned(self._states, part.only(which))
        return self._planned[part.first_row]

    def expected(self, network: FrozenNetwork, settings: SwitchingSettings) -> Expectation:
        """The log-likelihood (estimated, where particles are needed) and the expected statistics."""
        model = MixedModel(self.template, network)
        logs, counts = 0.0, self._known_counts
        moments: dict[Name, GroupMoments] = {}
        by_states = KnownNumbers(model, self._states)
        for part in self.parts:
            known, with_numbers, rest = self._ways(part)
            if known.any():
                own_log, found = model.expected(part if known.all() else part.only(known), self.centre)
                logs += own_log
                moments = _added(moments, found)
            with_numbers = with_numbers & _counting(part)
            if with_numbers.any():
                own_log, found, own_counts = by_states.expected(part.only(with_numbers), self.centre)
                logs += own_log
                moments, counts = _added(moments, found), counts + own_counts
            for log, some in self._with_paths(model, part, rest, settings):
                logs += log
                moments = _added(moments, model.expected(some, self.centre)[1])
                counts = counts + state_counts(self.blank, some)
        answers = model.statistics(moments | dict(self.always_set), counts, self.weight)
        return Expectation(logs, answers)

    def _with_paths(
        self, model: MixedModel, part: MixedEvidence, unknown: BoolArray, settings: SwitchingSettings
    ) -> Iterator[tuple[float, MixedEvidence]]:
        """(log-likelihood, paths with their weights) of some sequences at a time."""
        logs, rows = 0.0, 0
        waiting: list[MixedEvidence] = []
        for k in np.flatnonzero(unknown).tolist():
            weight = 1.0 if part.weights is None else float(part.weights[k])
            if not weight > 0:
                continue
            paths = weighted_paths(model, part, k, settings)
            logs += weight * paths.log_likelihood
            waiting.append(part.of(k).along(paths.states, weight * paths.shares))
            rows += waiting[-1].rows
            if rows >= _ROWS:
                yield logs, joined(waiting)
                logs, rows, waiting = 0.0, 0, []
        if waiting:
            yield logs, joined(waiting)

    def log_likelihood(
        self, network: FrozenNetwork, settings: SwitchingSettings, runs: int
    ) -> tuple[float, float]:
        """(the log-likelihood from so many runs of the particles, its standard error)."""
        model = MixedModel(self.template, network)
        total, variance = 0.0, 0.0
        by_states = KnownNumbers(model, self._states)
        for part in self.parts:
            known, with_numbers, rest = self._ways(part)
            for which, exact in ((known, model), (with_numbers & _counting(part), by_states)):
                if which.any():
                    some = part.only(which)
                    logs = exact.log_likelihoods(some)
                    total += float(logs.sum() if some.weights is None else some.weights @ logs)
            for k in np.flatnonzero(rest).tolist():
                weight = 1.0 if part.weights is None else float(part.weights[k])
                if not weight > 0:
                    continue
                log, error = _estimated_log(model, part, k, settings, runs)
                total += weight * log
                variance += (weight * error) ** 2
        return total, float(np.sqrt(variance))


def _estimated_log(
    model: MixedModel, part: MixedEvidence, sequence: int, settings: SwitchingSettings, runs: int
) -> tuple[float, float]:
    """The log of the mean of several estimates of a likelihood (each is right on average), and its standard
    error.
    """
    if has_few_paths(part.of(sequence)):
        return weighted_paths(model, part, sequence, settings).log_likelihood, 0.0
    logs = np.array(
        [
            switching_estimates(model, part, sequence, settings.another(run)).log_likelihood
            for run in range(runs)
        ]
    )
    ratios = np.exp(logs - logs.max())
    mean = float(ratios.mean())
    return float(logs.max() + np.log(mean)), float(ratios.std(ddof=1) / mean / np.sqrt(runs))


def _counting(part: MixedEvidence) -> BoolArray:
    """Which sequences have a weight above 0."""
    return np.ones(len(part.lengths), dtype=bool) if part.weights is None else part.weights > 0


def joined(parts: list[MixedEvidence]) -> MixedEvidence:
    """The sequences of several parts, which have weights and no likelihoods."""
    if len(parts) == 1:
        return parts[0]
    ends = np.concatenate([part.lengths for part in parts])
    return replace(
        parts[0],
        starts=np.concatenate([[0], np.cumsum(ends)]).astype(np.int64),
        numbers=np.concatenate([part.numbers for part in parts]),
        set_numbers=np.concatenate([part.set_numbers for part in parts]),
        codes=np.concatenate([part.codes for part in parts]),
        set_codes=np.concatenate([part.set_codes for part in parts]),
        weights=np.concatenate([part.weights for part in parts if part.weights is not None]),
        shown=None if parts[0].shown is None else np.concatenate([part.shown for part in parts]),
    )


def _added(one: dict[Name, GroupMoments], other: Mapping[Name, GroupMoments]) -> dict[Name, GroupMoments]:
    return {name: one[name] + own if name in one else own for name, own in other.items()}
