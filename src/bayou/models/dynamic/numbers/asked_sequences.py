"""Sequences that a question is about, told apart by the way in which they can be answered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.models.dynamic.numbers.number_answers import PARTICLES
from bayou.temporal.gaussian_templates.known_numbers import can_be_planned, no_unknown_number_matters
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.state_template import StateTemplate
from bayou.temporal.gaussian_templates.switching_particles import SwitchingSettings
from bayou.typing import Name

KNOWN_STATES, KNOWN_NUMBERS = "known states", "known numbers"
"""Where all states are known, numbers are Gaussian; where all numbers are known, only states are left."""


@dataclass(frozen=True, eq=False)
class SequencesAlike:
    """Sequences that are answered in the same way: exactly, because of what is known, or by particles."""

    evidence: MixedEvidence
    way: str

    @property
    def count(self) -> int:
        """The number of sequences."""
        return len(self.evidence.lengths)


@dataclass(frozen=True, eq=False)
class AskedSequences:
    """What is known of sequences, whether they are one that was not given in a list, and how to estimate."""

    evidence: MixedEvidence
    single: bool
    settings: SwitchingSettings
    parts: tuple[SequencesAlike, ...]

    def one_or_all(self, answers: Iterable[Any]) -> Any:
        """The answers about all sequences, or the only one."""
        found = list(answers)
        return found[0] if self.single else found


def sequences_alike(states: StateTemplate, evidence: MixedEvidence) -> tuple[SequencesAlike, ...]:
    """The sequences by the way in which they are answered; one by one if they differ."""
    known_states = ~evidence.has_unknown_states & (not evidence.likelihoods)
    if known_states.all():
        return (SequencesAlike(evidence, KNOWN_STATES),)
    known_numbers = no_unknown_number_matters(evidence)
    if known_numbers.any() and not can_be_planned(states, evidence):
        known_numbers[:] = False
    ways = np.where(known_states, KNOWN_STATES, np.where(known_numbers, KNOWN_NUMBERS, PARTICLES))
    if (ways == ways[0]).all():
        return (SequencesAlike(evidence, str(ways[0])),)
    return tuple(SequencesAlike(evidence.of(k), way) for k, way in enumerate(ways.tolist()))


def first_unknown(evidence: MixedEvidence) -> Name:
    """A variable whose states are not all known."""
    for name in evidence.layout.states:
        begins = evidence.rows_where_it_begins(name)
        if name in evidence.likelihoods or not evidence.known(name)[begins].all():
            return name
    return evidence.layout.states[0]
