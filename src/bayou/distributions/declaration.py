"""A distribution declared with options: what the options do not change, its class answers."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from bayou.distributions.base import Beginning, Distribution, DistributionKind
from bayou.distributions.family import Family
from bayou.distributions.priors import Prior
from bayou.distributions.relearning import start_by_chance
from bayou.statistics import Request


class Declaration:
    """A kind of distribution that is an object, not a class; ``learned_as`` is the class behind it.

    It has all verbs of :class:`DistributionKind`; one with options says how they change the estimate.
    """

    @property
    def learned_as(self) -> type[Distribution]:
        """What comes out of learning."""
        raise NotImplementedError(f"{type(self).__name__} must say what it is learned as.")

    @property
    def title(self) -> str:
        """The word for it that users see."""
        return self.learned_as.title

    @property
    def form(self) -> str:
        """``finite``, ``gaussian`` or ``density``."""
        return self.learned_as.form

    @property
    def uses_prior(self) -> bool:
        """Whether pseudocounts change what is estimated."""
        return self.learned_as.uses_prior

    @property
    def fixed_in_em(self) -> bool:
        """Whether it is settled before EM begins."""
        return self.learned_as.fixed_in_em

    @property
    def values_are(self) -> str:
        """``codes`` of states, ``numbers`` or ``texts``."""
        return self.learned_as.values_are

    @property
    def smallest(self) -> float:
        """The smallest number that the child can be."""
        return self.learned_as.smallest

    def check_family(self, family: Family) -> None:
        """Refuse a child or parents that it can not have."""
        self.learned_as.check_family(family)

    def needs(self, family: Family) -> Request:
        """The statistic that it is estimated from."""
        return self.learned_as.needs(family)

    def expects(self, family: Family) -> Any:
        """The statistic that the E-step of EM gives for it."""
        return self.learned_as.expects(family)

    def meaning(self, family: Family) -> Hashable:
        """Nothing is marked."""
        return None

    def pinned(self, family: Family) -> DistributionKind:
        """Itself: nothing is marked."""
        return self

    def estimate(self, answer: Any, family: Family, prior: Prior) -> Distribution:
        """The distribution that the statistic and the prior give."""
        return self.learned_as.estimate(answer, family, prior)

    def start(self, known: Beginning) -> Distribution:
        """Where EM begins."""
        return start_by_chance(self, known)

    def count_parameters(self, family: Family) -> tuple[int, int]:
        """How many numbers it will have, and how many of them are free."""
        return self.learned_as.count_parameters(family)

    def warn_about(self, answer: Any, family: Family, prior: Prior) -> None:
        """Warn of what the expected statistic leaves open."""
        self.learned_as.warn_about(answer, family, prior)

    def declaration(self) -> dict[str, Any]:
        """How a file names it: by its class, as long as it has no options."""
        return self.learned_as.declaration()
