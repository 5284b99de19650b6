"""``Network``: the Bayesian network of the public interface; its methods call the packages below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bayou.formats.draft import NetworkDraft, Remarks
from bayou.graphs import Dag, dag_from
from bayou.models.rows.table_answers import TableAnswers
from bayou.models.structures.network_comparison import NetworkComparisons
from bayou.models.verbs.appearance import NetworkAppearance
from bayou.models.verbs.editing import NetworkEditing
from bayou.models.verbs.explanations import NetworkExplanations
from bayou.models.verbs.exports import NetworkExports
from bayou.models.verbs.graph import NetworkGraph
from bayou.models.verbs.learning import NetworkLearning
from bayou.models.verbs.pages import NetworkPages
from bayou.models.verbs.parameters import NetworkParameters
from bayou.models.verbs.plans import PlanInspection
from bayou.models.verbs.queries import NetworkQueries
from bayou.models.verbs.sensitivity import NetworkSensitivity
from bayou.models.verbs.words import NetworkWords
from bayou.networks import FrozenNetwork, Structure, check_sharing, same_parameters
from bayou.networks.declarations import declared_variables, mapping_given, sharing_given
from bayou.schema import Variable
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.distributions import Distribution, DistributionKind
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.fitting.learning_trace import LearningTrace
    from bayou.formats.file_content import FilePath
    from bayou.models.verbs.files import Parts

NO_REMARKS = Remarks()


class Network(
    NetworkGraph,
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
    NetworkPages,
    NetworkExports,
):
    """A Bayesian network: named variables, arcs, and a local distribution for each variable.

    ``structure`` is arrow text, (parent, child) pairs, or a mapping child → parents. ``states`` declares
    the states of variables, in order; others are inferred from the data. ``continuous`` names real-valued
    variables. ``share`` lets several variables use one block of parameters. ``tables`` gives tables by
    variable, ``nodes`` kinds of distributions, such as NoisyOr, NoisyAnd, NoisyMax or Deterministic.

    Raises ``BadGraph`` for arcs that form a cycle, ``BadTable`` for numbers that are no probabilities.

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

    # Files and printing

    def save(self, path: FilePath) -> None:
        """Write the network to a file; the ending chooses the format (see :func:`bayou.load`).

        Raises ``BadFile`` for an ending that names no format or a folder that is not there, and ``NotFitted``
        where a network has no tables yet.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> with TemporaryDirectory() as folder:
        ...     net.save(Path(folder) / "rain.bayou")
        ...     print(bayou.load(Path(folder) / "rain.bayou").same_as(net))
        True
        """
        from bayou.models.verbs.files import write_network

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
        from bayou.models.verbs.files import parts_of_draft

        return cls.from_parts(*parts_of_draft(draft))

    def copy(self) -> Network:
        """An independent copy: changes to one do not affect the other.

        >>> import bayou
        >>> net = bayou.Network("Coin", tables={"Coin": {"heads": 0.5, "tails": 0.5}})
        >>> bent = net.copy().set_cpt("Coin", {"heads": 0.9, "tails": 0.1})
        >>> net.cpt("Coin")["heads"], bent.cpt("Coin")["heads"]
        (0.5, 0.9)
        """
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
        """Whether both networks have the same variables, arcs, sharing and bit-identical parameters.

        Raises ``NotFitted`` where the states of a network are neither declared nor learned.

        >>> import bayou
        >>> net = bayou.Network("Coin", tables={"Coin": {"heads": 0.5, "tails": 0.5}})
        >>> net.same_as(net.copy()), net.same_as(net.copy().set_cpt("Coin", {"heads": 0.9, "tails": 0.1}))
        (True, False)
        """
        return same_parameters(self.frozen, other.frozen)

    def __repr__(self) -> str:
        from bayou.models.answers import printing

        return printing.one_line(self._structure, self._frozen)

    def __str__(self) -> str:
        from bayou.models.answers import printing

        return printing.text(self._structure, self._frozen)

    def _repr_html_(self) -> str:
        from bayou.models.answers import printing
        from bayou.models.verbs.drawing import notebook_drawing

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
