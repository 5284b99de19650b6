"""The template and the tables of a dynamic network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bayou.arguments import whole_number
from bayou.distributions import Distribution
from bayou.errors import BadVariable, NotFitted, UnknownVariable, listed
from bayou.models.network import Network
from bayou.models.nodes.table_spec import states_in
from bayou.networks.declarations import mapping_given, states_given
from bayou.schema import Variable
from bayou.temporal.templates.template import DynamicTemplate, names_within
from bayou.temporal.templates.template_model import PlanMemory, TemplateModel
from bayou.temporal.templates.template_text import lagged_arcs
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.models.nodes.gaussian_view import GaussianNode
    from bayou.probability.probability_table import ProbabilityTable


class DynamicTables:
    """The template of a dynamic network and its tables; :class:`~bayou.DynamicNetwork` inherits it."""

    def __init__(
        self,
        structure: Any,
        *,
        states: Mapping[Any, Any] | None = None,
        continuous: Iterable[Name] = (),
        tables: Mapping[Any, Any] | None = None,
        constant: Iterable[Name] = (),
        first: Iterable[Name] = (),
        last: Iterable[Name] = (),
    ) -> None:
        names, arcs = lagged_arcs(structure)
        groups = [
            names_within(given, names, f"in {what}")
            for what, given in (("constant", constant), ("first", first), ("last", last))
        ]
        self._template = DynamicTemplate(names, arcs, *groups)
        self._declared: dict[Name, Variable] = {}
        for name, given in mapping_given("states", states, "{'Rain': ['no', 'yes']}").items():
            if name not in names:
                raise UnknownVariable.named(name, names, "in states")
            self._declared[name] = states_given(name, given)
        for name in names_within(continuous, names, "in continuous"):
            if name in self._declared:
                raise BadVariable(f"{name!r} is in states= and in continuous=; give it once.")
            self._declared[name] = Variable(name)
        self._net: Network | None = None
        self._memory = PlanMemory()
        self._kept: TemplateModel | None = None
        self._set_tables(mapping_given("tables", tables, "{'Rain': {'no': 0.5, 'yes': 0.5}}"))

    def _set_tables(self, tables: Mapping[Any, Any]) -> None:
        template = self._template
        for block in tables:
            if block not in template.tables:
                raise UnknownVariable.named(block, template.tables, "in tables")
        for name in template.names:
            if name not in self._declared:
                found = self._states_from(name, tables)
                if found is not None:
                    self._declared[name] = found
        missing = [name for name in template.names if name not in self._declared]
        if missing and tables:
            raise BadVariable(
                f"The states of {missing[0]!r} are not known, so tables cannot be read: declare them "
                "(states=…), or give its table as a mapping of states."
            )
        if not missing:
            self._net = self._blank()
            for block in template.dag.topological_order:
                if block in tables:
                    self._set_table(self._net, block, tables[block])

    def _states_from(self, name: Name, tables: Mapping[Any, Any]) -> Variable | None:
        """A variable with the states that one of its tables names."""
        for block, node in self._template.behind.items():
            if node.name == name and block in tables:
                found = states_in(tables[block], len(self._template.parents(node)))
                if found is not None:
                    return Variable(name, found)
        return None

    def blank(self, states: Mapping[Name, Any]) -> Any:
        """A network with the same template and these states, and without tables.

        Raises ``UnknownVariable`` for a name that no variable has, and ``BadVariable`` for states that cannot
        be.

        >>> import bayou
        >>> bayou.examples.umbrella_world().blank({"Rain": ["dry", "wet"]})
        DynamicNetwork with 2 variables a slice and 3 tables
        arcs: Rain -> Rain'; Rain -> Umbrella
        without parameters
        """
        made = type(self)({})
        made._template = self._template
        known = {str(name): name for name in self.names}
        for name, given in states.items():
            if str(name) not in known:
                raise UnknownVariable.named(name, self.names, "in states")
            made._declared[known[str(name)]] = states_given(known[str(name)], given)
        return made

    def _blank(self) -> Network:
        """The network of the first slices without parameters."""
        declared = {
            label: _called(self._declared[node.name], label) for label, node in self._template.behind.items()
        }
        numbers = [label for label, variable in declared.items() if variable.is_continuous]
        for label in numbers:
            del declared[label]
        return Network(self._template.dag, states=declared, continuous=numbers, share=self._template.sharing)

    # What it consists of

    @property
    def template(self) -> DynamicTemplate:
        """The arcs and the variables of all slices."""
        return self._template

    @property
    def names(self) -> tuple[Name, ...]:
        """The names of the variables."""
        return self._template.names

    @property
    def arcs(self) -> tuple[tuple[Name, Name, int], ...]:
        """All arcs as (parent, child, number of slices between them)."""
        return tuple((arc.parent, arc.child, arc.lag) for arc in self._template.arcs)

    @property
    def tables(self) -> tuple[Name, ...]:
        """The names of the tables: ``Rain`` for the first slice, ``Rain'`` for those after it."""
        return self._template.tables

    @property
    def variables(self) -> dict[Name, Variable]:
        """The variables with their states; raises NotFitted if some are neither declared nor learned."""
        missing = [name for name in self.names if name not in self._declared]
        if missing:
            raise NotFitted(
                f"The states of {listed(missing)} are not known yet: learn them from sequences, fit(data), "
                "or declare them when the network is made, states={…} (or continuous=[…])."
            )
        return {name: self._declared[name] for name in self.names}

    @property
    def model(self) -> TemplateModel:
        """The template with its tables, as the kernels use it; raises NotFitted if one is missing."""
        net = self._slices()
        self._require_tables(net)
        if self._kept is None or self._kept.network is not net.frozen:
            self._kept = TemplateModel(self._template, net.frozen, self._memory)
        return self._kept

    def _require_tables(self, net: Network) -> None:
        """Raise NotFitted, naming them, if tables are missing."""
        self._require(net, self.tables)

    @staticmethod
    def _require(net: Network, tables: Iterable[Name]) -> None:
        slots, blocks = net.frozen.slots, net.frozen.blocks
        missing = [table for table in tables if slots[table] not in blocks]
        if missing:
            it = "it" if len(missing) == 1 else "them"
            raise NotFitted(
                f"No table yet for {listed(missing)}: learn {it} from sequences, fit(data), or state {it}, "
                f"set_cpt({missing[0]!r}, …)."
            )

    def _slices(self) -> Network:
        _ = self.variables
        if self._net is None:
            self._net = self._blank()
        return self._net

    def parents(self, table: Name) -> tuple[Name, ...]:
        """The parents in a table, in the order of its axes: those of ``Rain'`` are in slice 1 (primed) or 0.

        Raises ``UnknownVariable`` for a name that no table has.

        >>> import bayou
        >>> bayou.examples.umbrella_world().parents("Rain'")
        ('Rain',)
        """
        return self._template.dag.parents(self._table_named(table))

    def cpt(self, table: Name) -> ProbabilityTable:
        """A table: ``cpt("Rain")`` of the first slice, ``cpt("Rain'")`` of those after it.

        Raises ``UnknownVariable`` for a name that no table has, and ``NotFitted`` without tables.

        >>> import bayou
        >>> print(bayou.examples.umbrella_world().cpt("Rain'"))
        P(Rain' | Rain)
        Rain  no      yes
        no    0.7000  0.3000
        yes   0.3000  0.7000
        """
        block = self._table_named(table)
        self._require(self._slices(), [block])
        return self._slices().cpt(block)

    def gaussian(self, table: Name) -> GaussianNode:
        """The line of a number: its mean (where parents are 0), coefficients and variance.

        Raises ``UnknownVariable`` for a name that no table has, ``BadTable`` for a variable that has states,
        and ``NotFitted`` without tables.

        >>> import bayou
        >>> walk = bayou.DynamicNetwork("x -> x'", continuous=["x"], tables={
        ...     "x": (0, 1), "x'": {"mean": 0, "coefficients": {"x": 0.9}, "variance": 1},
        ... })
        >>> walk.gaussian("x'").coefficients()
        {'x': 0.9}
        """
        block = self._table_named(table)
        self._require(self._slices(), [block])
        return self._slices().gaussian(block)

    def set_cpt(self, table: Name, values: Any, *, normalise: bool = False) -> Any:
        """Set a table, by states or as an array with the axes (parents …, the variable). With ``normalise``
        rows are divided by their sums.
        """
        block = self._table_named(table)
        self._set_table(self._slices(), block, values, normalise=normalise)
        return self

    def set_gaussian(self, table: Name, parameters: Any) -> Any:
        """Set the line of a number: (mean, variance), or a mapping with ``coefficients``; by the states of
        discrete parents, if there are some. A variance of 0 makes it a function of its parents.

        Returns this network.

        Raises ``UnknownVariable`` for a name that no table has, and ``BadTable`` for a variance below 0, or
        numbers of another form.

        >>> import bayou
        >>> walk = bayou.DynamicNetwork("x -> x'", continuous=["x"]).set_gaussian("x", (0, 1))
        >>> walk = walk.set_gaussian("x'", {"mean": 0, "coefficients": {"x": 0.9}, "variance": 1})
        >>> walk.gaussian("x'").coefficients()
        {'x': 0.9}
        """
        return self.set_cpt(table, parameters)

    @staticmethod
    def _set_table(net: Network, block: Name, values: Any, *, normalise: bool = False) -> None:
        if isinstance(values, Distribution):
            net._set(block, values)
        elif net.variables[block].is_continuous:
            from bayou.models.dynamic.numbers.stated_lines import stated_line

            net._set(block, stated_line(net, block, values))
        else:
            net.set_cpt(block, values, normalise=normalise)

    @property
    def has_numbers(self) -> bool:
        """Whether some variables are numbers."""
        return any(variable.is_continuous for variable in self._declared.values())

    def _table_named(self, table: Name) -> Name:
        if table not in self._template.tables:
            raise UnknownVariable.named(table, self._template.tables, "among the tables")
        return table

    def network(self, length: int) -> Network:
        """The Bayesian network of so many slices: ``Rain0, Rain1, …``, with tables shared by the slices.

        Raises ``BadQuestion`` for a length below 1, and ``NotFitted`` without tables.

        >>> import bayou
        >>> net = bayou.examples.umbrella_world().network(3)
        >>> net.names
        ('Rain0', 'Umbrella0', 'Rain1', 'Umbrella1', 'Rain2', 'Umbrella2')
        >>> round(net.query("Rain1", {"Umbrella0": "yes", "Umbrella1": "yes"})["yes"], 4)
        0.8834
        """
        from bayou.models.dynamic.unrolled_slices import unrolled_slices

        return unrolled_slices(self.model, whole_number("length", length, 1))


def _called(variable: Variable, name: Name) -> Variable:
    return variable if name == variable.name else Variable(name, variable.states, ordered=variable.ordered)
