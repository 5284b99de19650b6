"""Whether the messages of loopy propagation stopped changing, and what may be said of the answer then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bayou.errors import counted

NO_ERROR_BARS = "loopy propagation has no error bars, so nobody knows how far its numbers are off"


@dataclass(frozen=True)
class Convergence:
    """How loopy propagation ended.

    ``iterations`` counts sweeps (all messages towards a root and back), ``residual`` is the largest change of
    a message in the last one, where the largest value of a message is 1. ``is_exact`` says that the graph had
    no cycle: then one sweep gives the exact probabilities.

    >>> print(Convergence(12, 4.2e-10, True, False))
    Approximate: loopy propagation converged after 12 sweeps (messages change by 4.2e-10).
    Not to be trusted: loopy propagation has no error bars, so nobody knows how far its numbers are off.
    """

    iterations: int
    residual: float
    converged: bool
    is_exact: bool

    @classmethod
    def of_all(cls, runs: Sequence[Convergence]) -> Convergence:
        """The verdict on several runs together: that of the worst.

        >>> Convergence.of_all([Convergence(2, 0.0, True, True), Convergence(9, 1e-10, True, False)])
        Convergence(iterations=9, residual=1e-10, converged=True, is_exact=False)
        """
        return cls(
            max((run.iterations for run in runs), default=0),
            max((run.residual for run in runs), default=0.0),
            all(run.converged for run in runs),
            all(run.is_exact for run in runs),
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the answer is not to be trusted; there are none without a cycle, where it is exact."""
        if not self.converged:
            sweeps = counted(self.iterations, "sweep")
            return (
                f"loopy propagation did not converge in {sweeps} (messages still change by "
                f"{self.residual:.2g})",
            )
        return () if self.is_exact else (NO_ERROR_BARS,)

    @property
    def trusted(self) -> bool:
        """Whether the numbers may be relied on: exact ones only, since there are no error bars."""
        return not self.reasons

    def __str__(self) -> str:
        sweeps = counted(self.iterations, "sweep")
        if self.trusted:
            return f"Exact: loopy propagation met no cycle ({sweeps})."
        doubts = f"Not to be trusted: {'; '.join(self.reasons)}."
        if not self.converged:
            return doubts
        change = f"messages change by {self.residual:.2g}"
        return f"Approximate: loopy propagation converged after {sweeps} ({change}).\n{doubts}"
