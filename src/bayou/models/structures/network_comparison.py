"""The verbs of a network that set it beside another, or show it: class, comparison, divergence, picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayou.errors import BadQuestion
from bayou.formats.files import FilePath
from bayou.graphs import Dag, PartlyDirected, cpdag, dag_from
from bayou.inference.divergence import entropy, kl_divergence
from bayou.models.network_drawing import picture_of, save_picture
from bayou.models.structures.comparison import Comparison, comparison_of
from bayou.networks import FrozenNetwork
from bayou.plots.network_picture import Picture
from bayou.typing import Name


class NetworkComparisons:
    """What :class:`~bayou.Network` inherits; graph and frozen network are all it needs."""

    _frozen: FrozenNetwork | None

    if TYPE_CHECKING:

        @property
        def dag(self) -> Dag: ...
        @property
        def frozen(self) -> FrozenNetwork: ...

    def equivalence_class(self) -> PartlyDirected:
        """All networks that say the same independences: arcs that they share, edges where they differ.

        >>> import bayou
        >>> print(bayou.Network("Cloudy -> Rain -> Wet <- Sprinkler").equivalence_class())
        Rain, Sprinkler -> Wet; Cloudy -- Rain
        """
        return cpdag(self.dag)

    def compare(self, true: Any) -> Comparison:
        """This network beside another: which arcs are extra, missing or turned, and how far apart they are.

        ``true`` is the network (or graph, or arrow text) that this one is measured by. It prints as a
        table, and draws itself: ``comparison.to_svg("difference.svg")``.

        >>> import bayou
        >>> found = bayou.Network("Storm -> Thunder; Bus -> Campfire")
        >>> found.compare("Storm -> Thunder; Storm, Bus -> Campfire").missing
        (('Storm', 'Campfire'),)
        """
        if isinstance(true, NetworkComparisons):
            return comparison_of(self.dag, self._frozen, true.dag, true._frozen)
        return comparison_of(self.dag, None, dag_from(true), None)

    def kl_divergence(self, other: Any) -> float:
        """KL(this ‖ other) in nats, exactly: how much worse the other network describes what this one draws.

        It is infinite where the other rules out what can happen here. Gaussians and mixed networks too.

        >>> import bayou
        >>> fair, bent = (bayou.Network("coin", tables={"coin": {"h": p, "t": 1 - p}}) for p in (0.5, 0.9))
        >>> round(fair.kl_divergence(bent), 4), round(bent.kl_divergence(fair), 4)
        (0.5108, 0.3681)
        """
        if not isinstance(other, NetworkComparisons):
            raise BadQuestion(
                f"The divergence is taken from a network with parameters, not {type(other).__name__}."
            )
        return kl_divergence(self.frozen, other.frozen)

    def entropy(self) -> float:
        """The mean of −log P in nats (of −log density where there are continuous variables), exactly.

        >>> import bayou
        >>> bayou.Network("coin", tables={"coin": {"h": 0.5, "t": 0.5}}).entropy()
        0.6931471805599453
        """
        return entropy(self.frozen)

    def plot(
        self, *, strengths: Mapping[Any, float] | None = None, colours: Mapping[Name, str] | None = None
    ) -> Picture:
        """The graph as a picture that notebooks show; ``strengths`` widen arcs, ``colours`` fill boxes.

        >>> import bayou
        >>> bayou.examples.storm().plot()
        <Picture of 6 nodes and 7 arcs>
        """
        return picture_of(self.dag, strengths, colours)

    def to_svg(
        self,
        path: FilePath | None = None,
        *,
        strengths: Mapping[Any, float] | None = None,
        colours: Mapping[Name, str] | None = None,
    ) -> str:
        """The picture as SVG text, also written to a file where a path is given; no package is needed.

        >>> import bayou
        >>> bayou.examples.storm().to_svg().startswith("<svg")
        True
        """
        return save_picture(self.plot(strengths=strengths, colours=colours), path)
