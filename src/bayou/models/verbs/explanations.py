"""The methods of a network that explain its answers (the work: ``models.answers``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from bayou.models.evidence import Given
from bayou.networks import FrozenNetwork
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.models.answers.explanation_tables import MostProbable
    from bayou.models.answers.findings.finding_conflict import FindingConflict
    from bayou.models.answers.findings.finding_strength import StrengthTable
    from bayou.models.answers.findings.nearest_findings import NearestFindings
    from bayou.models.answers.findings.next_findings import NextFindings
    from bayou.models.network import Network
    from bayou.models.verbs.summary import NetworkSummary


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
        from bayou.models.verbs.summary import summarise

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

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a ``k`` below 1, or a target that is given, ``ImpossibleEvidence`` for
        findings of probability 0, and ``NotFitted`` without tables.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> net.most_probable(given={"WetGrass": "yes"}).states
        {'Rain': 'yes'}
        """
        from bayou.models.answers.exact_remedies import EACH_ON_ITS_OWN, remedies
        from bayou.models.answers.explanation_tables import most_probable_from

        with remedies(EACH_ON_ITS_OWN):
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
        shares: bool | str = False,
        seed: int = 0,
    ) -> StrengthTable:
        """How much each finding changes the log odds of a state of the target.

        Without ``state`` it is the one whose probability the findings raise most. A ``marginal`` counts as
        the likelihood finding that brings it about.

        ``shares=True`` adds the Shapley share of each finding: what it adds to the log odds, on average over
        all orders in which the findings could have come. The shares add up to the whole change. Where
        findings decide the matter, so that log odds are infinite, they are shares of the change in
        probability, and ``shares="probability"`` asks for these. They are exact for up to 10 findings; for
        more they are estimated from random orders (``seed``), and ``shares`` has their standard errors.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a question without findings, or whose target is given,
        ``ImpossibleEvidence`` for findings of probability 0, and ``NotFitted`` without tables.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> print(net.finding_strength("Rain", given={"WetGrass": "yes"}))
        Strength of the findings, P(Rain=yes): 0.2000 before, 0.6923 after
        finding       P alone  weight alone  P without  weight
        WetGrass=yes  0.6923   +2.197        0.2000     +2.197
        """
        from bayou.models.answers.exact_remedies import THE_POSTERIOR_ALONE, remedies
        from bayou.models.answers.findings.finding_strength import strength_from

        with remedies(THE_POSTERIOR_ALONE):
            return strength_from(self.frozen, target, given, state, likelihood, do, marginal, shares, seed)

    def what_to_ask(
        self,
        target: Name,
        given: Given | None = None,
        *,
        costs: Mapping[Any, Any] | None = None,
        utilities: Any = None,
        among: Name | Iterable[Name] | None = None,
        likelihood: Given | None = None,
        marginal: Given | None = None,
        do: Given | None = None,
    ) -> NextFindings:
        """Which finding is worth asking for most: every variable that could be asked for, the best first.

        Without ``utilities`` they are ranked by the information that they are expected to give about the
        target, in bits; with ``costs`` by bits for each unit of cost (a variable that is not named costs 1).
        ``utilities`` are those of :func:`bayou.decide`; variables are then ranked by the expected gain in
        utility from acting after they are known, minus their cost (not named: 0). ``among`` limits the
        variables that can be asked for. Those without states are left out (``left_out``).

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a target that is given, or costs that are no numbers from 0 on,
        ``ImpossibleEvidence`` for findings of probability 0, and ``NotFitted`` without tables.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> print(net.what_to_ask("Rain"))
        What to ask next about Rain: 0.7219 bits of uncertainty
        variable  bits    share
        WetGrass  0.3578  0.4955
        Ask for WetGrass: it is expected to remove 0.358 of the 0.722 bits of uncertainty about Rain.
        """
        from bayou.models.answers.findings.what_to_ask import what_to_ask_from

        return what_to_ask_from(self.frozen, target, given, costs, utilities, among, likelihood, do, marginal)

    def conflict(
        self,
        given: Given | None = None,
        *,
        likelihood: Given | None = None,
        marginal: Given | None = None,
        do: Given | None = None,
    ) -> FindingConflict:
        """Whether the findings support or contradict each other: Jensen's measure of conflict, in bits.

        It is log2 of the product of the probabilities of the findings over the probability of all of them,
        and has the same for each pair. A positive one is a sign that a finding is wrong or the case a rare
        one; the verdict names a state that would explain it. Likelihoods are findings; a ``marginal`` counts
        as the likelihood finding that brings it about.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a question without findings, and ``NotFitted`` without tables.

        >>> import bayou
        >>> print(bayou.examples.asia().conflict({"bronc": "yes", "dysp": "yes"}))
        The conflict of the findings: −0.8901 bits
        finding    P alone  P given the others  conflict (bits)
        bronc=yes  0.4500   0.8340              −0.8901
        dysp=yes   0.4360   0.8080              −0.8901
        The findings support each other: together they are 1.85 times as probable as if they were independent.
        """
        from bayou.models.answers.findings.finding_conflict import conflict_from

        return conflict_from(self.frozen, given, likelihood, do, marginal)

    def nearest_findings(
        self, given: Given | None = None, *, likelihood: Given | None = None, do: Given | None = None
    ) -> NearestFindings:
        """For findings that cannot occur together: the fewest to release, and what they could be instead.

        All sets of the least size are there, the one that leaves the most probable findings first; with more
        than 4,096 sets to try it may be one set only (``is_complete``). For findings that can occur together
        it says so (``possible``).

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a question without findings, and ``NotFitted`` without tables.

        >>> import bayou
        >>> net = bayou.Network("Rain -> Wet", tables={
        ...     "Rain": {"no": 0.8, "yes": 0.2},
        ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0, "yes": 1}}})
        >>> nearest = net.nearest_findings({"Rain": "yes", "Wet": "no"})
        >>> [(one.names, round(one.probability, 2), one.states) for one in nearest]
        [(('Rain',), 0.72, {'Rain': 'no'}), (('Wet',), 0.2, {'Wet': 'yes'})]
        """
        from bayou.models.answers.findings.nearest_findings import nearest_from

        return nearest_from(self.frozen, given, likelihood, do)
