"""The methods of a network that explain its answers (the work: ``models.answers.explanation_tables``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from bayou.models.evidence import Given
from bayou.networks import FrozenNetwork
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.models.answers.explanation_tables import MostProbable, StrengthTable
    from bayou.models.network import Network
    from bayou.models.network_summary import NetworkSummary


class NetworkExplanations(ABC):
    """Methods that explain the answers of a network; :class:`~bayou.Network` inherits them."""

    @property
    @abstractmethod
    def frozen(self) -> FrozenNetwork:
        """The network as frozen data."""

    def summary(self) -> NetworkSummary:
        """What the network is and has learned: rows, prior, and the rows behind each variable's distribution.

        It prints in a terminal and in a notebook.

        >>> from bayou import Network
        >>> net = Network("Rain -> Wet").fit({"Rain": ["no", "yes", "no"], "Wet": ["no", "yes", "yes"]})
        >>> net.summary().rows, net.summary().variables[1].parents
        (3, ('Rain',))
        """
        from bayou.models.network_summary import summarise

        return summarise(cast("Network", self))

    def most_probable(
        self,
        given: Given | None = None,
        targets: Name | Iterable[Name] | None = None,
        k: int = 1,
        *,
        likelihood: Given | None = None,
        marginal: Given | None = None,
        do: Given | None = None,
    ) -> MostProbable:
        """The ``k`` most probable joint states of ``targets`` (default: every discrete variable not given).

        Variables that are neither targets nor given are summed out.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> net.most_probable(given={"WetGrass": "yes"}).states
        {'Rain': 'yes'}
        """
        from bayou.models.answers.explanation_tables import most_probable_from

        return most_probable_from(self.frozen, given, targets, k, likelihood, do, marginal)

    def finding_strength(
        self,
        target: Name,
        given: Given | None = None,
        *,
        state: State | None = None,
        likelihood: Given | None = None,
        marginal: Given | None = None,
        do: Given | None = None,
    ) -> StrengthTable:
        """How much each finding changes the log odds of a state of the target.

        Without ``state`` it is the one whose probability the findings raise most. A ``marginal`` counts as
        the likelihood finding that brings it about.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> print(net.finding_strength("Rain", given={"WetGrass": "yes"}))
        Strength of the findings, P(Rain=yes): 0.2000 before, 0.6923 after
        finding       P alone  weight alone  P without  weight
        WetGrass=yes  0.6923   +2.197        0.2000     +2.197
        """
        from bayou.models.answers.explanation_tables import strength_from

        return strength_from(self.frozen, target, given, state, likelihood, do, marginal)
