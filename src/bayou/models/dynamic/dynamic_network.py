"""``DynamicNetwork``: a Bayesian network that repeats from slice to slice of time."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from bayou.distributions import Distribution, Table
from bayou.errors import BadFile, BadTable, listed
from bayou.formats.file_content import FilePath
from bayou.models.dynamic.dynamic_learning import DynamicLearning
from bayou.models.network import Network
from bayou.networks import FrozenNetwork, same_parameters
from bayou.schema import Variable
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import FloatArray, Name


class DynamicNetwork(DynamicLearning):
    """A dynamic Bayesian network: a template of slices, whose tables are shared over time.

    ``structure`` has the arcs, as text, pairs or a mapping: ``Rain -> Rain'`` leads to the next slice, ``Rain
    -> Umbrella`` stays in one, ``X -> X''`` (or ``X[t-2] -> X[t]``) leads two slices on. A variable whose
    parents lie up to k slices back has tables of its own for the first k slices: ``tables`` are ``"Rain"``,
    ``"Rain'"``, … Variables in ``constant`` have one value for a whole sequence, those in ``first`` and
    ``last`` exist in the first and in the last slice only. Those in ``continuous`` are numbers, linear in
    their parents with Gaussian noise. Inference is exact, by the interface algorithm and, of numbers, by
    Kalman's filter; which variables are observed may differ from step to step.

    Raises ``BadGraph`` for arcs that cannot be read or form a cycle, ``BadTable`` for numbers that are no
    probabilities, and ``UnknownVariable`` for a name that no variable has.

    >>> import bayou
    >>> world = bayou.DynamicNetwork("Rain -> Rain'; Rain -> Umbrella", tables={
    ...     "Rain": {"no": 0.5, "yes": 0.5},
    ...     "Rain'": {"no": {"no": 0.7, "yes": 0.3}, "yes": {"no": 0.3, "yes": 0.7}},
    ...     "Umbrella": {"no": {"no": 0.8, "yes": 0.2}, "yes": {"no": 0.1, "yes": 0.9}},
    ... })
    >>> print(world.filter({"Umbrella": ["yes", "yes"]}))
    P(variable | what is known so far)
    step  Rain=yes
    0     0.8182
    1     0.8834
    """

    def copy(self) -> DynamicNetwork:
        """Another network with the same arcs and tables, which learns by itself.

        >>> import bayou
        >>> world = bayou.examples.umbrella_world()
        >>> other = world.copy().set_cpt("Rain", [0.9, 0.1])
        >>> world.cpt("Rain").to_array().tolist()
        [0.5, 0.5]
        """
        return deepcopy(self)

    def save(self, path: FilePath) -> None:
        """Write the network to a ``.bayou`` file, or to an ``.xdsl`` file of GeNIe; :func:`bayou.load` reads
        both.

        Raises ``BadFile`` for an ending that names no format or a folder that is not there, and ``NotFitted``
        without tables.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import bayou
        >>> world = bayou.examples.umbrella_world()
        >>> with TemporaryDirectory() as folder:
        ...     world.save(Path(folder) / "world.bayou")
        ...     print(bayou.load(Path(folder) / "world.bayou").same_as(world))
        True
        """
        from bayou.models.dynamic.dynamic_file import write_dynamic_network

        write_dynamic_network(path, self)

    def state(self) -> dict[str, Any]:
        """The content of a ``.bayou`` file, as plain values and arrays."""
        from bayou.models.dynamic.dynamic_file import learned_state, template_state

        return {
            "template": template_state(self._template),
            "network": self.model.network.state(),
            "learned": learned_state(self._learned),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> DynamicNetwork:
        """Create the network from the result of :meth:`state`."""
        from bayou.models.dynamic.dynamic_file import learned_from_state, template_from_state

        template = template_from_state(state["template"])
        network = FrozenNetwork.from_state(state["network"])
        if network.dag != template.dag or dict(network.sharing) != dict(template.sharing):
            raise BadFile("the tables are not those of the template.")
        for label, node in template.behind.items():
            if network.schema[label].states != network.schema[node.name].states:
                raise BadFile(f"{label!r} and {node.name!r} have different states.")
        variables = {name: network.schema[name] for name in template.names}
        tables = {
            table: network.distribution(table)
            if network.schema[table].is_continuous
            else network.table(table)
            for table in template.tables
        }
        made = cls.from_tables(template, variables, tables)
        made._learned = learned_from_state(made.model.network, state["learned"])
        return made

    @classmethod
    def from_tables(
        cls,
        template: DynamicTemplate,
        variables: Mapping[Name, Variable],
        tables: Mapping[Name, FloatArray | Distribution],
    ) -> DynamicNetwork:
        """Create a network from its template, its variables and all its tables.

        ``template`` has the arcs of one slice and between two; ``variables`` and ``tables`` are by name.

        Raises ``BadTable`` for variables or tables that are lacking.

        >>> import bayou
        >>> world = bayou.examples.umbrella_world()
        >>> tables = {name: world.cpt(name).to_array() for name in world.template.tables}
        >>> states = {name: bayou.Variable(name, ["no", "yes"]) for name in world.names}
        >>> bayou.DynamicNetwork.from_tables(world.template, states, tables).same_as(world)
        True
        """
        for kind, wanted, given in (
            ("variable", template.names, variables),
            ("table", template.tables, tables),
        ):
            if missing := [name for name in wanted if name not in given]:
                raise BadTable(
                    f"There is no {kind} for {listed(missing)}; the template needs {listed(wanted)}."
                )
        made = cls({})
        made._template = template
        made._declared = dict(variables)
        blank = made._blank()
        # Not by set_cpt, which divides rows by their sums: numbers come back as they were written.
        shared = {name: block for block, users in template.sharing.items() for name in users}
        blocks: dict[Name, Distribution] = {}
        for name in template.tables:
            own = tables[name]
            blocks[shared.get(name, name)] = own if isinstance(own, Distribution) else Table(own)
        made._net = Network.from_parts(blank.frozen.with_blocks(blocks), None, blank.structure.declared)
        return made

    def same_as(self, other: DynamicNetwork) -> bool:
        """Whether both have the same template, states and exactly the same tables.

        Raises ``NotFitted`` without tables.

        >>> import bayou
        >>> world = bayou.examples.umbrella_world()
        >>> world.same_as(world.copy()), world.same_as(world.copy().set_cpt("Rain", {"no": 0.9, "yes": 0.1}))
        (True, False)
        """
        return self._template == other._template and same_parameters(self.model.network, other.model.network)

    def __repr__(self) -> str:
        from bayou.models.dynamic.dynamic_printing import described

        return described(self)

    def _repr_html_(self) -> Any:
        from bayou.text.tables import html_paragraphs

        return html_paragraphs(repr(self))
