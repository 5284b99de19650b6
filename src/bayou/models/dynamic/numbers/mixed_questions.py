"""Questions about sequences of dynamic networks with numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayou.errors import BadQuestion
from bayou.models.dynamic.dynamic_input import ASKING, names_asked
from bayou.models.dynamic.numbers.asked_sequences import (
    KNOWN_NUMBERS,
    KNOWN_STATES,
    AskedSequences,
    SequencesAlike,
    first_unknown,
    sequences_alike,
)
from bayou.models.dynamic.numbers.mixed_input import MixedInput
from bayou.models.dynamic.numbers.number_answers import (
    EXACT,
    PARTICLES,
    MixedBeliefs,
    NumberBeliefs,
    NumberPath,
)
from bayou.models.dynamic.slice_answers import Trajectory
from bayou.models.sequences.state_answers import StateBeliefs, StatePath
from bayou.temporal.gaussian_templates.best_path import BestPath, best_path
from bayou.temporal.gaussian_templates.known_numbers import (
    ExactAnswers,
    KnownNumbers,
)
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.mixed_model import MixedModel
from bayou.temporal.gaussian_templates.smoothed_paths import smoothed_by_paths
from bayou.temporal.gaussian_templates.state_template import StateTemplate
from bayou.temporal.gaussian_templates.switching_particles import (
    SwitchingEstimates,
    SwitchingSettings,
    switching_estimates,
)
from bayou.typing import FloatArray, Name

ESTIMATING = ("engine", "particles", "seed", "resampling", "resample_below", "paths")
"""The arguments of answers that are estimated."""
SO_FAR, ALL, NEXT = "What is known so far", "What is known in the end", "The next steps"


@dataclass(frozen=True, eq=False)
class MixedQuestions:
    """A template with numbers and its parameters, asked about sequences.

    ``engine`` is ``"exact"``, ``"particles"``, or None: exact where all states or all numbers are known, else
    by particles.
    """

    model: MixedModel
    engine: str | None = None

    def filter(self, data: Any, ask: Any, how: Mapping[str, Any]) -> Any:
        """What is known of each step, given the steps up to it."""
        asked = self._asked(data, how)
        wanted = self._wanted(ask, asked.evidence)
        return asked.one_or_all(self._filtered(SO_FAR, asked, wanted, 0))

    def forecast(self, data: Any, steps: int, ask: Any, how: Mapping[str, Any]) -> Any:
        """What is known of the steps that follow each sequence."""
        asked = self._asked(data, how, steps)
        outside = self.model.template.outside
        wanted = tuple(
            name for name in names_asked(ask, self.model.template.names) if not outside(name) or ask
        )
        return asked.one_or_all(self._filtered(NEXT, asked, wanted, steps))

    def _filtered(
        self, title: str, asked: AskedSequences, wanted: tuple[Name, ...], last: int
    ) -> Iterator[MixedBeliefs]:
        """The answer about each sequence, of its last steps (0: of all)."""
        for part in asked.parts:
            evidence = part.evidence
            exact = None if part.way == PARTICLES else self._filtered_exactly(part)
            for k, length in enumerate(evidence.lengths.tolist()):
                first = length - last if last else 0
                if exact is not None:
                    yield self._beliefs(title, evidence, k, wanted, exact, bool(last), first)
                    continue
                found = switching_estimates(self.model, evidence, k, asked.settings)
                steps = None if last else found.log_steps
                yield self._estimated(title, evidence, k, wanted, found, steps, first)

    def _filtered_exactly(self, part: SequencesAlike) -> ExactAnswers:
        if part.way == KNOWN_NUMBERS:
            return self._known_numbers.filtered(part.evidence)
        logs, steps, means, covariances = self.model.filtered(part.evidence)
        return ExactAnswers(logs, steps, {}, means, np.einsum("rii->ri", covariances), covariances)

    def smooth(self, data: Any, ask: Any, how: Mapping[str, Any]) -> Any:
        """What is known of each step, given all steps."""
        asked = self._asked(data, how)
        return asked.one_or_all(self._smoothed(asked, self._wanted(ask, asked.evidence)))

    def _smoothed(self, asked: AskedSequences, wanted: tuple[Name, ...]) -> Iterator[MixedBeliefs]:
        for part in asked.parts:
            evidence = part.evidence
            exact = None if part.way == PARTICLES else self._smoothed_exactly(part)
            for k in range(part.count):
                if exact is not None:
                    yield self._beliefs(ALL, evidence, k, wanted, exact)
                    continue
                found = smoothed_by_paths(self.model, evidence, k, asked.settings)
                yield self._estimated(ALL, evidence, k, wanted, found, None)

    def _smoothed_exactly(self, part: SequencesAlike) -> ExactAnswers:
        if part.way == KNOWN_NUMBERS:
            return self._known_numbers.smoothed(part.evidence)
        logs, means, covariances = self.model.smoothed(part.evidence)
        return ExactAnswers(logs, None, {}, means, np.einsum("rii->ri", covariances), covariances)

    def log_likelihoods(self, data: Any, how: Mapping[str, Any]) -> FloatArray:
        """The log density of what is known of each sequence."""
        asked, found = self._asked(data, how), [np.zeros(0)]
        for part in asked.parts:
            if part.way == KNOWN_NUMBERS:
                found.append(self._known_numbers.log_likelihoods(part.evidence))
            elif part.way == KNOWN_STATES:
                found.append(self.model.log_likelihoods(part.evidence))
            else:
                found.append(np.array([one.log_likelihood for one in self._estimates(asked, part)]))
        return np.concatenate(found)

    def answers_exactly(self, data: Any, how: Mapping[str, Any]) -> bool:
        """Whether nothing is estimated."""
        return all(part.way != PARTICLES for part in self._asked(data, how).parts)

    def score_steps(self, data: Any, how: Mapping[str, Any]) -> Any:
        """The log density of each step given those before."""
        asked, found = self._asked(data, how), []
        for part in asked.parts:
            if part.way == PARTICLES:
                found += [one.log_steps for one in self._estimates(asked, part)]
                continue
            steps = self._filtered_exactly(part).steps
            assert steps is not None
            found += np.split(steps, part.evidence.starts[1:-1])
        return asked.one_or_all(found)

    def _estimates(self, asked: AskedSequences, part: SequencesAlike) -> Iterator[SwitchingEstimates]:
        for k in range(part.count):
            yield switching_estimates(self.model, part.evidence, k, asked.settings)

    @cached_property
    def _known_numbers(self) -> KnownNumbers:
        return KnownNumbers(self.model, StateTemplate(self.model.layout))

    def most_probable(self, data: Any, how: Mapping[str, Any]) -> Any:
        """The most probable states, whatever the numbers, and the most probable numbers given them."""
        asked = self._asked(data, how)
        wanted = self._wanted(None, asked.evidence)
        return asked.one_or_all(
            self._trajectory(part.evidence, k, wanted, best)
            for part in asked.parts
            for k, best in enumerate(self._best_paths(part, asked.settings))
        )

    def _best_paths(self, part: SequencesAlike, settings: SwitchingSettings) -> Iterator[BestPath]:
        if part.way != KNOWN_NUMBERS:
            for k in range(part.count):
                yield best_path(self.model, part.evidence, k, settings)
            return
        logs, states, numbers = self._known_numbers.best(part.evidence)
        for k, log in enumerate(logs.tolist()):
            rows = slice(int(part.evidence.starts[k]), int(part.evidence.starts[k + 1]))
            yield BestPath(states[rows], numbers[rows], log, None)

    def _trajectory(
        self, evidence: MixedEvidence, sequence: int, wanted: tuple[Name, ...], best: BestPath
    ) -> Trajectory:
        layout, one = evidence.layout, evidence.of(sequence)
        paths: dict[Name, StatePath | NumberPath] = {}
        for name in wanted:
            rows = one.rows_where_it_begins(name)
            if name in layout.numbers:
                paths[name] = NumberPath(name, best.numbers[rows, layout.numbers.index(name)])
            else:
                codes = best.states[rows, layout.states.index(name)].astype(np.int64)
                paths[name] = StatePath(self.model.variables[name], codes, best.log_density)
        return Trajectory(paths, best.log_density, best.compared)

    def sample(self, length: int, count: int, seed: int, do: Any) -> list[dict[Name, list[Any]]]:
        """Draw sequences: lists of states and numbers."""
        from bayou.models.dynamic.numbers.drawn_numbers import drawn_sequences

        reader = MixedInput(self.model.template, self.model.variables)
        one, _ = reader.rows(None, {}, length)
        evidence = reader.read(one.only(np.zeros(count, dtype=np.int64)), {"do": do})
        return drawn_sequences(self.model, length, evidence, seed)

    # Input and answers

    def _asked(self, data: Any, how: Mapping[str, Any], more: int = 0) -> AskedSequences:
        unknown = [name for name in how if name not in (*ASKING, *ESTIMATING)]
        if unknown:
            raise BadQuestion(
                f"{unknown[0]!r}: there is no such argument; use some of {', '.join((*ASKING, *ESTIMATING))}."
            )
        engine = how.get("engine", self.engine)
        if engine not in (None, EXACT, PARTICLES):
            raise BadQuestion.choice("engine", engine, (EXACT, PARTICLES))
        reader = MixedInput(self.model.template, self.model.variables)
        rows, single = reader.rows(data, {name: how[name] for name in how if name in ASKING}, more)
        evidence = reader.read(rows, how)
        chosen = {name: how[name] for name in how if name in ESTIMATING[1:]}
        settings = SwitchingSettings.checked(**chosen)
        if engine == PARTICLES:
            return AskedSequences(evidence, single, settings, (SequencesAlike(evidence, PARTICLES),))
        parts = sequences_alike(self._known_numbers.states, evidence)
        for part in parts:
            if engine == EXACT and part.way == PARTICLES:
                raise BadQuestion(
                    "Unknown numbers that unknown states switch have no exact answer, and "
                    f'{first_unknown(part.evidence)!r} has gaps. engine="particles" estimates it.'
                )
        return AskedSequences(evidence, single, settings, parts)

    def _wanted(self, ask: Any, evidence: MixedEvidence) -> tuple[Name, ...]:
        if ask is not None:
            return names_asked(ask, self.model.template.names)
        return tuple(name for name in self.model.template.names if not evidence.known(name).all())

    def _beliefs(
        self,
        title: str,
        evidence: MixedEvidence,
        sequence: int,
        wanted: tuple[Name, ...],
        exact: ExactAnswers,
        without_steps: bool = False,
        first: int = 0,
    ) -> MixedBeliefs:
        layout, begin = evidence.layout, int(evidence.starts[sequence])
        part = slice(begin + first, int(evidence.starts[sequence + 1]))
        log = float(exact.logs[sequence])
        found: dict[Name, NumberBeliefs | StateBeliefs] = {}
        for name in wanted:
            exists = self._exists(evidence, sequence, name)[first:]
            if name in layout.numbers:
                at = layout.numbers.index(name)
                own = np.where(exists, exact.means[part, at], np.nan)
                spread = np.where(exists, exact.variances[part, at], np.nan)
                found[name] = NumberBeliefs(f"{title}: {name}", name, own, spread, log)
                continue
            variable = self.model.variables[name]
            if name in exact.shares:
                shares = exact.shares[name][part]
            else:
                shares = np.eye(variable.cardinality)[evidence.codes[part, layout.states.index(name)]]
            shares = np.where(exists[:, None], shares, np.nan)
            found[name] = StateBeliefs(f"{title}: {name}", variable, shares, log)
        return MixedBeliefs(
            title,
            found,
            log,
            None if exact.steps is None or without_steps else exact.steps[part],
            first,
            numbers=layout.numbers,
            joint=None if exact.covariances is None else exact.covariances[part],
        )

    def _estimated(
        self,
        title: str,
        evidence: MixedEvidence,
        sequence: int,
        wanted: tuple[Name, ...],
        found: SwitchingEstimates,
        steps: FloatArray | None,
        first: int = 0,
    ) -> MixedBeliefs:
        """The answer of particles about one sequence."""
        layout, log = evidence.layout, found.log_likelihood
        beliefs: dict[Name, NumberBeliefs | StateBeliefs] = {}
        errors: dict[Name, FloatArray] = {}
        for name in wanted:
            exists = self._exists(evidence, sequence, name)[first:]
            if name in layout.numbers:
                at = layout.numbers.index(name)
                own, spread = (
                    np.where(exists, part[first:, at], np.nan) for part in (found.means, found.variances)
                )
                beliefs[name] = NumberBeliefs(f"{title}: {name}", name, own, spread, log)
                errors[name] = found.mean_errors[first:, at]
                continue
            shares = np.where(exists[:, None], found.shares[name][first:], np.nan)
            beliefs[name] = StateBeliefs(f"{title}: {name}", self.model.variables[name], shares, log)
            errors[name] = found.share_errors[name][first:]
        return MixedBeliefs(
            title,
            beliefs,
            log,
            steps,
            first,
            PARTICLES,
            layout.numbers,
            effective_size=found.effective_sizes[first:],
            errors=errors,
        )

    def _exists(
        self, evidence: MixedEvidence, sequence: int, name: Name
    ) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """At which steps of a sequence a variable exists."""
        template, length = self.model.template, int(evidence.lengths[sequence])
        found = np.ones(length, dtype=bool)
        if name in template.first:
            found[1:] = False
        elif name in template.last:
            found[:-1] = False
        return found
