"""Whether the messages of loopy propagation stopped changing, and what may be said of the answer then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bayou.errors import counted


@dataclass(frozen=True)
class Convergence:
    """How loopy propagation ended.

    ``iterations`` counts sweeps (all messages towards a root and back), ``residual`` is the largest change of
    a message in the last one, where the largest value of a message is 1. ``is_exact`` says that the graph had
    no cycle: then one sweep gives the exact probabilities.

    >>> print(Convergence(12, 4.2e-10, True, False))
    Approximate: loopy propagation converged after 12 sweeps (messages change by 4.2e-10).
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

    def __str__(self) -> str:
        sweeps = counted(self.iterations, "sweep")
        if self.is_exact and self.converged:
            return f"Exact: loopy propagation met no cycle ({sweeps})."
        if self.converged:
            change = f"messages change by {self.residual:.2g}"
            return f"Approximate: loopy propagation converged after {sweeps} ({change})."
        return (
            f"Not to be trusted: loopy propagation did not converge in {sweeps} (messages still change by "
            f"{self.residual:.2g})."
        )
