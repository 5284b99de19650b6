"""Questions about sequences of dynamic networks with numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadQuestion, UnknownVariable
from bayou.models.dynamic.dynamic_input import ASKING
from bayou.models.dynamic.numbers.mixed_input import MixedInput
from bayou.models.dynamic.numbers.number_answers import EXACT, PARTICLES, MixedBeliefs, NumberBeliefs
from bayou.models.sequences.state_answers import StateBeliefs
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.mixed_model import MixedModel
from bayou.temporal.gaussian_templates.smoothed_paths import smoothed_by_paths
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
class _Asked:
    """What is known of sequences, whether they are one that was not given in a list, and how to estimate."""

    evidence: MixedEvidence
    single: bool
    settings: SwitchingSettings | None

    def one_or_all(self, answers: Iterable[Any]) -> Any:
        found = list(answers)
        return found[0] if self.single else found


def _first_unknown(evidence: MixedEvidence) -> Name:
    """A variable whose states are not all known."""
    for name in evidence.layout.states:
        if (
            name in evidence.likelihoods
            or not evidence.known(name)[evidence.rows_where_it_begins(name)].all()
        ):
            return name
    return evidence.layout.states[0]


@dataclass(frozen=True, eq=False)
class MixedQuestions:
    """A template with numbers and its parameters, asked about sequences.

    ``engine`` is ``"exact"``, ``"particles"``, or None: exact where all states are known, else by particles.
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
        wanted = tuple(name for name in self._names_asked(ask) if not outside(name) or ask)
        return asked.one_or_all(self._filtered(NEXT, asked, wanted, steps))

    def _filtered(
        self, title: str, asked: _Asked, wanted: tuple[Name, ...], last: int
    ) -> Iterator[MixedBeliefs]:
        """The answer about each sequence, of its last steps (0: of all)."""
        evidence = asked.evidence
        if asked.settings is not None:
            for k, length in enumerate(evidence.lengths.tolist()):
                found = switching_estimates(self.model, evidence, k, asked.settings)
                yield self._estimated(title, evidence, k, wanted, found, length - last if last else 0)
            return
        logs, steps, means, covariances = self.model.filtered(evidence)
        for k, length in enumerate(evidence.lengths.tolist()):
            own = None if last else steps
            first = length - last if last else 0
            yield self._beliefs(title, evidence, k, wanted, logs, own, means, covariances, first=first)

    def smooth(self, data: Any, ask: Any, how: Mapping[str, Any]) -> Any:
        """What is known of each step, given all steps."""
        asked = self._asked(data, how)
        evidence, wanted = asked.evidence, self._wanted(ask, asked.evidence)
        if asked.settings is not None:
            found = (
                smoothed_by_paths(self.model, evidence, k, asked.settings)
                for k in range(len(evidence.lengths))
            )
            answers = (self._estimated(ALL, evidence, k, wanted, one, 0) for k, one in enumerate(found))
            return asked.one_or_all(answers)
        logs, means, covariances = self.model.smoothed(evidence)
        return asked.one_or_all(
            self._beliefs(ALL, evidence, k, wanted, logs, None, means, covariances)
            for k in range(len(evidence.lengths))
        )

    def log_likelihoods(self, data: Any, how: Mapping[str, Any]) -> FloatArray:
        """The log density of what is known of each sequence."""
        asked = self._asked(data, how)
        if asked.settings is None:
            return self.model.log_likelihoods(asked.evidence)
        return np.array([one.log_likelihood for one in self._all_estimates(asked)])

    def answers_exactly(self, data: Any, how: Mapping[str, Any]) -> bool:
        """Whether no state is unknown, so that nothing is estimated."""
        return self._asked(data, how).settings is None

    def score_steps(self, data: Any, how: Mapping[str, Any]) -> Any:
        """The log density of each step given those before."""
        asked = self._asked(data, how)
        if asked.settings is not None:
            return asked.one_or_all(one.log_steps for one in self._all_estimates(asked))
        _, steps, _, _ = self.model.filtered(asked.evidence)
        return asked.one_or_all(np.split(steps, asked.evidence.starts[1:-1]))

    def _all_estimates(self, asked: _Asked) -> Iterator[SwitchingEstimates]:
        assert asked.settings is not None
        for k in range(len(asked.evidence.lengths)):
            yield switching_estimates(self.model, asked.evidence, k, asked.settings)

    def most_probable(self) -> Any:
        """Refuse, and say what answers instead."""
        raise BadQuestion(
            "most_probable is for templates whose variables all have states. The most probable values of "
            "numbers are their means in smooth(…)."
        )

    def sample(self, length: int, count: int, seed: int, do: Any) -> list[dict[Name, list[Any]]]:
        """Draw sequences: lists of states and numbers."""
        from bayou.models.dynamic.numbers.drawn_numbers import drawn_sequences

        reader = MixedInput(self.model.template, self.model.variables)
        one, _ = reader.rows(None, {}, length)
        evidence = reader.read(one.only(np.zeros(count, dtype=np.int64)), {"do": do})
        return drawn_sequences(self.model, length, evidence, seed)

    # Input and answers

    def _asked(self, data: Any, how: Mapping[str, Any], more: int = 0) -> _Asked:
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
        by_particles = not evidence.states_known or bool(evidence.likelihoods)
        if engine == EXACT and by_particles:
            raise BadQuestion(
                "Numbers that unknown states switch have no exact answer, and "
                f'{_first_unknown(evidence)!r} has gaps. engine="particles" estimates it.'
            )
        chosen = {name: how[name] for name in how if name in ESTIMATING[1:]}
        settings = SwitchingSettings.checked(**chosen)
        return _Asked(evidence, single, settings if by_particles or engine == PARTICLES else None)

    def _names_asked(self, ask: Any) -> tuple[Name, ...]:
        names = self.model.template.names
        if ask is None:
            return names
        asked = (ask,) if isinstance(ask, str) or not isinstance(ask, Iterable) else tuple(ask)
        for name in asked:
            if name not in names:
                raise UnknownVariable.named(name, names, "in ask")
        return asked

    def _wanted(self, ask: Any, evidence: MixedEvidence) -> tuple[Name, ...]:
        if ask is not None:
            return self._names_asked(ask)
        return tuple(name for name in self.model.template.names if not evidence.known(name).all())

    def _beliefs(
        self,
        title: str,
        evidence: MixedEvidence,
        sequence: int,
        wanted: tuple[Name, ...],
        logs: FloatArray,
        steps: FloatArray | None,
        means: FloatArray,
        covariances: FloatArray,
        first: int = 0,
    ) -> MixedBeliefs:
        layout, begin = evidence.layout, int(evidence.starts[sequence])
        part = slice(begin + first, int(evidence.starts[sequence + 1]))
        log = float(logs[sequence])
        found: dict[Name, NumberBeliefs | StateBeliefs] = {}
        for name in wanted:
            exists = self._exists(evidence, sequence, name)[first:]
            if name in layout.numbers:
                at = layout.numbers.index(name)
                own = np.where(exists, means[part, at], np.nan)
                spread = np.where(exists, covariances[part, at, at], np.nan)
                found[name] = NumberBeliefs(f"{title}: {name}", name, own, spread, log)
                continue
            variable = self.model.variables[name]
            shares = np.eye(variable.cardinality)[evidence.codes[part, layout.states.index(name)]]
            shares = np.where(exists[:, None], shares, np.nan)
            found[name] = StateBeliefs(f"{title}: {name}", variable, shares, log)
        return MixedBeliefs(
            title,
            found,
            log,
            None if steps is None else steps[part],
            first,
            numbers=layout.numbers,
            joint=covariances[part],
        )

    def _estimated(
        self,
        title: str,
        evidence: MixedEvidence,
        sequence: int,
        wanted: tuple[Name, ...],
        found: SwitchingEstimates,
        first: int,
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
            None if first else found.log_steps,
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
