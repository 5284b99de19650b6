"""A distribution before it is learned: its kind, and what the start of EM is made from."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bayou.distributions.family import Family
from bayou.distributions.priors import Prior
from bayou.schema import Variable

if TYPE_CHECKING:
    from bayou.distributions.base import Distribution
    from bayou.statistics import Request


@dataclass(frozen=True)
class StartingData:
    """The information about a family from which the start of EM is made.

    ``complete`` is the statistic of the rows in which the family is complete (None: there are none),
    ``before`` that of records learned earlier, ``alone`` gives the statistic of one variable over all rows
    that have it, ``chance`` is a random generator. ``wild`` asks for a start away from the complete rows'
    estimate.
    """

    family: Family
    prior: Prior
    complete: Any
    before: Any
    alone: Callable[[Variable], Any]
    chance: np.random.Generator
    wild: bool


def kind_word(kind: Any) -> str:
    """Return the name of a kind of feature as users type it; the title of other distributions."""
    return str(getattr(kind, "word", kind.title))


class DistributionKind(Protocol):
    """A distribution before it is learned: a class, or a declaration with options such as a noisy-OR."""

    @property
    def title(self) -> str:
        """Its name in messages and printed tables."""

    @property
    def form(self) -> str:
        """``finite``, ``gaussian`` or ``density``."""

    @property
    def uses_prior(self) -> bool:
        """Whether pseudocounts change the estimate."""

    @property
    def fixed_in_em(self) -> bool:
        """Whether EM leaves it unchanged: estimated from complete rows before, or given by the user."""

    def check_family(self, family: Family) -> None:
        """Raise an error for a child or parents that this kind cannot have."""

    def needs(self, family: Family) -> Request:
        """The statistic that it is estimated from."""

    def expects(self, family: Family) -> Any:
        """The statistic that the E-step of EM computes for it."""

    def meaning(self, family: Family) -> Hashable:
        """The codes of its marked states (None: no states are marked).

        Variables that share parameters must have the same.
        """

    def pinned(self, family: Family) -> DistributionKind:
        """The same kind with marked states by name, so that adding states later changes nothing."""

    def estimate(self, answer: Any, family: Family, prior: Prior) -> Distribution:
        """Estimate the distribution from the statistic and the prior."""

    def start(self, known: StartingData) -> Distribution:
        """The distribution that EM starts from."""

    def count_parameters(self, family: Family) -> tuple[int, int]:
        """The number of parameters it will have, and how many of them are free."""

    def warn_about(self, answer: Any, family: Family, prior: Prior) -> None:
        """Warn if the expected statistic does not determine all parameters."""

    def declaration(self) -> dict[str, Any]:
        """The kind and its options, as plain data for a file."""

    @property
    def values_are(self) -> str:
        """``codes`` of states, ``numbers`` or ``texts``."""

    @property
    def smallest(self) -> float:
        """The smallest possible value of the child."""
