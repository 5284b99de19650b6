"""A template with parameters, and what the kernels compute of sequences: the interface algorithm.

From slice to slice runs a message: P(variables that later slices depend on, observations so far). The slice's
own program takes it from one to the next; run backwards it gives the posterior of every variable and table of
the slice. (Murphy 2002, Dynamic Bayesian networks, ch. 3; Darwiche 2003 for derivatives as posteriors.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bayou._native import SliceProgram, best_slices, filter_slices, smooth_slices
from bayou.distributions import Table
from bayou.errors import ImpossibleEvidence, NoEstimate
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.statistics import Counts, CountTable, Request, Result, Statistics
from bayou.temporal.templates.slice_evidence import KNOWN, SliceEvidence
from bayou.temporal.templates.slice_kinds import row_kinds
from bayou.temporal.templates.slice_plan import SliceKind, SlicePlan, SlicePlanner
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import FloatArray, IntArray, Name

_Arguments: TypeAlias = (
    "tuple[list[SliceProgram], IntArray, npt.NDArray[np.uint32], list[FloatArray], npt.NDArray[np.uint32]]"
)
"""What all kernels take: programs, first rows, codes, likelihoods, the program of each row."""
_TOO_SMALL = (
    "doubles have no such numbers. Make probabilities near 0 a little larger, or ask the network of all "
    "slices, which network(n) gives."
)
KEPT_ENTRIES = 2**24
"""A sequence whose messages have more entries (128 MiB) keeps some of them and computes the others again."""


@dataclass
class PlanMemory:
    """The plans of a template, which do not depend on its parameters, and how rows were told apart last."""

    plans: dict[SliceKind, SlicePlan] = field(default_factory=dict)
    rows: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TemplateModel:
    """A template and a network of its first slices, which has the tables."""

    template: DynamicTemplate
    network: FrozenNetwork
    memory: PlanMemory = field(default_factory=PlanMemory)
    kept_entries: int = KEPT_ENTRIES

    @cached_property
    def variables(self) -> dict[Name, Variable]:
        """The variables by name."""
        return {name: self.network.schema[name] for name in self.template.names}

    @cached_property
    def planner(self) -> SlicePlanner:
        """Compiles programs."""
        return SlicePlanner(self.template, self.variables)

    @cached_property
    def _programs(self) -> dict[SliceKind, SliceProgram]:
        return {}

    def plan(self, kind: SliceKind) -> SlicePlan:
        """The plan of a kind of slice, compiled once."""
        found = self.memory.plans.get(kind)
        if found is None:
            found = self.memory.plans[kind] = self.planner.plan(kind)
        return found

    def _program(self, kind: SliceKind) -> SliceProgram:
        if kind not in self._programs:
            self._programs[kind] = self.plan(kind).program(self.network)
        return self._programs[kind]

    def _call(
        self,
        evidence: SliceEvidence,
        wanted: Sequence[Name] = (),
        counts: bool = False,
        factored: bool = False,
    ) -> tuple[list[SliceKind], _Arguments]:
        """(the kinds of slices, the arguments that all kernels take)."""
        self.network.require(self.template.dag.nodes)
        key = (id(evidence), tuple(wanted), counts, factored)
        if key not in self.memory.rows:
            # The evidence is kept beside its key, so that no other one gets the same id meanwhile.
            self.memory.rows.clear()
            told = row_kinds(evidence, tuple(wanted), counts, factored)
            self.memory.rows[key] = (evidence, *told)
        _, seen, kinds, places = self.memory.rows[key]
        none = np.ones((seen.rows, 1))
        likelihoods = [seen.likelihoods.get(name, none) for name in self.template.names]
        programs = [self._program(kind) for kind in kinds]
        return kinds, (programs, seen.starts, seen.codes, likelihoods, places)

    # Answers

    def log_likelihoods(self, evidence: SliceEvidence) -> FloatArray:
        """log P(what is known) of each sequence."""
        _, arguments = self._call(evidence)
        logs = filter_slices(*arguments, [])[0]
        for sequence in np.flatnonzero(logs == -np.inf).tolist():
            if self._has_support(evidence.of(sequence)):
                self.refuse_impossible(evidence, np.where(np.arange(len(logs)) == sequence, -np.inf, 0.0))
        return logs

    def filtered(
        self, evidence: SliceEvidence, wanted: Sequence[Name], *, factored: bool = False
    ) -> tuple[FloatArray, FloatArray, dict[Name, FloatArray]]:
        """(log P of each sequence, log P(row | rows before), P(variable | rows so far)).

        ``factored``: from slice to slice goes the product of the variables' marginals instead of their joint
        table, so that any number of them may be hidden; all answers are approximate (Boyen and Koller 1998).
        """
        _, arguments = self._call(evidence, wanted, factored=factored)
        logs, steps, beliefs = filter_slices(*arguments, self._states(wanted))
        if not factored:
            self.refuse_impossible(evidence, logs)
        elif np.isneginf(logs).any():
            raise ImpossibleEvidence(
                f"Sequence {int(np.flatnonzero(np.isneginf(logs))[0])} is impossible under this model."
            )
        return logs, steps, self._completed(evidence, wanted, beliefs)

    def smoothed(
        self, evidence: SliceEvidence, wanted: Sequence[Name]
    ) -> tuple[FloatArray, dict[Name, FloatArray]]:
        """(log P of each sequence, P(variable | all rows of the sequence))."""
        _, arguments = self._call(evidence, wanted)
        logs, beliefs, _ = smooth_slices(*arguments, self._states(wanted), None, False, self.kept_entries)
        self.refuse_impossible(evidence, logs)
        found = self._completed(evidence, wanted, beliefs)
        for name, own in found.items():
            if not self.template.outside(name) and not own.any(axis=1).all():
                row = int(np.flatnonzero(~own.any(axis=1))[0])
                raise NoEstimate(
                    f"{name!r} has no probabilities in row {row} (counting from 0): {_TOO_SMALL}"
                )
        return logs, found

    def best(self, evidence: SliceEvidence) -> tuple[FloatArray, npt.NDArray[np.uint32]]:
        """(log P of the best path of each sequence, the codes of all variables [variable, row])."""
        _, arguments = self._call(evidence, (), counts=True)
        logs, paths = best_slices(*arguments, self.kept_entries)
        self.refuse_impossible(evidence, logs)
        return logs, paths

    def expected(self, evidence: SliceEvidence) -> tuple[float, Statistics]:
        """The log-likelihood and the expected counts of all tables: the E-step."""
        kinds, arguments = self._call(evidence, (), counts=True)
        logs, _, counts = smooth_slices(*arguments, [], evidence.weights, True, self.kept_entries)
        self.refuse_impossible(evidence, logs)
        totals = {name: np.zeros(self._table_shape(name)) for name in self.template.tables}
        for kind, tables in zip(kinds, counts, strict=True):
            for use, table in zip(self.plan(kind).uses, tables, strict=True):
                shape = totals[use.block].shape
                own = table.reshape([shape[k] for k in use.axes])
                totals[use.block] += np.transpose(own, np.argsort(use.axes))
        weighted = logs if evidence.weights is None else evidence.weights * logs
        weight = float(len(logs) if evidence.weights is None else evidence.weights.sum())
        return float(weighted.sum()), self.statistics(totals, weight)

    def statistics(self, totals: Mapping[Name, FloatArray], weight: float) -> Statistics:
        """Counts by table as statistics of the first slices: other users of a table have none."""
        answers: dict[Request, Result] = {}
        for name in self.template.dag.nodes:
            axes = self.network.family(name).axes
            block = self.template.block(self.template.behind[name])
            own = totals[block] if name == block else np.zeros([axis.cardinality for axis in axes])
            answers[CountTable(tuple(axis.name for axis in axes))] = Counts(axes, own)
        return Statistics(answers, weight)

    def _table_shape(self, block: Name) -> tuple[int, ...]:
        return tuple(axis.cardinality for axis in self.network.family(block).axes)

    def _states(self, wanted: Sequence[Name]) -> list[int]:
        return [self.variables[name].cardinality for name in wanted]

    def _completed(
        self, evidence: SliceEvidence, wanted: Sequence[Name], beliefs: Sequence[FloatArray]
    ) -> dict[Name, FloatArray]:
        """The beliefs with 1 for values that are known."""
        found = {}
        for name, own in zip(wanted, beliefs, strict=True):
            index = evidence.index(name)
            known = np.flatnonzero(evidence.status[index] & KNOWN)
            own[known, evidence.codes[index, known]] = 1.0
            found[name] = own
        return found

    def _has_support(self, evidence: SliceEvidence) -> bool:
        """Whether what is known is possible at all: all entries above 0 count alike."""
        blocks = {}
        for block, node in self.network.blocks.items():
            table = (np.asarray(node.finite.table) > 0) * 1.0 if node.finite is not None else np.ones(1)
            blocks[block] = Table(table / table.sum(axis=-1, keepdims=True))
        likelihoods = {name: np.where(values > 0, 1.0, 0.0) for name, values in evidence.likelihoods.items()}
        alike = TemplateModel(self.template, self.network.with_blocks(blocks))
        _, arguments = alike._call(replace(evidence, likelihoods=likelihoods))
        return bool(np.isfinite(filter_slices(*arguments, [])[0]).all())

    def refuse_impossible(self, evidence: SliceEvidence, logs: FloatArray) -> None:
        """Raise ImpossibleEvidence for the first sequence of probability 0, naming the step where it becomes
        so.
        """
        bad = np.flatnonzero(logs == -np.inf)
        if not len(bad):
            return
        sequence = int(bad[0])
        one = TemplateModel(self.template, self.network)
        one_sequence = evidence.of(sequence)
        _, arguments = one._call(one_sequence)
        steps = filter_slices(*arguments, [])[1]
        step = int(np.flatnonzero(steps == -np.inf)[0])
        if self._has_support(one_sequence):
            raise NoEstimate(
                f"Sequence {sequence} is possible, but at its step {step} (counting from 0) the only states "
                f"that are left are less than 1e-300 times as probable as others seemed before: {_TOO_SMALL}"
            )
        raise ImpossibleEvidence(
            f"Sequence {sequence} is impossible under this model: what is known up to its step {step} "
            "(counting from 0) has probability 0. Learn with a prior above 0, or look at this step."
        )
