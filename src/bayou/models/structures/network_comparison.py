"""The methods of a network that compare it with another or draw it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from bayou import graphs
from bayou.errors import BadQuestion

if TYPE_CHECKING:
    from bayou.formats.file_content import FilePath
    from bayou.graphs import Dag, PartlyDirected
    from bayou.models.evidence import Given
    from bayou.models.network import Network
    from bayou.models.structures.comparison import Comparison
    from bayou.networks import FrozenNetwork
    from bayou.plots.network_picture import Picture
    from bayou.typing import Name


class NetworkComparisons:
    """Methods that compare and draw networks; :class:`~bayou.Network` inherits them."""

    _frozen: FrozenNetwork | None

    if TYPE_CHECKING:

        @property
        def dag(self) -> Dag: ...
        @property
        def frozen(self) -> FrozenNetwork: ...

    def equivalence_class(self) -> PartlyDirected:
        """The Markov equivalence class: arcs that all its networks share, edges where the direction differs.

        >>> import bayou
        >>> print(bayou.Network("Cloudy -> Rain -> Wet <- Sprinkler").equivalence_class())
        Rain, Sprinkler -> Wet; Cloudy -- Rain
        """
        return graphs.cpdag(self.dag)

    def compare(self, true: Any) -> Comparison:
        """Compare this network with a true one: extra, missing and turned arcs, and distances.

        ``true`` is a network, a graph or arrow text. The result prints as a table, and
        ``comparison.to_svg("difference.svg")`` draws it.

        Raises ``BadGraph`` for graphs of other variables, arrow text that cannot be read or what is no graph.

        >>> import bayou
        >>> found = bayou.Network("Storm -> Thunder; Bus -> Campfire")
        >>> found.compare("Storm -> Thunder; Storm, Bus -> Campfire").missing
        (('Storm', 'Campfire'),)
        """
        from bayou.models.structures.comparison import comparison_of

        if isinstance(true, NetworkComparisons):
            return comparison_of(self.dag, self._frozen, true.dag, true._frozen)
        return comparison_of(self.dag, None, graphs.dag_from(true), None)

    def kl_divergence(self, other: Any) -> float:
        """KL(this ‖ other) in nats, exactly: the mean of log P(row)/Q(row) over rows of this network.

        P is this network and Q the other; it is infinite if Q gives probability 0 to a possible row. Works
        for discrete, Gaussian and mixed networks.

        Raises ``BadQuestion`` for what is no network or a network of other variables or states, and
        ``NotFitted`` without tables.

        >>> import bayou
        >>> fair, bent = (bayou.Network("coin", tables={"coin": {"h": p, "t": 1 - p}}) for p in (0.5, 0.9))
        >>> round(fair.kl_divergence(bent), 4), round(bent.kl_divergence(fair), 4)
        (0.5108, 0.3681)
        """
        from bayou.inference.divergence import kl_divergence

        if not isinstance(other, NetworkComparisons):
            raise BadQuestion(
                f"The divergence needs another network with parameters, not {type(other).__name__}."
            )
        return kl_divergence(self.frozen, other.frozen)

    def entropy(self) -> float:
        """The mean of −log P in nats (of −log density if there are continuous variables), exactly.

        Raises ``NotFitted`` without tables.

        >>> import bayou
        >>> bayou.Network("coin", tables={"coin": {"h": 0.5, "t": 0.5}}).entropy()
        0.6931471805599453
        """
        from bayou.inference.divergence import entropy

        return entropy(self.frozen)

    def plot(
        self,
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        do: Given | None = None,
        beliefs: bool | None = None,
        strengths: Mapping[Any, float] | None = None,
        colours: Mapping[Name, str] | None = None,
        positions: Mapping[Name, tuple[float, float]] | None = None,
    ) -> Picture:
        """Draw the graph as a picture for notebooks; ``strengths`` widen arcs, ``colours`` fill boxes.

        With findings (``given``, ``likelihood``, ``do``) or ``beliefs=True`` every box has a bar for each
        state; findings are marked, and a grey bar behind shows the probability before them. ``positions``
        are the middles of boxes that stand where you say.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadGraph`` for ``strengths`` of what is no arc, ``BadQuestion`` for options that do not fit,
        ``NotFitted`` where beliefs are asked for and there are no tables, and ``ImpossibleEvidence`` for
        findings of probability 0.

        >>> import bayou
        >>> bayou.examples.storm().plot()
        <Picture of 6 nodes and 7 arcs>
        >>> "observed" in bayou.examples.storm().plot({"Thunder": "yes"}).svg
        True
        """
        from bayou.models.verbs.drawing import picture_of

        found = None
        asked = bool(given or likelihood or do)
        if beliefs if beliefs is not None else asked:
            from bayou.models.answers.exact_remedies import remedies
            from bayou.models.verbs.beliefs import beliefs_of

            with remedies("Draw the network without beliefs (beliefs=False),"):
                found = beliefs_of(cast("Network", self), given, likelihood, do)
        elif asked:
            raise BadQuestion("beliefs=False draws no beliefs, so findings would not be seen: leave one out.")
        return picture_of(self.dag, strengths, colours, found, positions)

    def to_svg(
        self,
        path: FilePath | None = None,
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        do: Given | None = None,
        beliefs: bool | None = None,
        strengths: Mapping[Any, float] | None = None,
        colours: Mapping[Name, str] | None = None,
        positions: Mapping[Name, tuple[float, float]] | None = None,
    ) -> str:
        """Return the picture as SVG text, and write it to a file if a path is given; needs no other package.

        The other arguments are those of :meth:`plot`: ``beliefs`` draws bars, ``strengths`` widen arcs,
        ``colours`` fill boxes, ``positions`` are the middles of boxes.

        Raises ``BadFile`` for a path that does not end in ``.svg`` or cannot be written to, and the errors of
        :meth:`plot`.

        >>> import bayou
        >>> bayou.examples.storm().to_svg().startswith("<svg")
        True
        >>> "do</text>" in bayou.examples.storm().to_svg(do={"Campfire": "no"})
        True
        """
        from bayou.models.verbs.drawing import save_picture

        picture = self.plot(
            given,
            likelihood=likelihood,
            do=do,
            beliefs=beliefs,
            strengths=strengths,
            colours=colours,
            positions=positions,
        )
        return save_picture(picture, path)
