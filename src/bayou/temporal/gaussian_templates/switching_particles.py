"""Estimates about sequences whose states are not all known, by Rao-Blackwellised particles.

Each particle has states that were drawn, and the exact Gaussian of the numbers given these (Doucet, de
Freitas, Murphy and Russell 2000, Rao-Blackwellised particle filtering for dynamic Bayesian networks).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native import switching_filter, switching_paths
from bayou.arguments import real_number, seed_number, whole_number
from bayou.errors import BadQuestion, ImpossibleEvidence
from bayou.memory import require_memory
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.mixed_model import MixedModel
from bayou.temporal.particles.filter_settings import RESAMPLING
from bayou.typing import FloatArray, Name

DEFAULT_PARTICLES, DEFAULT_PATHS = 1000, 100
_ANOTHER = 0x616E6F74
"""A tag in the keys of seeds, so that those of other settings are not those of sequences."""


@dataclass(frozen=True)
class SwitchingSettings:
    """The number of particles, when and how they are resampled, and how many paths smoothing draws."""

    particles: int = DEFAULT_PARTICLES
    seed: int = 0
    resampling: str = "systematic"
    resample_below: float = 0.5
    paths: int = DEFAULT_PATHS

    @classmethod
    def checked(cls, **given: Any) -> SwitchingSettings:
        """Settings from arguments of users."""
        wanted = cls(**given)
        if wanted.resampling not in RESAMPLING:
            raise BadQuestion.choice("resampling", wanted.resampling, RESAMPLING)
        share = "give a share of the particles from 0 (never resample) to 1 (resample at every step)"
        return cls(
            whole_number("particles", wanted.particles, 1),
            seed_number(wanted.seed),
            wanted.resampling,
            real_number("resample_below", wanted.resample_below, 0, 1, expected=share),
            whole_number("paths", wanted.paths, 1),
        )

    def another(self, *numbers: int) -> SwitchingSettings:
        """The same with other random numbers, which these numbers name; 1 and (1, 0) name different ones."""
        # Zeros at the end of a key do not count, so it begins with a tag and with its length.
        key = [self.seed, _ANOTHER, len(numbers), *numbers]
        return replace(self, seed=int(np.random.SeedSequence(key).generate_state(1, np.uint64)[0]))

    def seed_of(self, sequence: int) -> int:
        """The seed of one of several sequences."""
        return int(np.random.SeedSequence([self.seed, sequence]).generate_state(1, np.uint64)[0])


@dataclass(frozen=True, eq=False)
class SwitchingEstimates:
    """What particles found at each step of one sequence; ``errors`` are standard errors. They come from the
    ancestors that the particles had some steps ago (Olsson and Douc 2019).
    """

    log_likelihood: float
    """An estimate of the log density of the sequence; its exponential is right on average."""
    log_steps: FloatArray | None
    effective_sizes: FloatArray
    shares: dict[Name, FloatArray]
    share_errors: dict[Name, FloatArray]
    means: FloatArray
    variances: FloatArray
    mean_errors: FloatArray


def switching_estimates(
    model: MixedModel, evidence: MixedEvidence, sequence: int, settings: SwitchingSettings
) -> SwitchingEstimates:
    """Run the particles through one of the sequences."""
    one = evidence.of(sequence)
    found = switching_filter(*_arguments(model, one, settings, settings.seed_of(one.first_sequence)))
    taken, steps, sizes, _, shares, share_errors, means, variances, mean_errors = found
    refuse_without_weight(one, taken)
    steps = steps if one.scales is None else steps + one.scales
    layout = model.layout
    ends = np.cumsum([model.variables[name].cardinality for name in layout.states])[:-1].tolist()
    # n particles may lack what has a probability of 1 / n.
    unresolved = 1 / np.maximum(sizes, 1.0)[:, None]
    errors = dict(zip(layout.states, np.split(share_errors, ends, axis=1), strict=True))
    for name, own in errors.items():
        errors[name] = np.where(one.known(name)[:, None], 0.0, np.hypot(own, unresolved))
    return SwitchingEstimates(
        float(steps.sum()),
        steps,
        sizes,
        dict(zip(layout.states, np.split(shares, ends, axis=1), strict=True)),
        errors,
        means,
        variances,
        np.hypot(mean_errors, unresolved * np.sqrt(variances)),
    )


@dataclass(frozen=True, eq=False)
class DrawnPaths:
    """States of one sequence, drawn given all of it: ``states`` [path, row, variable]."""

    states: npt.NDArray[np.uint32]
    log_likelihood: float
    effective_sizes: FloatArray


def drawn_paths(
    model: MixedModel, evidence: MixedEvidence, sequence: int, settings: SwitchingSettings
) -> DrawnPaths:
    """Draw paths of states backwards through the particles of one of the sequences."""
    one = evidence.of(sequence)
    places = len(model.layout.numbers) * max(model.template.order, 1)
    require_memory(
        8.0 * one.rows * settings.particles * (places + 1) * (places + 2),
        f"Keeping {settings.particles:,} particles of {one.rows:,} steps",
        "Use fewer (particles=).",
    )
    arguments = _arguments(model, one, settings, settings.seed_of(one.first_sequence))
    taken, failed, steps, sizes, states = switching_paths(*(*arguments, settings.paths))
    refuse_without_weight(one, taken)
    steps = steps if one.scales is None else steps + one.scales
    if failed >= 0:
        raise BadQuestion(
            f"Paths cannot be drawn: the values at step {failed} (counting from 0) are functions of the "
            "slice before. Give the lines of observed numbers a variance above 0, or ask filter and score."
        )
    return DrawnPaths(states, float(steps.sum()), sizes)


def _arguments(
    model: MixedModel, one: MixedEvidence, settings: SwitchingSettings, seed: int
) -> tuple[Any, ...]:
    """What the kernels take."""
    model.require(one)
    places = len(model.layout.numbers) * max(model.template.order, 1)
    require_memory(
        16.0 * settings.particles * (places + 2) ** 2, f"{settings.particles:,} particles", "Use fewer."
    )
    none = np.zeros((0, 0))
    likelihoods = [np.ascontiguousarray(one.likelihoods.get(n, none)) for n in model.layout.states]
    resampling = RESAMPLING.index(settings.resampling)
    return (
        model.slices,
        *one.arguments()[1:],
        likelihoods,
        settings.particles,
        seed,
        resampling,
        settings.resample_below,
    )


def refuse_without_weight(one: MixedEvidence, taken: int) -> None:
    """Raise ImpossibleEvidence if the particles did not get to the end."""
    if taken < one.rows:
        raise ImpossibleEvidence(
            f"Step {taken} of sequence {one.number_of(0)} (counting from 0): no particle can explain it. "
            "Look at this step, use more particles (particles=), or tables and variances without zeros."
        )
