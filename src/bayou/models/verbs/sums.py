"""Networks that add and subtract: the statistics behind their parameters do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from bayou.errors import BadGraph

if TYPE_CHECKING:
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.fitting.learning_trace import LearningTrace
    from bayou.learning import PriorChoice
    from bayou.learning.search.structure_report import StructureReport
    from bayou.networks import Structure
    from bayou.statistics import Statistics

L = TypeVar("L", bound="NetworkSums")


class NetworkSums:
    """Sums and differences of networks, and learning from statistics; Network inherits them."""

    _structure: Structure
    learned_structure: StructureReport | None
    if TYPE_CHECKING:

        def copy(self: L) -> L: ...
        def _keep(self, learned: FittedParameters, trace: LearningTrace | None) -> None: ...
        def _require_learned(self) -> FittedParameters: ...
        def _priors(self, prior: Any, weight: float | None) -> PriorChoice: ...

    def __radd__(self: L, other: object) -> L:
        """The network itself plus 0, with which ``sum`` begins."""
        return self if other == 0 else NotImplemented

    def __add__(self: L, other: L) -> L:
        """The network learned from the rows of both; both need the same arcs and the same prior.

        Networks that have learned by EM are refused: their counts are expected ones.

        >>> from bayou.models.network import Network
        >>> north, south = Network("R").fit({"R": [4, 5]}), Network("R").fit({"R": [5, 1]})
        >>> (north + south).same_as(Network("R").fit({"R": [4, 5, 5, 1]}))
        True
        """
        if not isinstance(other, NetworkSums):
            return NotImplemented
        from bayou.fitting.fitted_parameters import learned_from_both

        self._require_same_structure(other)
        learned = learned_from_both(self._structure, self._require_learned(), other._require_learned())
        return self._with_parameters(learned)

    def __sub__(self: L, other: L) -> L:
        """The network learned from the rows of this one without those of the other.

        Both need the same arcs and the same prior; rows that were never learned are an error.

        >>> from bayou.models.network import Network
        >>> both, south = Network("R").fit({"R": [4, 5, 5, 1]}), Network("R").fit({"R": [5, 1]})
        >>> (both - south).same_as(Network("R").fit({"R": [4, 5]}))
        True
        """
        if not isinstance(other, NetworkSums):
            return NotImplemented
        from bayou.fitting.fitted_parameters import learned_from_the_rest

        self._require_same_structure(other)
        rest = learned_from_the_rest(self._structure, self._require_learned(), other._require_learned())
        return self._with_parameters(rest)

    def _require_same_structure(self, other: NetworkSums) -> None:
        from bayou.networks.structure_difference import structure_difference

        ours, theirs = self._structure, other._structure
        both = set(ours.declared) & set(theirs.declared)  # states of one network only are known from its rows
        ours, theirs = (
            replace(each, declared={name: each.declared[name] for name in both}) for each in (ours, theirs)
        )
        if difference := structure_difference(ours, theirs):
            raise BadGraph(
                "Two networks can be added or subtracted if they have the same variables, arcs, shared "
                f"tables, kinds of nodes and declared states; these differ: {difference}."
            )

    def _with_parameters(self: L, learned: FittedParameters) -> L:
        """A copy with other parameters."""
        made = self.copy()
        made._keep(learned, None)
        made.learned_structure = None
        return made

    def fit_statistics(self: L, statistics: Statistics, *, prior: Any = None) -> L:
        """Learn from statistics that were counted elsewhere, such as ``other.statistics``, without rows.

        Raises ``BadStatistics`` for statistics that lack the counts of a table, and ``BadPrior`` for a prior
        that is none.

        >>> from bayou.models.network import Network
        >>> counted = Network("R").fit({"R": [4, 5, 5]}).statistics
        >>> Network("R").fit_statistics(counted + counted, prior=0).cpt("R")[5]
        0.6666666666666666
        """
        from bayou.fitting.fitted_parameters import learned_from
        from bayou.fitting.learning_trace import LearningTrace

        learned = learned_from(self._structure, statistics, self._priors(prior, None))
        self._keep(learned, LearningTrace.counted(statistics.rows))
        self.learned_structure = None
        return self
