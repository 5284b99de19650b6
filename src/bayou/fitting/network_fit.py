"""Learning parameters: from complete rows by counting, from incomplete ones by EM or gradient ascent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bayou.errors import BadData, BadGraph, NotFitted, listed, warn_user
from bayou.fitting.checkpoint import Checkpoint, CheckpointKey
from bayou.fitting.checkpoint_parts import fingerprint
from bayou.fitting.fit_options import FitOptions, TableGiven
from bayou.fitting.fitted_parameters import FittedParameters, learned_from
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.whole_number_columns import (
    inferred_continuous,
    remedy,
    text_remedy,
    warn_of_whole_numbers,
    whole_numbers,
)
from bayou.learning import PriorChoice, collect, domains
from bayou.learning.em.expectation_maximisation import EMTask, climb
from bayou.learning.em.gradient import ascend
from bayou.learning.em.initial_parameters import (
    available_requests,
    learned_functions,
    presence_request,
    starts,
)
from bayou.learning.em.m_step import LearningProblem
from bayou.learning.em.several_starts import learn
from bayou.learning.em.trace import COLLAPSED, INTERRUPTED, OUT_OF_TRIES, PLAIN_EM, STALLED, STOPPED, Run
from bayou.learning.em.trace import Progress as Climbing
from bayou.learning.em.training_rows import TrainingRows
from bayou.learning.parameters import refuse_prior_without_effect
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import Variable
from bayou.sources.streams.aged_source import AgedSource
from bayou.statistics import (
    DistinctRows,
    Moments,
    Request,
    Result,
    Source,
    Statistics,
)
from bayou.typing import Name, Units


def fit(
    structure: Structure,
    data: TableGiven,
    priors: PriorChoice,
    how: FitOptions,
    *,
    before: FittedParameters | None = None,
    present: FrozenNetwork | None = None,
    stated: FrozenNetwork | None = None,
) -> tuple[FittedParameters, LearningTrace]:
    """Learn all parameters: by counting if nothing is missing, else by the user's method (default: EM).

    ``before`` is an earlier fit that these rows are added to. ``present`` has the parameters to start from if
    the user asked for that; functions of parents in ``stated`` are kept unless complete rows contradict them.
    """
    network = before.network if before is not None else present if how.start == "present" else None
    known = dict(structure.declared) if network is None else {v.name: v for v in network.schema}
    source = data.opened(structure, known, hidden=how.method != "count")
    if how.ageing is not None:
        source = AgedSource(source, how.ageing)
    try:
        fresh = collect(structure, source, known) if set(structure.dag.nodes) <= set(source.names) else None
        if isinstance(source, AgedSource) and before is not None:
            left = source.ageing.after(source.row_count)
            before = replace(before, statistics=before.statistics * left)
        complete = fresh is not None and _is_complete(fresh)
        if not complete and not source.reads_once:  # this note is not worth another pass
            guessed = inferred_continuous(source, structure.dag.nodes, known)
            warn_of_whole_numbers(whole_numbers(source, guessed))
        if fresh is not None and (complete or how.method == "count"):
            return _counted(structure, fresh, priors, before)
        rows = _Incomplete(structure, source, known, priors, how, before, network, stated)
    except BadGraph as error:
        guessed = inferred_continuous(source, structure.dag.nodes, known)
        raise _with_remedy(error, source, guessed) from None
    if fresh is not None and not rows.have_gaps:
        return _counted(structure, fresh, priors, before)
    return rows.learned()


def _with_remedy(error: BadGraph, source: Source, guessed: Sequence[Name]) -> BadGraph:
    """The error with a remedy, if the continuous parent has few whole numbers, texts read as numbers, or no
    value at all.
    """
    named = [name for name in guessed if f"continuous parent {name!r}" in str(error)]
    for name in named:
        if not source.has_values(name):
            return BadGraph(
                f"Column {name!r} has no value at all: its type is float, so it counts as continuous, and a "
                f"continuous variable cannot be a parent of states. Declare its states (states={{{name!r}: "
                "[…]}), or leave it out."
            )
    texts = {name: advice for name in named if (advice := text_remedy(source, name))}
    whole = whole_numbers(source, [name for name in named if name not in texts], gaps_only=False)
    remedies = [f"{name!r} has whole numbers only. {remedy(name, values)}" for name, values in whole.items()]
    return BadGraph(" ".join([str(error), *texts.values(), *remedies]))


def _is_complete(statistics: Statistics) -> bool:
    """Whether no row was left out of any family (up to the rounding of summed weights)."""
    totals = [result.total for result in statistics.values()]
    return all(abs(total - statistics.rows) <= 1e-9 * abs(statistics.rows) for total in totals)


def _counted(
    structure: Structure, fresh: Statistics, priors: PriorChoice, before: FittedParameters | None
) -> tuple[FittedParameters, LearningTrace]:
    if before is None:
        return learned_from(structure, fresh, priors), LearningTrace.counted(fresh.rows)
    if set(before.statistics) != set(fresh):
        raise _noisy_after_gaps()
    learned = learned_from(structure, before.statistics + fresh, priors)
    return replace(learned, expected=before.expected), LearningTrace.counted(fresh.rows)


def _noisy_after_gaps() -> BadData:
    return BadData(
        "A network with noisy nodes that has learned from rows with gaps cannot learn from more data piece "
        "by piece: the effects of its causes are expected, not counted. Fit it on all data at once."
    )


def _with_functions(available: Statistics, before: Statistics | None = None) -> Statistics:
    """The statistics of the new rows, with those of earlier rows added for functions of parents."""
    if before is None:
        return available
    rows = [request for request in available if isinstance(request, DistinctRows) and request in before]
    both: dict[Request, Result] = {request: available[request] + before[request] for request in rows}
    return Statistics({**available, **both}, available.rows)


class _Incomplete:
    """Learning from rows with missing values or hidden variables."""

    def __init__(
        self,
        structure: Structure,
        source: Source,
        known: Mapping[Name, Variable],
        priors: PriorChoice,
        how: FitOptions,
        before: FittedParameters | None,
        present: FrozenNetwork | None,
        stated: FrozenNetwork | None = None,
    ) -> None:
        self._how, self._present, self._before, self._structure = how, present, before, structure
        self._absent = {name for name in structure.dag.nodes if name not in source.names}
        old = [] if before is None else [before.statistics]
        self._available = _with_functions(self._ask(structure, source, known), *old)
        variables = domains(structure, self._available, *old)
        self._require_values(structure, variables)
        problem = LearningProblem(structure, variables, priors, None if before is None else before.statistics)
        self._require_learnable(problem)
        self._problem = learned_functions(problem, self._available, stated if present is None else present)
        plain = how.settings.method == PLAIN_EM
        self._rows = TrainingRows(source, list(self._problem.empty.schema), fill_all=plain)

    def _ask(self, structure: Structure, source: Source, known: Mapping[Name, Variable]) -> Statistics:
        """The statistics of complete families, and of every variable alone."""
        variables = {
            name: structure.declared.get(name) or known.get(name) or source.variable(name)
            for name in structure.dag.nodes
        }
        return source.collect(available_requests(structure, variables, self._absent))

    def _require_values(self, structure: Structure, variables: Mapping[Name, Variable]) -> None:
        for name, variable in variables.items():
            if variable.is_continuous and not self._seen(variable):
                self._require_witnesses(structure, variables, name)
            if not variable.is_continuous and not variable.states:
                raise BadData(
                    f"Column {name!r} has no value at all, so its states are unknown. Declare them "
                    "(states=…)."
                )

    def _require_witnesses(
        self, structure: Structure, variables: Mapping[Name, Variable], hidden: Name
    ) -> None:
        """Refuse a continuous variable that is never observed unless it connects others.

        It needs a child, and at least two children or continuous parents in all.
        """
        near = [(name, structure.dag.parents(name)) for name in structure.dag.nodes]
        children = [name for name, parents in near if hidden in parents]
        parents = [name for name in structure.dag.parents(hidden) if variables[name].is_continuous]
        if children and len(children) + len(parents) > 1:
            return
        missing = "the data have no column for it" if hidden in self._absent else "all its values are missing"
        raise BadData(
            f"There is no row to learn {hidden!r} from: {missing}. A continuous variable that is never "
            "observed can be learned only if it connects others: give it two continuous children, declare "
            "states, or leave it out."
        )

    def _require_learnable(self, problem: LearningProblem) -> None:
        """Refuse priors without effect, rows added to noisy nodes, and starts without the data's states."""
        for block, users in problem.users.items():
            refuse_prior_without_effect(problem.priors, problem.empty.kind(users[0]), (block, *users))
        hidden_parts = [n for n in problem.requests if problem.expected_requests[n] != problem.requests[n]]
        if self._before is not None and hidden_parts:
            raise _noisy_after_gaps()
        if self._present is None:
            return
        for variable in problem.empty.schema:
            old = self._present.schema[variable.name]
            if old.states != variable.states and self._how.start == "present":
                raise BadData(
                    f'start="present": the data show states of {variable.name!r} that its present table does '
                    f"not have: {listed(s for s in variable.states if s not in old.states)}."
                )

    @property
    def have_gaps(self) -> bool:
        """Whether any value is missing, apart from rows without any value."""
        return self._rows.census.cells > 0

    @property
    def _hidden(self) -> tuple[Name, ...]:
        """The variables without any observed value."""
        schema = self._problem.empty.schema
        return tuple(variable.name for variable in schema if not self._seen(variable))

    def _seen(self, variable: Variable) -> bool:
        if variable.name in self._absent:
            return False
        present: bool = self._available[presence_request(self._structure, variable)].total > 0
        return present

    def learned(self) -> tuple[FittedParameters, LearningTrace]:
        """Learn from every start and return the best result with its trace."""
        settings = self._how.settings
        weight = self._rows.census.weight
        task = EMTask(self._problem, self._rows.expect, settings, weight, self._how.budget, self._units())
        present = self._started_from()
        start = starts(self._problem, self._available, settings.seed, present)
        key = CheckpointKey(self._problem, lambda: fingerprint(self._rows), settings, present)
        with Checkpoint.at(self._how.checkpoint, key) as checkpoint:
            by = ascend if settings.method == "gradient" else climb
            reached = learn(task, start, by, checkpoint.resumed, checkpoint.keep)
        best = reached.best
        assert best is not None
        assert best.statistics is not None
        self._warn(best, reached)
        trace = LearningTrace.of(reached, best, self._rows.census, self._hidden)
        return self._result(best, best.statistics), trace

    def _units(self) -> Units:
        """The mean and the deviation of every continuous variable that varies."""
        units: dict[Name, tuple[float, float]] = {}
        for variable in self._problem.empty.schema:
            if variable.is_continuous and not variable.is_text and self._seen(variable):
                moments = self._available[Moments((variable.name,))]
                spread = math.sqrt(moments.scatter.item() / moments.total)
                units[variable.name] = (moments.mean.item(), spread) if spread > 0 else (0.0, 1.0)
        return units

    def _started_from(self) -> FrozenNetwork | None:
        """The network to start from, if it has the states of the data; else None."""
        present = self._present
        if self._how.start == "present" and (present is None or not present.blocks):
            raise NotFitted('start="present": the network has no tables yet. Set or learn them first.')
        return present if present is not None and present.schema == self._problem.empty.schema else None

    def _warn(self, best: Run, reached: Climbing) -> None:
        if best.verdict == STOPPED:
            gain = best.objectives[-1] - best.objectives[-2] if len(best.objectives) > 1 else math.nan
            warn_user(
                f"Learning stopped at max_iterations={reached.settings.max_iterations} before it converged "
                f"(the last step still gained {gain:.3g}). Raise max_iterations=, or tolerance=."
            )
        elif best.verdict == COLLAPSED:
            warn_user(
                f"Gradient ascent {best.verdict}: a variance is shrinking to zero, so the likelihood is "
                "unbounded. These tables are not a valid estimate. More rows, fewer hidden states or "
                "parents, or several starts (restarts=) help."
            )
        elif best.verdict in (STALLED, OUT_OF_TRIES):
            warn_user(
                f"Gradient ascent {best.verdict}: these are the best tables it found. Continue from them by "
                'EM (fit again with method="em", start="present"), or try several starts (restarts=).'
            )
        elif best.verdict == INTERRUPTED:
            warn_user(
                f"Learning was interrupted: these are the best tables so far, after {best.iterations} "
                "iterations."
            )

    def _result(self, best: Run, expected: Statistics) -> FittedParameters:
        """The fitted parameters; their statistics include earlier data and those of fixed functions."""
        known = expected
        if self._before is not None:
            known = expected + self._before.statistics.only(expected)
        self._problem.confirm(known)
        functions = {
            request: self._available[request]
            for name, request in self._problem.requests.items()
            if self._problem.structure.slot(name) in (self._problem.fixed or {})
            and request in self._available
        }
        statistics = Statistics({**known, **functions}, known.rows)
        return FittedParameters(best.network, statistics, self._problem.priors, expected=True)
