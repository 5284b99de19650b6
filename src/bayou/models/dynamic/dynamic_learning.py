"""Learning the tables of a dynamic network from sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from bayou.arguments import real_number, seed_number, weights_named, whole_number
from bayou.errors import BadData, BadQuestion, BadStatistics, NotFitted, listed
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.template_fit import (
    COUNT,
    METHODS,
    FittedTemplate,
    TemplateFitOptions,
    counted,
    fit_template,
    template_structure,
)
from bayou.formats.file_content import FilePath
from bayou.learning import PriorChoice
from bayou.learning.em.trace import Settings
from bayou.models.dynamic.dynamic_input import KEYS, DynamicInput, discrete_column, sequences_of
from bayou.models.dynamic.dynamic_questions import DynamicQuestions
from bayou.schema import Variable
from bayou.statistics.labels import union
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.gaussian_templates.switching_particles import SwitchingSettings
from bayou.temporal.stored_sequences import AnySequences
from bayou.temporal.templates.evidence_parts import EvidenceParts
from bayou.temporal.templates.family_counts import all_known, counts_of
from bayou.temporal.templates.slice_evidence import SliceEvidence
from bayou.typing import Name

DEFAULT_TOLERANCE, DEFAULT_ITERATIONS = 1e-4, 500
FIT_PARTICLES, FIT_PATHS = 100, 10
"""Fewer than for answers: EM averages over its steps."""


class DynamicLearning(DynamicQuestions):
    """A dynamic network that learns; :class:`~bayou.DynamicNetwork` inherits it."""

    _learned: FittedTemplate | None = None
    _trace: LearningTrace | None = None

    @weights_named("weights")
    def fit(
        self,
        data: Any,
        *,
        sequence: Name | None = None,
        time: Name | None = None,
        lengths: Any = None,
        columns: Sequence[Name] | None = None,
        gaps: Any = "ignore",
        do: Any = None,
        weights: Any = None,
        prior: Any = None,
        method: str | None = None,
        start: str = "data",
        restarts: int = 1,
        seed: int = 0,
        tolerance: float = DEFAULT_TOLERANCE,
        max_iterations: int = DEFAULT_ITERATIONS,
        checkpoint: FilePath | None = None,
        particles: int | None = None,
        paths: int | None = None,
    ) -> Any:
        """Learn all tables from sequences; a table is learned from all slices that use it.

        ``data`` is a table (with columns ``sequence`` and ``time`` if it has several sequences), a list of
        sequences, or an array with ``lengths`` and ``columns``. If every value is known, families are
        counted; otherwise EM learns with gaps and with variables that have no column (these need ``states``).
        ``weights`` has one number for each sequence, ``prior`` pseudocounts as in ``Network.fit`` (by table,
        if it is a mapping). Columns in ``do`` were set, not observed: nothing is learned of how they come
        about. ``start="present"`` continues from the present tables; ``checkpoint`` names a .bayou file from
        which an interrupted fit goes on. Files larger than memory are sorted into temporary files once, and
        read again for every step. The states of a variable that is never observed are sorted by the mean code
        of its first observed child (of a number: the intercept of its line), then of the next one.

        Where unknown states switch numbers, the E-step of EM is estimated: ``paths`` (10) of states are drawn
        from ``particles`` (100) given each sequence, anew in every step, and the numbers smoothed exactly
        given each path. The objective is then an estimate that goes up and down; when it no longer rises
        beyond its noise, statistics are averaged over the steps. The error of its last value is
        ``learning.error``. More particles and paths make the parameters more exact. Sequences with at most
        256 paths of unknown states are computed exactly.

        Returns this network. Raises ``BadData`` for a table that cannot be read.

        >>> import bayou
        >>> days = {"Rain": ["no", "yes", "yes", "no"], "Umbrella": ["no", "yes", "yes", "yes"]}
        >>> world = bayou.DynamicNetwork("Rain -> Rain'; Rain -> Umbrella").fit(days, prior=0)
        >>> world.cpt("Rain'").to_array().tolist()
        [[0.0, 1.0], [0.5, 0.5]]
        """
        if method is not None and method not in METHODS:
            raise BadQuestion.choice("method", method, METHODS)
        if start not in ("data", "present"):
            raise BadQuestion.choice("start", start, ("data", "present"))
        if checkpoint is not None and method == COUNT:
            raise BadQuestion("checkpoint= is for EM: counting has no progress to be stored. Leave it out.")
        expected = "give a number from 0 to below 1, such as 1e-4"
        settings = Settings(
            "em",
            whole_number("restarts", restarts, 1),
            seed_number(seed),
            real_number("tolerance", tolerance, 0, 1, below=True, expected=expected),
            whole_number("max_iterations", max_iterations, 1),
        )
        present = self.model.network if start == "present" else None
        how = {"sequence": sequence, "time": time, "lengths": lengths, "columns": columns, "gaps": gaps}
        known = tuple(dict.fromkeys((*self.tables, *self._template.dag.nodes)))
        priors = PriorChoice.from_user(prior, known)
        drawn = SwitchingSettings.checked(
            particles=FIT_PARTICLES if particles is None else particles,
            paths=FIT_PATHS if paths is None else paths,
            seed=seed,
        )
        options = TemplateFitOptions(method, settings, present, checkpoint, self._state_of, drawn)
        variables, rows = self._rows(data, how, weights)
        if any(variable.is_continuous for variable in variables.values()):
            from bayou.models.dynamic.numbers.mixed_learning import fitted_numbers

            mixed = fitted_numbers(self._template, variables, rows, do, priors, options)
            self._declared = dict(variables)
            return self._take(*mixed)
        if particles is not None or paths is not None:
            raise BadQuestion(
                "particles= and paths= are for numbers that unknown states switch, but this network has no "
                "numbers. Leave them out."
            )
        evidence = self._evidence(variables, rows, do)
        learned, trace = fit_template(self._template, variables, evidence, priors, options, self._memory)
        self._declared = dict(variables)
        return self._take(learned, trace)

    def _state_of(self, learned: FittedTemplate) -> dict[str, Any]:
        """The content of a file with learned parameters."""
        from bayou.models.dynamic.dynamic_file import learned_state, template_state

        return {
            "template": template_state(self._template),
            "network": learned.network.state(),
            "learned": learned_state(learned),
        }

    def _take(self, learned: FittedTemplate, trace: LearningTrace | None) -> Any:
        net = self._blank()
        for table in self.tables:
            self._set_table(net, table, learned.network.distribution(table))
        self._net, self._learned, self._trace = net, learned, trace
        return self

    def set_cpt(self, table: Name, values: Any, *, normalise: bool = False) -> Any:
        """Set a table, by states or as an array with the axes (parents …, the variable). With ``normalise``
        rows are divided by their sums.

        Returns this network.

        Raises ``UnknownVariable`` for a name that no table has, ``BadTable`` for numbers that are no
        probabilities, ``UnknownState`` for a value that is no state, and ``NotFitted`` where the states are
        not known yet.

        >>> import bayou
        >>> world = bayou.examples.umbrella_world().set_cpt("Rain", {"no": 0.9, "yes": 0.1})
        >>> world.cpt("Rain")["yes"]
        0.1
        """
        super().set_cpt(table, values, normalise=normalise)
        self._learned = self._trace = None
        return self

    def partial_fit(self, data: Any, **how: Any) -> Any:
        """Learn from more sequences without gaps: equal to one fit on all of them. The first call is a
        ``fit``; if tables were given by hand, it must say what they are for (``start="present"``).

        Returns this network.

        Raises ``NotFitted`` where tables were given by hand and nothing says what they are for,
        ``BadQuestion`` for data that cannot be read as sequences or an argument that cannot change after the
        first fit, and ``BadStatistics`` for gaps.

        >>> import bayou
        >>> one = {"Rain": ["no", "yes"], "Umbrella": ["no", "yes"]}
        >>> world = bayou.DynamicNetwork("Rain -> Rain'; Rain -> Umbrella").partial_fit(one).partial_fit(one)
        >>> world.same_as(bayou.DynamicNetwork("Rain -> Rain'; Rain -> Umbrella").fit([one, one]))
        True
        """
        if self._learned is not None:
            return self._changed(data, how, forget=False)
        if self._net is not None and self._net.frozen.blocks and "start" not in how:
            raise NotFitted(
                "Tables of this network were given by hand, so it is not known how many rows they count as. "
                'partial_fit(data, start="present") starts EM from them where values are missing; fit(data) '
                "learns without them."
            )
        return self.fit(data, **how)

    def forget(self, data: Any, **how: Any) -> Any:
        """Forget sequences without gaps that were learned before.

        Returns this network.

        Raises ``NotFitted`` before the first fit, ``BadQuestion`` for data that cannot be read as sequences,
        and ``BadStatistics`` for gaps or sequences that were never learned.

        >>> import bayou
        >>> one, other = [{"Rain": ["no", last], "Umbrella": ["no", last]} for last in ("yes", "no")]
        >>> world = bayou.DynamicNetwork("Rain -> Rain'; Rain -> Umbrella").fit([one, other]).forget(other)
        >>> world.cpt("Rain'")["no", "yes"]
        0.6666666666666666
        """
        return self._changed(data, how, forget=True)

    def __add__(self, other: Any) -> Any:
        """The network learned from the sequences of both, all without gaps; both need the same template."""
        return self._combined(other, 1) if isinstance(other, type(self)) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        """The network learned from the sequences of this one without those of the other."""
        return self._combined(other, -1) if isinstance(other, type(self)) else NotImplemented

    def _combined(self, other: Any, sign: int) -> Any:
        ours, theirs = self._learned, other._learned
        if ours is None or theirs is None:
            raise NotFitted("Only networks that have learned from sequences can be added: fit both.")
        if ours.expected or theirs.expected or self.has_numbers or other.has_numbers:
            raise BadStatistics(
                "Dynamic networks add if all their variables have states and were observed in every slice: "
                "otherwise their statistics are expected ones. Fit one network on the sequences of both."
            )
        one, two = ours.network, theirs.network
        same = (one.dag, dict(one.sharing)) == (two.dag, dict(two.sharing))
        if not same or ours.priors != theirs.priors:
            raise BadStatistics("The networks have other arcs over time, or another prior: fit both alike.")
        variables = {name: union(self._declared[name], other._declared[name]) for name in self.names}
        both = ours.statistics + theirs.statistics if sign > 0 else ours.statistics - theirs.statistics
        twin: Any = deepcopy(self)
        twin._declared = variables
        structure = template_structure(self._template, variables)
        return twin._take(counted(structure, both, ours.priors), LearningTrace.counted(both.rows))

    def _changed(self, data: Any, how: Mapping[str, Any], *, forget: bool) -> Any:
        before = self._learned
        unknown = [name for name in how if name not in (*KEYS, "weights", "do")]
        if unknown:
            raise BadQuestion(f"{listed(unknown)} cannot change after the first fit; leave it out.")
        if before is None:
            raise NotFitted("There is nothing to forget: this network has not learned from sequences.")
        keys = {name: value for name, value in how.items() if name in KEYS}
        variables, rows = self._rows(data, keys, how.get("weights"))
        if self.has_numbers:
            from bayou.models.dynamic.numbers.mixed_learning import changed_numbers

            return self._take(
                *changed_numbers(self._template, variables, rows, how.get("do"), before, forget=forget)
            )
        evidence = self._evidence(variables, rows, how.get("do"))
        if before.expected or not all_known(evidence):
            raise BadStatistics(
                "Sequences are added and forgotten by counting, which needs every value of them and of those "
                "learned before. Fit the network on all sequences."
            )
        structure = template_structure(self._template, variables)
        fresh = counts_of(structure.frozen(), evidence)
        both = before.statistics - fresh if forget else before.statistics + fresh
        return self._take(counted(structure, both, before.priors), LearningTrace.counted(evidence.rows))

    def _rows(
        self, data: Any, how: Mapping[str, Any], weights: Any
    ) -> tuple[dict[Name, Variable], AnySequences]:
        """(the variables, with the states of the data if they are not declared, the rows)."""
        given = sequences_of(data, how, weights)
        source = given.source(None, list(self._declared.values()))
        available = given.columns(source)
        variables: dict[Name, Variable] = {}
        for name in self.names:
            if name in self._declared:
                variables[name] = self._declared[name]
            elif name in available:
                found = source.variable(name)
                variables[name] = found if found.is_continuous else discrete_column(source, name)
            else:
                raise BadData(
                    f"{name!r} is not a column of the data, so its states are not known: declare them "
                    "(states=…), or that it is a number (continuous=…)."
                )
        seen = [variables[name] for name in self.names if name in available]
        if not seen:
            raise BadData.lacks(self.names, available)
        given.tell_unused(*self.names)
        return variables, given.rows(source, seen)

    def _evidence(
        self, variables: Mapping[Name, Variable], rows: AnySequences, do: Any
    ) -> EvidenceParts[SliceEvidence]:
        """What is known of the variables."""
        reader = DynamicInput(self._template, variables)
        longest = int(rows.lengths.max(initial=0))

        def read(part: SequenceBatch, sequence: int, row: int) -> SliceEvidence:
            found = reader.evidence(part, {"do": do}, longest)
            return replace(found, first_sequence=sequence, first_row=row)

        return EvidenceParts(rows, read)

    @property
    def learning(self) -> LearningTrace:
        """How the tables were learned: the objective after each step, the starts, the verdict."""
        if self._trace is None:
            raise NotFitted("This network has not learned from sequences.")
        return self._trace
