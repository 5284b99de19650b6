"""A template with numbers and its parameters, and what the kernels compute of sequences whose states are
known.

Given the states, the numbers of all slices are jointly Gaussian: Kalman's recursions are exact (Kalman 1960;
Rauch, Tung and Striebel 1965). Values are measured from a centre, so that sums of squares keep their digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayou._native import MixedSlices, expect_mixed, filter_mixed, smooth_mixed
from bayou.distributions import LinearGaussian
from bayou.errors import BadData, ImpossibleEvidence, NotFitted, counted
from bayou.memory import require_memory
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.statistics import GroupMoments, Request, Result, Statistics
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.slice_layout import SliceLayout
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import FloatArray, Name

_ALWAYS_THERE = 2**20
"""So many bytes are taken without asking whether they are left: asking takes as long as a short answer."""


@dataclass(frozen=True, eq=False)
class MixedModel:
    """A template with numbers, and a network of its first slices, which has the parameters."""

    template: DynamicTemplate
    network: FrozenNetwork

    @cached_property
    def variables(self) -> dict[Name, Variable]:
        """The variables by name."""
        return {name: self.network.schema[name] for name in self.template.names}

    @cached_property
    def layout(self) -> SliceLayout:
        """Where numbers and states stand."""
        return SliceLayout(self.template, self.variables)

    @cached_property
    def slices(self) -> MixedSlices:
        """The compiled slices."""
        self.network.require(self.layout.tables)
        return self.layout.compiled(self.network)

    def require(self, evidence: MixedEvidence) -> None:
        """Raise NotFitted if a line is missing of a variable that is not set in all its rows."""
        for block in self.layout.blocks:
            if self.network.slots[block] in self.network.blocks:
                continue
            name = self.template.behind[block].name
            if not evidence.was_set(name)[evidence.rows_of_table(block)].all():
                raise NotFitted.missing([block])

    def _require_room(self, evidence: MixedEvidence, how: str) -> None:
        """Raise TooWide if the covariances of all rows do not fit into memory."""
        width = len(self.layout.numbers)
        size = 8.0 * evidence.rows * width * (width + 1)
        if size > _ALWAYS_THERE:
            what = (
                f"Keeping {how} means and covariances of {counted(width, 'number')} in {evidence.rows:,} rows"
            )
            require_memory(size, what, "Ask about fewer sequences at once.")

    def log_likelihoods(self, evidence: MixedEvidence) -> FloatArray:
        """The log density of what is known of each sequence."""
        self.require(evidence)
        logs, _, _, _, failed = filter_mixed(self.slices, *evidence.arguments(), False)
        refuse(evidence, failed)
        return logs

    def filtered(self, evidence: MixedEvidence) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """(log-likelihoods, log density of each row given those before, means, covariances)."""
        self.require(evidence)
        self._require_room(evidence, "filtered")
        logs, steps, means, covariances, failed = filter_mixed(self.slices, *evidence.arguments())
        refuse(evidence, failed)
        _refuse_impossible(evidence, logs, steps)
        return logs, steps, means, covariances

    def smoothed(self, evidence: MixedEvidence) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(log-likelihoods, means and covariances of the numbers given all rows of the sequence)."""
        self.require(evidence)
        self._require_room(evidence, "smoothed")
        logs, means, covariances, failed = smooth_mixed(self.slices, *evidence.arguments())
        refuse(evidence, failed)
        _refuse_impossible(evidence, logs, None)
        return logs, means, covariances

    def expected(self, evidence: MixedEvidence, centre: FloatArray) -> tuple[float, dict[Name, GroupMoments]]:
        """The E-step: the log-likelihood, and the expected moments of parents and child by table.

        ``centre`` has a number near each variable's values.
        """
        self.require(evidence)
        slices = self.layout.compiled(self.shifted(centre))
        logs, sums, failed = expect_mixed(slices, *evidence.arguments(centre), evidence.weights)
        refuse(evidence, failed)
        _refuse_impossible(evidence, logs, None)
        total = float(logs.sum() if evidence.weights is None else evidence.weights @ logs)
        found = {}
        for block, (n, first, second) in zip(self.layout.blocks, sums, strict=True):
            found[block] = self.moments(block, centre, n, first, second)
        return total, found

    def shifted(self, centre: FloatArray) -> FrozenNetwork:
        """The network of the numbers less their centre: only intercepts change."""
        at = dict(zip(self.layout.numbers, centre.tolist(), strict=True))
        blocks: dict[Name, Any] = dict(self.network.blocks)
        for block in self.layout.blocks:
            slot = self.network.slots[block]
            line = blocks.get(slot)
            if not isinstance(line, LinearGaussian):
                continue
            shift = np.array([at[self._variable(one.name)] for one in self.network.family(block).continuous])
            moved = line.intercept + line.coefficients @ shift - at[self._variable(block)]
            blocks[slot] = LinearGaussian(moved, line.coefficients, line.variance)
        return self.network.with_blocks(blocks)

    def _variable(self, label: Name) -> Name:
        return self.template.behind[label].name

    def moments(
        self, block: Name, centre: FloatArray, n: FloatArray, first: FloatArray, second: FloatArray
    ) -> GroupMoments:
        """Sums of a line's parents and child by group, measured from the centre, as moments."""
        family = self.network.family(block)
        names = (*(one.name for one in family.continuous), block)
        at = dict(zip(self.layout.numbers, centre.tolist(), strict=True))
        shift = np.array([at[self._variable(name)] for name in names])
        mean = first / np.where(n > 0, n, 1.0)[:, None]
        scatter = second - n[:, None, None] * mean[:, :, None] * mean[:, None, :]
        inside = np.einsum("gii->gi", scatter)
        inside[...] = np.maximum(inside, 0.0)
        shape, size = family.shape, len(names)
        return GroupMoments(
            names,
            family.discrete,
            n.reshape(shape),
            np.where((n > 0)[:, None], mean + shift, 0.0).reshape(*shape, size),
            scatter.reshape(*shape, size, size),
        )

    def statistics(self, found: dict[Name, GroupMoments], rest: Statistics, weight: float) -> Statistics:
        """Moments by table as statistics of the first slices: other users of a table have none. ``rest`` has
        the statistics of the states.
        """
        answers: dict[Request, Result] = dict(rest.items())
        for name in self.template.dag.nodes:
            if self._variable(name) not in self.layout.numbers:
                continue
            family = self.network.family(name)
            own = found[self.template.block(self.template.behind[name])]
            names = (*(one.name for one in family.continuous), name)
            n, mean, scatter = own.n, own.mean, own.scatter
            if name not in found:
                n, mean, scatter = np.zeros_like(n), np.zeros_like(mean), np.zeros_like(scatter)
            moments = GroupMoments(names, family.discrete, n, mean, scatter)
            answers[moments.request] = moments
        return Statistics(answers, weight)


def refuse(evidence: MixedEvidence, failed: int) -> None:
    """Raise BadData about the row that has no density, if there is one."""
    if failed < 0:
        return
    number = int(np.searchsorted(evidence.starts, failed, side="right")) - 1
    step = failed - int(evidence.starts[number])
    alone = len(evidence.starts) == 2 and not evidence.number_of(0)
    where = f"step {step}" if alone else f"step {step} of sequence {evidence.number_of(number)}"
    raise BadData(
        f"The values at {where} (counting from 0) have no density: given the rows before, what is expected "
        "there has no spread, or the numbers have left the range of floating-point numbers. Give the "
        "variables that are observed a variance above 0, and lines that do not explode."
    )


def _refuse_impossible(evidence: MixedEvidence, logs: FloatArray, steps: FloatArray | None) -> None:
    bad = np.flatnonzero(logs == -np.inf)
    if not len(bad):
        return
    where = ""
    if steps is not None:
        own = steps[evidence.starts[bad[0]] : evidence.starts[bad[0] + 1]]
        where = f" at its step {int(np.flatnonzero(own == -np.inf)[0])} (counting from 0)"
    raise ImpossibleEvidence(
        f"Sequence {evidence.number_of(int(bad[0]))} is impossible under this model{where}: a table gives "
        "its states the probability 0. Learn with a prior above 0, or look at this step."
    )
