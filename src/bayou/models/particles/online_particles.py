"""A particle filter whose observations arrive one by one."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadQuestion, counted
from bayou.temporal.particles.filter_settings import FilterRun
from bayou.typing import FloatArray


class OnlineParticles:
    """Takes one observation after the other, in constant memory.

    >>> import bayou
    >>> series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
    >>> watch = bayou.ParticleFilter(series).online()
    >>> for seen in (0.3, None, 1.1):
    ...     mean = watch.observe(seen)
    >>> watch.steps, watch.particles.shape
    (3, (1000,))
    """

    def __init__(self, run: FilterRun) -> None:
        self._run = run
        self.steps = 0
        self.log_likelihood = 0.0
        self.surprise = 0.0
        self.effective_size = float("nan")

    def observe(self, observation: Any) -> Any:
        """Take an observation (None for a gap); return the mean of the state, or P(state) by its name.

        Raises ``BadData`` for an observation that cannot be read, and ``ImpossibleEvidence`` for one that no
        particle explains.

        >>> import bayou
        >>> watch = bayou.ParticleFilter(bayou.examples.casino(), 5000).online()
        >>> round(watch.observe(6)["loaded"], 1)
        0.8
        """
        trace = self._run.advance(self._run.read_one(observation), (), keep=False)
        self.surprise = -float(trace.log_steps[0])
        self.log_likelihood -= self.surprise
        self.effective_size = float(trace.effective_sizes[0])
        self.steps += 1
        found = trace.means[0]
        if self._run.states is not None:
            return dict(zip(self._run.states, found.tolist(), strict=True))
        return float(found) if found.ndim == 0 else found

    @property
    def particles(self) -> Any:
        """The present particles."""
        return self._weighted()[0]

    @property
    def weights(self) -> FloatArray:
        """Their weights, which sum to 1."""
        return self._weighted()[1]

    def __repr__(self) -> str:
        if not self.steps:
            return "OnlineParticles: nothing observed yet; observe(…) takes the first observation"
        return (
            f"OnlineParticles: {counted(self.steps, 'step')}, effective size {self.effective_size:,.0f}, "
            f"log-likelihood about {self.log_likelihood:.6g}"
        )

    def _weighted(self) -> tuple[Any, FloatArray]:
        if not self.steps:
            raise BadQuestion("Nothing has been observed yet.")
        return self._run.weighted_particles()
