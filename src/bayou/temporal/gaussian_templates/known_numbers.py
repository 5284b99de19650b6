"""Sequences whose numbers are known: exact answers about their states.

More generally, sequences in which no number depends on an unknown one. Then the known numbers are findings
about states (:mod:`bayou.temporal.gaussian_templates.state_template`), and an unknown number is, given the
states of its parents, normal with a mean and a variance that are known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bayou.distributions import LinearGaussian
from bayou.errors import TooWide
from bayou.memory import require_memory
from bayou.statistics import Counts, CountTable, GroupMoments, Request, Result, Statistics
from bayou.temporal.gaussian_templates.mixed_evidence import UNKNOWN, MixedEvidence
from bayou.temporal.gaussian_templates.mixed_model import MixedModel, refuse
from bayou.temporal.gaussian_templates.state_template import StateTemplate
from bayou.temporal.templates.slice_evidence import FREE, OBSERVED, SET, WEIGHED, SliceEvidence
from bayou.temporal.templates.slice_kinds import row_kinds
from bayou.temporal.templates.slice_plan import SlicePlanner
from bayou.temporal.templates.template_model import TemplateModel
from bayou.typing import BoolArray, FloatArray, IntArray, Name


def no_unknown_number_matters(evidence: MixedEvidence) -> BoolArray:
    """In which sequences no number, unless it was set, depends on an unknown one."""
    found = np.ones(len(evidence.lengths), dtype=bool)
    for block in evidence.layout.blocks:
        name = evidence.layout.template.behind[block].name
        rows = evidence.rows_of_table(block)
        rows = rows[~evidence.was_set(name)[rows]]
        lacking = np.isnan(_parents(evidence, block, rows)).any(axis=1)
        found[np.searchsorted(evidence.starts, rows[lacking], side="right") - 1] = False
    return found


def _parents(evidence: MixedEvidence, block: Name, rows: IntArray) -> FloatArray:
    """The numbers that a table's line depends on [row, parent]."""
    template, numbers = evidence.layout.template, evidence.layout.numbers
    node = template.behind[block]
    found = np.empty((len(rows), 0))
    for parent in template.parents(node):
        if parent.name in numbers:
            age = 0 if template.outside(parent.name) else node.step - parent.step
            own = evidence.numbers[rows - age, numbers.index(parent.name)]
            found = np.column_stack([found, own])
    return found


def can_be_planned(states: StateTemplate, evidence: MixedEvidence) -> bool:
    """Whether the states are few enough for exact answers."""
    if not states.is_small:
        return False
    bare = _without_densities(states, evidence)
    _, kinds, _ = row_kinds(bare, (), True)
    planner = SlicePlanner(states.template, states.variables)
    try:
        for kind in kinds:
            if kind not in states.memory.plans:
                states.memory.plans[kind] = planner.plan(kind)
    except TooWide:
        return False
    return True


def _without_densities(states: StateTemplate, evidence: MixedEvidence) -> SliceEvidence:
    """What is known of the states; companions have likelihoods where their number is known."""
    names = states.template.names
    codes = np.full((len(names), evidence.rows), UNKNOWN, dtype=np.uint32)
    status = np.full(codes.shape, FREE, dtype=np.uint8)
    for k, name in enumerate(evidence.layout.states):
        codes[k] = evidence.codes[:, evidence.layout.states.index(name)]
        unknown = WEIGHED if name in evidence.likelihoods else FREE
        known = np.where(evidence.was_set(name), SET, OBSERVED)
        status[k] = np.where(codes[k] == UNKNOWN, unknown, known)
    for number, companion in states.companions.items():
        if (evidence.known(number) & ~evidence.was_set(number)).any():
            status[names.index(companion.name)] = WEIGHED
    sizes = tuple(variable.cardinality for variable in states.variables.values())
    scales = np.zeros(evidence.rows) if evidence.scales is None else evidence.scales.copy()
    return SliceEvidence(
        states.template,
        evidence.starts,
        codes,
        status,
        dict(evidence.likelihoods),
        sizes,
        evidence.weights,
        scales,
        evidence.first_sequence,
        numbers=evidence.shown,
    )


@dataclass(frozen=True, eq=False)
class ExactAnswers:
    """Exact answers about sequences, row by row: probabilities of states [row, state] of variables that are
    not known everywhere, means and variances of numbers [row, number], and their covariances if available.
    """

    logs: FloatArray
    steps: FloatArray | None
    shares: dict[Name, FloatArray]
    means: FloatArray
    variances: FloatArray
    covariances: FloatArray | None


@dataclass(frozen=True, eq=False)
class KnownNumbers:
    """A model, asked about sequences in which no unknown number matters to others."""

    model: MixedModel
    states: StateTemplate

    @cached_property
    def _chain(self) -> TemplateModel:
        return self.states.model(self.model.network)

    # What is known

    def _evidence(self, evidence: MixedEvidence) -> SliceEvidence:
        """What is known of states and companions; the scales have the largest density of each row."""
        self.model.require(evidence)
        self._require_room(evidence)
        found = _without_densities(self.states, evidence)
        assert found.scales is not None
        likelihoods = dict(found.likelihoods)
        for number in evidence.layout.numbers:
            logs = self._log_densities(evidence, number)
            largest = logs.max(axis=1)
            wrong = np.flatnonzero(~np.isfinite(largest))
            refuse(evidence, int(wrong[0]) if len(wrong) else -1)
            found.scales[:] += largest
            companion = self.states.companions.get(number)
            if companion is not None and found.status[found.index(companion.name)].any():
                shares = np.exp(logs - largest[:, None])
                if self.model.template.outside(number):
                    begins = evidence.rows_where_it_begins(number)
                    shares = np.repeat(shares[begins], evidence.lengths[evidence.lengths > 0], axis=0)
                likelihoods[companion.name] = np.ascontiguousarray(shares)
        return replace(found, likelihoods=likelihoods)

    def _require_room(self, evidence: MixedEvidence) -> None:
        width = sum(companion.cardinality for companion in self.states.companions.values())
        require_memory(
            32.0 * evidence.rows * width,
            f"Densities of {evidence.rows:,} rows given {width:,} combinations of states",
            "Ask about fewer sequences at once.",
        )

    def _log_densities(self, evidence: MixedEvidence, number: Name) -> FloatArray:
        """The log density of a number [row, combination of states]: 0 where it is unknown or was set."""
        companion = self.states.companions.get(number)
        found = np.zeros((evidence.rows, 1 if companion is None else companion.cardinality))
        counts = evidence.known(number) & ~evidence.was_set(number)
        for block in self._blocks(number):
            rows = evidence.rows_of_table(block)
            rows = rows[counts[rows]]
            if not len(rows):
                continue
            means, variances = self._normals(evidence, block, rows)
            values = evidence.numbers[rows, evidence.layout.numbers.index(number)]
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                apart = (values[:, None] - means) ** 2 / variances
                logs = -0.5 * (np.log(2 * np.pi * variances) + apart)
            # Without a spread the density is 0, and infinite (NaN here) at the mean.
            logs = np.where(variances > 0, logs, np.where(values[:, None] == means, np.nan, -np.inf))
            found[rows] = -np.inf
            found[rows[:, None], self._combinations(block)] = logs
        return found

    def _blocks(self, number: Name) -> list[Name]:
        behind = self.model.template.behind
        return [block for block in self.model.layout.blocks if behind[block].name == number]

    def _combinations(self, block: Name) -> IntArray:
        """The companion's code of each group of a line; 0 where there is no companion."""
        node = self.model.template.behind[block]
        return self.states.combinations(node.name, node.step).reshape(-1)

    def _normals(self, evidence: MixedEvidence, block: Name, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """(means [row, group], variances [group]) of a line at these rows."""
        line = self.model.network.distribution(block)
        assert isinstance(line, LinearGaussian)
        parents = _parents(evidence, block, rows)
        slopes = line.coefficients.reshape(line.intercept.size, parents.shape[1])
        return line.intercept.reshape(-1) + parents @ slopes.T, line.variance.reshape(-1)

    # Answers

    def log_likelihoods(self, evidence: MixedEvidence) -> FloatArray:
        """The log density of what is known of each sequence."""
        return self._chain.log_likelihoods(self._evidence(evidence))

    def filtered(self, evidence: MixedEvidence) -> ExactAnswers:
        """What is known of each row, given the rows up to it."""
        logs, steps, beliefs = self._chain.filtered(self._evidence(evidence), self._open(evidence))
        return self._answers(evidence, logs, steps, beliefs)

    def smoothed(self, evidence: MixedEvidence) -> ExactAnswers:
        """What is known of each row, given the whole sequence."""
        logs, beliefs = self._chain.smoothed(self._evidence(evidence), self._open(evidence))
        return self._answers(evidence, logs, None, beliefs)

    def best(self, evidence: MixedEvidence) -> tuple[FloatArray, npt.NDArray[np.uint32], FloatArray]:
        """(log densities of the best paths, their states [row, variable], the numbers' means given these)."""
        logs, codes = self._chain.best(self._evidence(evidence))
        names = self.states.template.names
        beliefs = {
            own.name: np.eye(own.cardinality)[np.minimum(codes[names.index(own.name)], own.cardinality - 1)]
            for own in self.states.companions.values()
        }
        means, _ = self._numbers(evidence, beliefs)
        return logs, np.ascontiguousarray(codes[: len(evidence.layout.states)].T), means

    def _open(self, evidence: MixedEvidence) -> list[Name]:
        """States that are not known everywhere, and companions of numbers that are not."""
        found = [name for name in evidence.layout.states if not evidence.known(name).all()]
        return found + [
            own.name for number, own in self.states.companions.items() if not evidence.known(number).all()
        ]

    def _answers(
        self,
        evidence: MixedEvidence,
        logs: FloatArray,
        steps: FloatArray | None,
        beliefs: dict[Name, FloatArray],
    ) -> ExactAnswers:
        means, variances = self._numbers(evidence, beliefs)
        width = len(evidence.layout.numbers)
        covariances = None
        # Two unknown numbers of a row may depend on the same states.
        if (np.isnan(evidence.numbers).sum(axis=1) <= 1).all():
            covariances = np.zeros((evidence.rows, width, width))
            covariances[:, np.arange(width), np.arange(width)] = variances
        shares = {name: own for name, own in beliefs.items() if name in evidence.layout.states}
        return ExactAnswers(logs, steps, shares, means, variances, covariances)

    def _numbers(
        self, evidence: MixedEvidence, beliefs: dict[Name, FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """(means, variances) [row, number] given the probabilities of companions."""
        means, variances = evidence.numbers.copy(), np.zeros_like(evidence.numbers)
        for k, number in enumerate(evidence.layout.numbers):
            companion = self.states.companions.get(number)
            constant = number in self.model.template.constant
            for block in self._blocks(number):
                rows = np.arange(evidence.rows) if constant else evidence.rows_of_table(block)
                rows = rows[np.isnan(evidence.numbers[rows, k])]
                if not len(rows):
                    continue
                own, spread = self._normals(evidence, block, rows)
                weights = np.ones((len(rows), 1))
                if companion is not None:
                    weights = beliefs[companion.name][rows][:, self._combinations(block)]
                means[rows, k] = (weights * own).sum(axis=1)
                apart = own - means[rows, k][:, None]
                variances[rows, k] = (weights * (spread + apart**2)).sum(axis=1)
        return means, variances

    # The E-step

    def expected(
        self, evidence: MixedEvidence, centre: FloatArray
    ) -> tuple[float, dict[Name, GroupMoments], Statistics]:
        """(the log-likelihood, the expected moments of lines, the expected counts of states)."""
        companions = [companion.name for companion in self.states.companions.values()]
        logs, totals, beliefs = self._chain.expected_with(self._evidence(evidence), companions)
        weights = np.ones(len(logs)) if evidence.weights is None else evidence.weights
        of_rows = np.repeat(weights, evidence.lengths)
        moments = {
            block: self._expected_moments(evidence, block, centre, of_rows, beliefs)
            for block in self.model.layout.blocks
        }
        return float(weights @ logs), moments, self._counts(totals)

    def _expected_moments(
        self,
        evidence: MixedEvidence,
        block: Name,
        centre: FloatArray,
        of_rows: FloatArray,
        beliefs: dict[Name, FloatArray],
    ) -> GroupMoments:
        """The moments of a line's parents and child, measured from the centre while they are summed."""
        layout, node = evidence.layout, self.model.template.behind[block]
        at = dict(zip(layout.numbers, centre.tolist(), strict=True))
        rows = evidence.rows_of_table(block)
        rows = rows[~evidence.was_set(node.name)[rows]]
        family = self.model.network.family(block)
        size = len(family.continuous) + 1
        n = np.zeros(family.groups)
        first, second = np.zeros((family.groups, size)), np.zeros((family.groups, size, size))
        if len(rows):
            values = evidence.numbers[rows, layout.numbers.index(node.name)]
            unknown = np.isnan(values)
            means, variances = self._normals(evidence, block, rows)
            parents = _parents(evidence, block, rows)
            shift = [at[p.name] for p in self.model.template.parents(node) if p.name in layout.numbers]
            weights = of_rows[rows][:, None]
            companion = self.states.companions.get(node.name)
            if companion is not None:
                weights = weights * beliefs[companion.name][rows][:, self._combinations(block)]
            for g in range(family.groups):
                child = np.where(unknown, means[:, g], values) - at[node.name]
                whole = np.column_stack([parents - np.array(shift), child])
                own = weights[:, g]
                n[g], first[g], second[g] = own.sum(), own @ whole, (whole * own[:, None]).T @ whole
                second[g, -1, -1] += variances[g] * own[unknown].sum()
        return self.model.moments(block, centre, n, first, second)

    def _counts(self, totals: dict[Name, FloatArray]) -> Statistics:
        """Counts by table as statistics of the first slices: other users of a table have none."""
        answers: dict[Request, Result] = {}
        template = self.model.template
        for label, node in template.behind.items():
            if node.name not in self.model.layout.states:
                continue
            axes = self.model.network.family(label).axes
            own = totals[template.block(node)]
            own = own if label == template.block(node) else np.zeros_like(own)
            answers[CountTable(tuple(axis.name for axis in axes))] = Counts(axes, own)
            alone = own.reshape(-1, own.shape[-1]).sum(axis=0)
            answers.setdefault(CountTable((label,)), Counts((axes[-1],), alone))
        return Statistics(answers, 0.0)
