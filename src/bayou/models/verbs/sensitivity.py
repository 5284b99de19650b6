"""The methods of a network that say which numbers of it matter: entries of tables, and arcs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bayou.models.evidence import Given, question_from
from bayou.networks import FrozenNetwork
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.models.answers.explanation_tables import SensitivityTable
    from bayou.models.answers.sensitivity.arc_information import ArcInformation
    from bayou.models.answers.sensitivity.tornado import Tornado


class NetworkSensitivity(ABC):
    """Which numbers of a network an answer depends on; :class:`~bayou.Network` inherits these methods."""

    @property
    @abstractmethod
    def frozen(self) -> FrozenNetwork:
        """The network as frozen data."""

    def sensitivity(
        self,
        target: Name,
        state: State,
        given: Given | None = None,
        *,
        table: Name,
        likelihood: Given | None = None,
        marginal: Given | None = None,
        do: Given | None = None,
    ) -> SensitivityTable:
        """dP(target=state | given)/dθ for each entry θ of a table.

        The other entries of the row are scaled by one factor, so that the row still sums to 1. A
        ``marginal`` counts as the likelihood finding that brings it about.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a target that is given, ``ImpossibleEvidence`` for findings of probability
        0, and ``NotFitted`` without tables.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> print(net.sensitivity("Rain", "yes", given={"WetGrass": "yes"}, table="Rain"))
        P(Rain=yes | WetGrass=yes) = 0.6923, and the table of Rain
        entry     θ       dP/dθ
        Rain=no   0.8000  −1.331
        Rain=yes  0.2000  +1.331
        """
        from bayou.models.answers.exact_remedies import THE_POSTERIOR_ALONE, remedies
        from bayou.models.answers.explanation_tables import sensitivity_from

        with remedies(THE_POSTERIOR_ALONE):
            return sensitivity_from(self.frozen, target, state, given, table, likelihood, do, marginal)

    def tornado(
        self,
        target: Name,
        state: State,
        given: Given | None = None,
        *,
        tables: Name | Iterable[Name] | None = None,
        change: float = 0.1,
        utilities: Any = None,
        costs: Any = None,
        likelihood: Given | None = None,
        marginal: Given | None = None,
        do: Given | None = None,
    ) -> Tornado:
        """What each entry of each table does to P(target=state | given), those that matter most first.

        Each entry θ is moved to θ·(1 − ``change``) and θ·(1 + ``change``), within 0 and 1, while the others
        of its row keep their proportions. ``tables`` names the variables whose tables are looked at (default:
        all). The decision whose turning point is sought is the most probable state, or the best action by
        ``utilities`` or ``costs`` (as :func:`bayou.decide` takes them). A ``marginal`` counts as the
        likelihood finding that brings it about.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a target that is given, or a ``change`` that is not above 0, ``BadTable``
        for utilities that cannot be read, ``ImpossibleEvidence`` for findings of probability 0, and
        ``NotFitted`` without tables.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> found = net.tornado("Rain", "yes", given={"WetGrass": "yes"})
        >>> found[0].text, round(found[0].at_low, 4), round(found[0].at_high, 4)
        ('P(WetGrass=no | Rain=no)', 0.5422, 0.9574)
        >>> print(found.sentence)
        The decision turns from yes to no when P(Rain=yes) falls from 0.2 to 0.1.
        """
        from bayou.models.answers.exact_remedies import THE_POSTERIOR_ALONE, remedies
        from bayou.models.answers.sensitivity.sensitivity_questions import tornado_from

        network = self.frozen
        question = question_from(network, network.dag.only(target), given, likelihood, do, marginal)
        with remedies(THE_POSTERIOR_ALONE):
            return tornado_from(network, question, state, tables, change, utilities, costs)

    def arc_information(
        self,
        given: Given | None = None,
        *,
        likelihood: Given | None = None,
        marginal: Given | None = None,
        do: Given | None = None,
    ) -> ArcInformation:
        """What child and parent of every arc tell about each other, in bits, given findings.

        Twice: I(child; parent | given), and the same with the other parents known. The result is also a
        mapping of arcs to strengths from 0 to 1, for ``to_svg(strengths=…)`` and ``plot(strengths=…)``.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``ImpossibleEvidence`` for findings of probability 0, and ``NotFitted`` without tables.

        >>> import bayou
        >>> net = bayou.examples.storm()
        >>> found = net.arc_information(given={"Thunder": "yes"})
        >>> found.arcs[0].parent, found.arcs[0].child, found["Lightning", "Thunder"]
        ('Storm', 'Lightning', 0.0)
        """
        from bayou.models.answers.exact_remedies import remedies
        from bayou.models.answers.sensitivity.sensitivity_questions import arc_information_from

        network = self.frozen
        question = question_from(network, (), given, likelihood, do, marginal)
        with remedies("Observe more variables,"):
            return arc_information_from(network, question)
