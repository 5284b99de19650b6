"""A distribution declared with options; by default each method asks the class that will be learned."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import Field, fields, is_dataclass
from typing import Any

from bayou.distributions.base import Distribution
from bayou.distributions.distribution_kind import DistributionKind, StartingData
from bayou.distributions.family import Family
from bayou.distributions.priors import Prior
from bayou.distributions.relearning import start_by_chance
from bayou.errors import BadVariable
from bayou.statistics import Request


class Declaration:
    """A kind of distribution that is an object, not a class; ``learned_as`` is the class that it becomes.

    It has all methods of :class:`DistributionKind`; a subclass overrides those that its options change.
    """

    @property
    def learned_as(self) -> type[Distribution]:
        """The class of the learned distribution."""
        raise NotImplementedError(f"{type(self).__name__} must define learned_as.")

    @property
    def title(self) -> str:
        """Its name in messages and printed tables."""
        return self.learned_as.title

    @property
    def form(self) -> str:
        """``finite``, ``gaussian`` or ``density``."""
        return self.learned_as.form

    @property
    def uses_prior(self) -> bool:
        """Whether pseudocounts change the estimate."""
        return self.learned_as.uses_prior

    @property
    def fixed_in_em(self) -> bool:
        """Whether EM leaves it unchanged."""
        return self.learned_as.fixed_in_em

    @property
    def values_are(self) -> str:
        """``codes`` of states, ``numbers`` or ``texts``."""
        return self.learned_as.values_are

    @property
    def smallest(self) -> float:
        """The smallest possible value of the child."""
        return self.learned_as.smallest

    def check_family(self, family: Family) -> None:
        """Raise an error for a child or parents that this kind cannot have."""
        self.learned_as.check_family(family)

    def needs(self, family: Family) -> Request:
        """The statistic that it is estimated from."""
        return self.learned_as.needs(family)

    def expects(self, family: Family) -> Any:
        """The statistic that the E-step of EM computes for it."""
        return self.learned_as.expects(family)

    def meaning(self, family: Family) -> Hashable:
        """None: no states are marked."""
        return None

    def pinned(self, family: Family) -> DistributionKind:
        """The declaration itself: no states are marked."""
        return self

    def estimate(self, answer: Any, family: Family, prior: Prior) -> Distribution:
        """Estimate the distribution from the statistic and the prior."""
        return self.learned_as.estimate(answer, family, prior)

    def start(self, known: StartingData) -> Distribution:
        """The distribution that EM starts from."""
        return start_by_chance(self, known)

    def count_parameters(self, family: Family) -> tuple[int, int]:
        """The number of parameters it will have, and how many of them are free."""
        return self.learned_as.count_parameters(family)

    def warn_about(self, answer: Any, family: Family, prior: Prior) -> None:
        """Warn if the expected statistic does not determine all parameters."""
        self.learned_as.warn_about(answer, family, prior)

    def declaration(self) -> dict[str, Any]:
        """The declaration of its class, as plain data for a file; a subclass adds its options."""
        changed = [each.name for each in _fields(self) if getattr(self, each.name) != each.default]
        if type(self).declaration is Declaration.declaration and changed:
            raise BadVariable(
                f"{type(self).__name__} has the option {changed[0]}, which a network or a file would lose: "
                f"override its declaration(), and declared() of {self.learned_as.__name__}, which reads it."
            )
        return self.learned_as.declaration()


def _fields(declaration: Any) -> tuple[Field[Any], ...]:
    return fields(declaration) if is_dataclass(declaration) else ()
