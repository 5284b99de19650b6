"""The methods of a network that tell its variables, its arcs and what these mean for independence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bayou import graphs
from bayou.errors import NotFitted
from bayou.graphs import Dag
from bayou.networks import FrozenNetwork, ParameterCount, Structure, count_parameters
from bayou.schema import Schema
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.graphs import Independence
    from bayou.models.separation_drawing import SeparationWithPicture


class NetworkGraph:
    """Methods that tell variables, arcs and independence; :class:`~bayou.Network` inherits them."""

    _structure: Structure
    _frozen: FrozenNetwork | None

    @property
    def dag(self) -> Dag:
        """The directed acyclic graph."""
        return self._structure.dag

    @property
    def structure(self) -> Structure:
        """Arcs, declared variables, sharing and kinds of nodes, without parameters."""
        return self._structure

    @property
    def names(self) -> tuple[Name, ...]:
        """The names of the variables, in order."""
        return self.dag.nodes

    @property
    def arcs(self) -> tuple[tuple[Name, Name], ...]:
        """All arcs as (parent, child) pairs."""
        return self.dag.arcs

    @property
    def variables(self) -> Schema:
        """The variables with their states; raises NotFitted if states are neither declared nor learned."""
        return self.frozen.schema

    @property
    def sharing(self) -> dict[Name, tuple[Name, ...]]:
        """The shared blocks of parameters, each with the variables that use it."""
        return dict(self._structure.sharing)

    @property
    def frozen(self) -> FrozenNetwork:
        """The network as immutable data; raises NotFitted if states are neither declared nor learned."""
        if self._frozen is None:
            raise NotFitted.missing(self._structure.undeclared)
        return self._frozen

    def parents(self, name: Name) -> tuple[Name, ...]:
        """The parents of a variable, in the order of its table's axes.

        Raises ``UnknownVariable`` for a name that no variable has.

        >>> import bayou
        >>> bayou.Network("Storm, Bus -> Campfire").parents("Campfire")
        ('Storm', 'Bus')
        """
        return self.dag.parents(name)

    def children(self, name: Name) -> tuple[Name, ...]:
        """The children of a variable.

        Raises ``UnknownVariable`` for a name that no variable has.

        >>> import bayou
        >>> bayou.Network("Rain -> Wet; Rain -> Cold").children("Rain")
        ('Wet', 'Cold')
        """
        return self.dag.children(name)

    def states(self, name: Name) -> tuple[State, ...]:
        """The states of a discrete variable, in order.

        Raises ``UnknownVariable`` for a name that no variable has, and ``NotFitted`` where the states are
        neither declared nor learned.

        >>> import bayou
        >>> bayou.Network("Rain", states={"Rain": ["no", "yes"]}).states("Rain")
        ('no', 'yes')
        """
        return self.variables[name].states

    def parameter_count(self) -> ParameterCount:
        """The number of parameters (a shared block counts once), and that of the full joint table.

        Raises ``NotFitted`` where the states are neither declared nor learned.

        >>> import bayou
        >>> movie = bayou.Network("G -> R", states={"G": ["d", "c"], "R": [1, 2, 3, 4, 5]})
        >>> print(movie.parameter_count())
        12 parameters, 9 free (the full joint table: 10, 9 free)
        """
        return count_parameters(self.frozen)

    # Independence

    def d_separated(
        self, left: Name | Iterable[Name], right: Name | Iterable[Name], given: Name | Iterable[Name] = ()
    ) -> SeparationWithPicture:
        """Whether ``left`` and ``right`` are d-separated given ``given``; the printed result explains why.

        Raises ``UnknownVariable`` for a name that no variable has, and ``BadQuestion`` if a variable is named
        twice.

        >>> import bayou
        >>> bayou.Network("Storm -> Fire <- Bus").d_separated("Storm", "Bus", given="Fire").trail
        ('Storm', 'Fire', 'Bus')
        """
        from bayou.models.separation_drawing import SeparationWithPicture

        return SeparationWithPicture.of(graphs.separated(self.dag, left, right, given))

    def markov_blanket(self, name: Name) -> tuple[Name, ...]:
        """The parents, the children, and the other parents of the children.

        Raises ``UnknownVariable`` for a name that no variable has.

        >>> import bayou
        >>> bayou.Network("Storm -> Fire <- Bus").markov_blanket("Storm")
        ('Fire', 'Bus')
        """
        return self.dag.markov_blanket(name)

    def local_independencies(self) -> list[Independence]:
        """One statement per variable: it is independent of its non-descendants given its parents.

        >>> import bayou
        >>> print(*bayou.Network("Storm -> Fire <- Bus").local_independencies(), sep="; ")
        Storm ⟂ Bus; Bus ⟂ Storm
        """
        return self.dag.local_independencies()
