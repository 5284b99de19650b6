"""``Network``: the Bayesian network of the public interface; its methods call the packages below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bayou import graphs
from bayou.errors import NotFitted
from bayou.formats.draft import NetworkDraft, Remarks
from bayou.graphs import Dag, dag_from
from bayou.models.network_appearance import NetworkAppearance
from bayou.models.network_editing import NetworkEditing
from bayou.models.network_explanations import NetworkExplanations
from bayou.models.network_learning import NetworkLearning
from bayou.models.network_parameters import NetworkParameters
from bayou.models.network_plans import PlanInspection
from bayou.models.network_queries import NetworkQueries
from bayou.models.network_sensitivity import NetworkSensitivity
from bayou.models.network_words import NetworkWords
from bayou.models.rows.table_answers import TableAnswers
from bayou.models.structures.network_comparison import NetworkComparisons
from bayou.networks import (
    FrozenNetwork,
    ParameterCount,
    Structure,
    check_sharing,
    count_parameters,
    same_parameters,
)
from bayou.networks.declarations import declared_variables, mapping_given, sharing_given
from bayou.schema import Schema, Variable
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.distributions import Distribution, DistributionKind
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.fitting.learning_trace import LearningTrace
    from bayou.formats.file_content import FilePath
    from bayou.graphs import Independence
    from bayou.models.network_files import Parts
    from bayou.models.separation_drawing import SeparationWithPicture

NO_REMARKS = Remarks()


class Network(
    NetworkQueries,
    NetworkParameters,
    NetworkLearning,
    TableAnswers,
    PlanInspection,
    NetworkExplanations,
    NetworkWords,
    NetworkSensitivity,
    NetworkComparisons,
    NetworkEditing,
    NetworkAppearance,
):
    """A Bayesian network: named variables, arcs, and a local distribution for each variable.

    ``structure`` is arrow text, (parent, child) pairs, or a mapping child → parents. ``states`` declares
    the states of variables, in order; others are inferred from the data. ``continuous`` names real-valued
    variables. ``share`` lets several variables use one block of parameters. ``tables`` gives tables by
    variable, ``nodes`` kinds of distributions, such as NoisyOr, NoisyAnd, NoisyMax or Deterministic.

    >>> net = Network("Rain -> Wet", tables={
    ...     "Rain": {"no": 0.8, "yes": 0.2},
    ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}},
    ... })
    >>> print(net.query("Rain", given={"Wet": "yes"}))
    P(Rain | Wet=yes)
    Rain  P
    no    0.3333  ███▍
    yes   0.6667  ██████▋
    """

    def __init__(
        self,
        structure: Any = "",
        *,
        states: Mapping[Any, Any] | None = None,
        continuous: Iterable[Name] = (),
        share: Mapping[Any, Iterable[Name]] | None = None,
        tables: Mapping[Any, Any] | None = None,
        nodes: Mapping[Any, Any] | None = None,
    ) -> None:
        dag = dag_from(structure)
        declared = declared_variables(dag, states, continuous)
        kinds = _kinds(mapping_given("nodes", nodes, "{'Fever': bayou.NoisyOr}"), dag, declared)
        self._structure = Structure(dag, declared, check_sharing(dag, sharing_given(share)), kinds)
        self._learned: FittedParameters | None = None
        self._trace: LearningTrace | None = None
        self._pending: dict[Name, Distribution] = {}
        self._remarks = NO_REMARKS
        self._frozen = None if self._structure.undeclared else self._structure.frozen()
        given = mapping_given("tables", tables, "{'Rain': {'no': 0.8, 'yes': 0.2}}")
        table_of = {dag.only(name): table for name, table in given.items()}
        for name in dag.topological_order:
            if name in table_of:
                self.set_cpt(name, table_of[name])

    # Structure

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
        """The parents of a variable, in the order of its table's axes."""
        return self.dag.parents(name)

    def children(self, name: Name) -> tuple[Name, ...]:
        """The children of a variable."""
        return self.dag.children(name)

    def states(self, name: Name) -> tuple[State, ...]:
        """The states of a discrete variable, in order."""
        return self.variables[name].states

    def parameter_count(self) -> ParameterCount:
        """The number of parameters (a shared block counts once), and that of the full joint table.

        >>> movie = Network("G -> R", states={"G": ["d", "c"], "R": [1, 2, 3, 4, 5]})
        >>> print(movie.parameter_count())
        12 parameters, 9 free (the full joint table: 10, 9 free)
        """
        return count_parameters(self.frozen)

    # Independence

    def d_separated(
        self, left: Name | Iterable[Name], right: Name | Iterable[Name], given: Name | Iterable[Name] = ()
    ) -> SeparationWithPicture:
        """Whether ``left`` and ``right`` are d-separated given ``given``; the printed result explains why.

        >>> Network("Storm -> Fire <- Bus").d_separated("Storm", "Bus", given="Fire").trail
        ('Storm', 'Fire', 'Bus')
        """
        from bayou.models.separation_drawing import SeparationWithPicture

        return SeparationWithPicture.of(graphs.separated(self.dag, left, right, given))

    def markov_blanket(self, name: Name) -> tuple[Name, ...]:
        """The parents, the children, and the other parents of the children.

        >>> Network("Storm -> Fire <- Bus").markov_blanket("Storm")
        ('Fire', 'Bus')
        """
        return self.dag.markov_blanket(name)

    def local_independencies(self) -> list[Independence]:
        """One statement per variable: it is independent of its non-descendants given its parents."""
        return self.dag.local_independencies()

    # Files and printing

    def save(self, path: FilePath) -> None:
        """Write the network to a file; the ending chooses the format (see :func:`bayou.load`)."""
        from bayou.models.network_files import write_network

        write_network(path, self.parts(), self.state)

    def state(self) -> dict[str, Any]:
        """The content of a ``.bayou`` file, as plain values and arrays."""
        from bayou.fitting.network_state import network_state

        frozen, learned, declared, remarks = self.parts()
        return {**network_state(frozen, learned, declared), "remarks": remarks.state()}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Network:
        """Create the network from the result of :meth:`state`; files of early versions have no remarks."""
        from bayou.fitting.network_state import network_from_state

        remarks = Remarks() if state.get("remarks") is None else Remarks.from_state(state["remarks"])
        return cls.from_parts(*network_from_state(state), remarks).show_as(remarks.appearance)

    @classmethod
    def from_draft(cls, draft: NetworkDraft) -> Network:
        """Create the network from a draft, as read from a file of a foreign format."""
        from bayou.models.network_files import parts_of_draft

        return cls.from_parts(*parts_of_draft(draft))

    def copy(self) -> Network:
        """An independent copy: changes to one do not affect the other."""
        twin = Network.__new__(Network)
        twin.__dict__.update(self.__dict__)
        twin._pending = dict(self._pending)
        return twin

    def parts(self) -> Parts:
        """Frozen network, fitted parameters, declared variables and remarks: the content of a file."""
        return self.frozen, self._learned, self._structure.declared, self._remarks

    @classmethod
    def from_parts(
        cls,
        frozen: FrozenNetwork,
        learned: FittedParameters | None,
        declared: Mapping[Name, Variable],
        remarks: Remarks = NO_REMARKS,
        trace: LearningTrace | None = None,
    ) -> Network:
        """Create a network from the result of :meth:`parts`."""
        net = cls(frozen.dag)
        net._structure = Structure(frozen.dag, declared, frozen.sharing, frozen.kinds)
        net._learned, net._frozen, net._remarks, net._trace = learned, frozen, remarks, trace
        return net

    @classmethod
    def from_structure(cls, structure: Structure) -> Network:
        """Create a network without parameters from a :attr:`structure`."""
        net = cls(structure.dag)
        net._structure = structure
        net._frozen = None if structure.undeclared else structure.frozen()
        return net

    def same_as(self, other: Network) -> bool:
        """Whether both networks have the same variables, arcs, sharing and bit-identical parameters."""
        return same_parameters(self.frozen, other.frozen)

    def __repr__(self) -> str:
        from bayou.models.answers import printing

        return printing.one_line(self._structure, self._frozen)

    def __str__(self) -> str:
        from bayou.models.answers import printing

        return printing.text(self._structure, self._frozen)

    def _repr_html_(self) -> str:
        from bayou.models.answers import printing
        from bayou.models.network_drawing import notebook_drawing

        return printing.html(self._structure, self._frozen, notebook_drawing(self))


def _kinds(
    nodes: Mapping[Any, Any], dag: Dag, declared: dict[Name, Variable]
) -> Mapping[Name, DistributionKind]:
    """The kinds of the nodes; variables of texts are added to those that are declared."""
    if not nodes:
        return {}
    from bayou.models.nodes.node_kinds import node_kinds_from, text_variables

    kinds = node_kinds_from(nodes, dag.nodes)
    declared.update(text_variables(kinds, declared))
    return kinds
