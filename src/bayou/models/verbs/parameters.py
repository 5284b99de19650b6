"""The methods of a network that return and set its local distributions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bayou import explain
from bayou.arguments import interval_mass
from bayou.distributions import Distribution, Table
from bayou.errors import BadTable, BadVariable, listed
from bayou.graphs import Dag
from bayou.models.nodes.node_spec import NodeSpec, kinds_with
from bayou.models.nodes.table_spec import states_in, table_from
from bayou.networks import FrozenNetwork, Structure
from bayou.probability.probability_table import ProbabilityTable
from bayou.schema import Variable, plain
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.explain import TableIntervals
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.models.nodes.gaussian_view import GaussianNode

FEW_ROWS = 50
"""Tables learned from at most this many rows are printed as fractions: 2/3."""
LARGEST_DENOMINATOR = 100

N = TypeVar("N", bound="NetworkParameters")


class NetworkParameters:
    """Methods for tables, Gaussians and noisy nodes by variable; :class:`~bayou.Network` inherits them."""

    _structure: Structure
    _frozen: FrozenNetwork | None
    _learned: FittedParameters | None
    _pending: dict[Name, Distribution]
    """Distributions set before the states of all variables were known."""

    if TYPE_CHECKING:

        @property
        def dag(self) -> Dag: ...
        @property
        def frozen(self) -> FrozenNetwork: ...
        def _require_learned(self) -> FittedParameters: ...

    def cpt(self, name: Name) -> ProbabilityTable:
        """The table P(name | parents) of a discrete variable; one learned from few rows prints as fractions.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadTable`` for a variable that is
        continuous, and ``NotFitted`` without tables.

        >>> from bayou.models.network import Network
        >>> print(Network("A", tables={"A": {"x": 0.25, "y": 0.75}}).cpt("A"))
        P(A)
        A  P
        x  0.2500  ██▌
        y  0.7500  ███████▌
        """
        network = self.frozen
        variable = network.schema[self.dag.only(name)]
        axes = (*network.parents(name), variable)
        parents = [parent.name for parent in network.parents(name)]
        table = ProbabilityTable(axes, network.table(name), given=parents)
        learned = self._learned
        if learned is not None and not learned.expected and learned.statistics.rows <= FEW_ROWS:
            return table.in_fractions(LARGEST_DENOMINATOR)
        return table

    def cpt_intervals(self, name: Name, mass: float = 0.95) -> TableIntervals:
        """The credible interval of each entry of a learned table, from its counts and its prior.

        ``lower`` and ``upper`` have the form of the table: an axis for each parent, then the states.

        Raises ``NotFitted`` where the table was not learned from rows, ``UnknownVariable`` for a name that no
        variable has, and ``BadQuestion`` for a ``mass`` that is not between 0 and 1.

        >>> from bayou.models.network import Network
        >>> ends = Network("Coin").fit({"Coin": ["heads"] * 7 + ["tails"] * 3}).cpt_intervals("Coin")
        >>> ends.lower.round(3).tolist(), ends.upper.round(3).tolist()
        ([0.39, 0.109], [0.891, 0.61])
        """
        learned = self._require_learned()
        mass = interval_mass("mass", mass)
        only = self.dag.only(name)
        return explain.table_intervals(learned.network, only, learned.statistics, learned.priors, mass)

    def set_cpt(self: N, name: Name, table: Any, *, normalise: bool = False) -> N:
        """Set the table of a variable by its states; a shared table changes for all variables that use it.

        One state of a row may be omitted; it gets the remaining probability. ``normalise=True`` divides each
        row by its sum. Keys are states of the parents in their order (``net.parents(name)``), or name them:
        ``"Storm=yes, Bus=no"``. ``table`` may also be a result of :meth:`cpt`, its data frame
        (``to_frame()``), or NoisyOr(…), NoisyAnd(…), NoisyMax(…) or Deterministic(…), which ``fit`` then
        keeps as the kind of the node.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadTable`` for numbers that are no
        probabilities or do not fit the parents, ``UnknownState`` for a state that the variable or its parents
        do not have, and ``BadVariable`` where the states of the variable or of its parents are not known yet.

        >>> from bayou.models.network import Network
        >>> Network("A").set_cpt("A", {"x": 0.25, "y": 0.75}).cpt("A")["y"]
        0.75
        >>> net = Network("Rain -> Wet", tables={"Rain": {"no": 0.8, "yes": 0.2}})
        >>> net = net.set_cpt("Wet", {"no": {"dry": 0.9, "wet": 0.1}, "yes": {"dry": 0.2, "wet": 0.8}})
        >>> print(net.cpt("Wet"))
        P(Wet | Rain)
        Rain  dry     wet
        no    0.9000  0.1000
        yes   0.2000  0.8000
        """
        structure = self._declared_from(self.dag.only(name), table)
        variable, parents = self._family(name, structure)
        if isinstance(table, NodeSpec):
            block = table.bound(variable, parents)
            self._structure = structure
            return self._set(name, block, table)
        if variable.is_text:
            raise BadTable(f"{name!r} holds texts, whose words have no table to set: learn them (net.fit).")
        if variable.is_continuous:
            return self.set_gaussian(name, table)
        given = _numbers(table, variable, parents) if isinstance(table, ProbabilityTable) else table
        values = table_from(variable, parents, given, normalise)
        self._structure = structure
        return self._set(name, Table(values))

    def node(self, name: Name) -> Any:
        """The local distribution of a variable of any kind, printable, with its parameters by name.

        Raises ``UnknownVariable`` for a name that no variable has, and ``NotFitted`` without tables.

        >>> import bayou
        >>> print(bayou.examples.rain_and_wet_grass().node("WetGrass"))
        P(WetGrass | Rain)
        Rain  no      yes
        no    0.9000  0.1000
        yes   0.1000  0.9000
        """
        from bayou.models.nodes.node_views import node_view

        return node_view(self.frozen, self.dag.only(name))

    def gaussian(self, name: Name) -> GaussianNode:
        """The Gaussian of a continuous variable: intercept, coefficients and variance per parent states.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadTable`` for a variable that has
        states, and ``NotFitted`` without distributions.

        >>> import bayou
        >>> net = bayou.Network("Height", continuous=["Height"]).set_gaussian("Height", (170, 49))
        >>> print(net.gaussian("Height"))
        Normal(Height)
        mean  variance
        170   49
        """
        from bayou.models.nodes.gaussian_view import GaussianNode

        network = self.frozen
        return GaussianNode(network.family(self.dag.only(name)), network.gaussian(name))

    def set_gaussian(self: N, name: Name, parameters: Any) -> N:
        """Set the Gaussian of a continuous variable: (mean, variance), per states of the discrete parents.

        With continuous parents ``parameters`` also says how much a unit of each adds to the mean:
        ``{"mean": 0, "variance": 1, "coefficients": {"Age": 0.5}}``.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadTable`` for a variable that has
        states or numbers of another form or a variance below 0, and ``BadVariable`` where the states of the
        variable or of its parents are not known yet.

        >>> import bayou
        >>> net = bayou.Network("Sex -> Height", states={"Sex": ["f", "m"]}, continuous=["Height"])
        >>> net = net.set_gaussian("Height", {"f": (165, 49), "m": (178, 64)})
        >>> print(net.gaussian("Height"))
        Normal(Height | Sex)
        Sex  mean  variance
        f    165   49
        m    178   64
        """
        from bayou.models.nodes.gaussian_view import gaussian_from

        variable, parents = self._family(self.dag.only(name), self._structure)
        return self._set(name, gaussian_from(variable, parents, parameters))

    def _family(self, name: Name, structure: Structure) -> tuple[Variable, list[Variable]]:
        """Return a variable and its parents, or raise if the states of one of them are not known."""
        known = structure.declared if self._frozen is None else self._frozen.schema
        family = (*self.dag.parents(name), name)
        lacking = [member for member in family if member not in known]
        if lacking:
            raise BadVariable(
                f"The states of {listed(lacking)} are not known yet, so the table of {name!r} cannot be "
                "read: declare them (states=…, or continuous=[…] for numbers) or set their own tables first."
            )
        return known[name], [known[parent] for parent in self.dag.parents(name)]

    def _set(self: N, name: Name, distribution: Distribution, node: NodeSpec | None = None) -> N:
        """Set the distribution of a variable; what was learned before is discarded."""
        self._structure = kinds_with(self._structure, name, node)
        self._pending[self._structure.slot(name)] = distribution
        if self._frozen is None and not self._structure.undeclared:
            self._frozen = self._structure.frozen()
        if self._frozen is not None:
            self._frozen = self._frozen.with_blocks(self._pending, self._structure.kinds)
            self._pending = {}
        self._learned = None
        return self

    def _declared_from(self, name: Name, table: Any) -> Structure:
        """Return the structure, with a variable that has no declared states declared from its table."""
        if name in self._structure.declared or self._frozen is not None:
            return self._structure
        if isinstance(table, NodeSpec):
            from bayou.models.nodes.deterministic_node import states_of_node

            parents = [self._family(parent, self._structure)[0] for parent in self.dag.parents(name)]
            states = states_of_node(name, parents, table)
        elif isinstance(table, ProbabilityTable):
            states = next((list(axis.states) for axis in table.variables if axis.name == name), None)
        elif hasattr(table, "columns") and name in table.columns:
            states = list(dict.fromkeys(plain(state) for state in table[name]))
        else:
            states = states_in(table, len(self.dag.parents(name)))
        if states is None:
            raise BadVariable(
                f"The states of {name!r} are not known: declare them (states=…), or give the table as a "
                "mapping of states."
            )
        declared = {**self._structure.declared, name: Variable(name, states)}
        return replace(self._structure, declared=declared)


def _numbers(table: ProbabilityTable, child: Variable, parents: list[Variable]) -> FloatArray:
    """Return the entries of a table with axes and states in the order of this family."""
    family = [*parents, child]
    if table.targets != (child.name,) or {*table.conditions} != {parent.name for parent in parents}:
        given = f" given {listed(parent.name for parent in parents)}" if parents else ""
        raise BadTable(f"{table.title} is not the table of {child.name!r}{given}.")
    places = [table.names.index(variable.name) for variable in family]
    axes = [table.variables[place] for place in places]
    for variable, axis in zip(family, axes, strict=True):
        for state in axis.states:
            variable.code(state)
    codes = [[axis.code(s) for s in variable.states] for variable, axis in zip(family, axes, strict=True)]
    return np.transpose(table.to_array(), places)[np.ix_(*codes)]
