"""A template with parameters, and what the kernels compute of sequences: the interface algorithm.

From slice to slice runs a message: P(variables that later slices depend on, observations so far). The slice's
own program takes it from one to the next; run backwards it gives the posterior of every variable and table of
the slice. (Murphy 2002, Dynamic Bayesian networks, ch. 3; Darwiche 2003 for derivatives as posteriors.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bayou._native import SliceProgram, best_slices, filter_slices, smooth_slices
from bayou.errors import ImpossibleEvidence
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
KEPT_ENTRIES = 2**24
"""A sequence whose messages have more entries (128 MiB) keeps some of them and computes the others again."""


@dataclass
class PlanMemory:
    """The plans of a template, which do not depend on its parameters."""

    plans: dict[SliceKind, SlicePlan] = field(default_factory=dict)


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

    def __getstate__(self) -> dict[str, Any]:
        """Without the programs, which are compiled again when they are needed."""
        return {name: value for name, value in self.__dict__.items() if name != "_programs"}

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
        smoothed: bool = False,
    ) -> tuple[list[SliceKind], _Arguments]:
        """(the kinds of slices, the arguments that all kernels take)."""
        self.network.require(self.template.dag.nodes)
        key = (tuple(wanted), counts, factored, smoothed)
        if key not in evidence.memory:
            evidence.memory.clear()
            evidence.memory[key] = row_kinds(evidence, *key)
        seen, kinds, places = evidence.memory[key]
        none = np.ones((seen.rows, 1))
        likelihoods = [seen.likelihoods.get(name, none) for name in self.template.names]
        programs = [self._program(kind) for kind in kinds]
        return kinds, (programs, seen.starts, seen.codes, likelihoods, places)

    # Answers

    def log_likelihoods(self, evidence: SliceEvidence) -> FloatArray:
        """log P(what is known) of each sequence."""
        _, arguments = self._call(evidence)
        return filter_slices(*arguments, [])[0] + evidence.sequence_scales

    def filtered(
        self, evidence: SliceEvidence, wanted: Sequence[Name], *, factored: bool = False
    ) -> tuple[FloatArray, FloatArray, dict[Name, FloatArray]]:
        """(log P of each sequence, log P(row | rows before), P(variable | rows so far)).

        ``factored``: from slice to slice goes the product of the variables' marginals instead of their joint
        table, so that any number of them may be hidden; all answers are approximate (Boyen and Koller 1998).
        """
        _, arguments = self._call(evidence, wanted, factored=factored)
        logs, steps, beliefs = filter_slices(*arguments, self._states(wanted))
        self.refuse_impossible(evidence, logs, factored)
        if evidence.scales is not None:
            steps = steps + evidence.scales
        return logs + evidence.sequence_scales, steps, self._completed(evidence, wanted, beliefs)

    def smoothed(
        self, evidence: SliceEvidence, wanted: Sequence[Name], *, factored: bool = False
    ) -> tuple[FloatArray, dict[Name, FloatArray]]:
        """(log P of each sequence, P(variable | all rows of the sequence)).

        ``factored``: messages in both directions are products of a table for each variable. That of the
        slices behind and that of the slices ahead give the marginals of each variable in a slice; divided by
        its share of the message from behind, they are its share of the message from ahead.
        """
        _, arguments = self._call(evidence, wanted, factored=factored, smoothed=factored)
        logs, beliefs, _ = smooth_slices(*arguments, self._states(wanted), None, False, self.kept_entries)
        self.refuse_impossible(evidence, logs, factored)
        return logs + evidence.sequence_scales, self._completed(evidence, wanted, beliefs)

    def best(self, evidence: SliceEvidence) -> tuple[FloatArray, npt.NDArray[np.uint32]]:
        """(log P of the best path of each sequence, the codes of all variables [variable, row])."""
        _, arguments = self._call(evidence, (), counts=True)
        logs, paths = best_slices(*arguments, self.kept_entries)
        self.refuse_impossible(evidence, logs)
        return logs + evidence.sequence_scales, paths

    def expected(self, evidence: SliceEvidence) -> tuple[float, Statistics]:
        """The log-likelihood and the expected counts of all tables: the E-step."""
        logs, totals, _ = self.expected_with(evidence, ())
        weighted = logs if evidence.weights is None else evidence.weights * logs
        weight = float(len(logs) if evidence.weights is None else evidence.weights.sum())
        return float(weighted.sum()), self.statistics(totals, weight)

    def expected_with(
        self, evidence: SliceEvidence, wanted: Sequence[Name]
    ) -> tuple[FloatArray, dict[Name, FloatArray], dict[Name, FloatArray]]:
        """(log P of each sequence, the expected counts by table, P(variable | all rows of the sequence))."""
        kinds, arguments = self._call(evidence, wanted, counts=True)
        logs, beliefs, counts = smooth_slices(
            *arguments, self._states(wanted), evidence.weights, True, self.kept_entries
        )
        self.refuse_impossible(evidence, logs)
        logs = logs + evidence.sequence_scales
        totals = {name: np.zeros(self._table_shape(name)) for name in self.template.tables}
        for kind, tables in zip(kinds, counts, strict=True):
            for use, table in zip(self.plan(kind).uses, tables, strict=True):
                shape = totals[use.block].shape
                own = table.reshape([shape[k] for k in use.axes])
                totals[use.block] += np.transpose(own, np.argsort(use.axes))
        return logs, totals, self._completed(evidence, wanted, beliefs)

    def expected_of(self, parts: Iterable[SliceEvidence]) -> tuple[float, Statistics]:
        """The same of several parts, which are added from the first to the last."""
        total: tuple[float, Statistics] | None = None
        for part in parts:
            log, statistics = self.expected(part)
            total = (log, statistics) if total is None else (total[0] + log, total[1] + statistics)
        assert total is not None
        return total

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

    def refuse_impossible(self, evidence: SliceEvidence, logs: FloatArray, factored: bool = False) -> None:
        """Raise ImpossibleEvidence for the first sequence of probability 0, naming the step where it becomes
        so.
        """
        bad = np.flatnonzero(logs == -np.inf)
        if not len(bad):
            return
        sequence = int(bad[0])
        _, arguments = TemplateModel(self.template, self.network)._call(
            evidence.of(sequence), factored=factored
        )
        steps = filter_slices(*arguments, [])[1]
        step = int(np.flatnonzero(steps == -np.inf)[0])
        raise ImpossibleEvidence(
            f"{evidence.title(sequence)} is impossible under this model: what is known up to its step {step} "
            "(counting from 0) has probability 0. Learn with a prior above 0, or look at this step."
        )
