"""What a posterior says of how loopy propagation ended; nothing where another engine answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayou.inference.loopy.convergence import Convergence


class LoopyVerdict:
    """The attributes of answers with ``engine="loopy"``; all are None for another engine.

    >>> import bayou
    >>> found = bayou.examples.storm().query("Storm | ForestFire=yes", engine="loopy")
    >>> found.converged, found.residual <= 1e-9
    (True, True)
    >>> print(bayou.examples.storm().query("Storm").converged)
    None
    """

    __slots__ = ()

    @property
    def convergence(self) -> Convergence | None:
        """How loopy propagation ended; None for an answer of another engine."""
        return getattr(self, "_convergence", None)

    @property
    def converged(self) -> bool | None:
        """Whether the messages stopped changing."""
        return self.convergence.converged if self.convergence else None

    @property
    def iterations(self) -> int | None:
        """The number of sweeps, each of which sends all messages towards a root and back."""
        return self.convergence.iterations if self.convergence else None

    @property
    def residual(self) -> float | None:
        """The largest change of a message in the last sweep; the largest value of a message is 1."""
        return self.convergence.residual if self.convergence else None

    def _verdict(self) -> list[str]:
        """The lines that are printed below the probabilities, if there are some."""
        return str(self.convergence).splitlines() if self.convergence else []
