"""The methods of a network that edit nodes and arcs, and that copy parts of one network to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from bayou.arguments import is_whole
from bayou.errors import BadQuestion
from bayou.graphs import Dag
from bayou.models.verbs.state_editing import StateEditing
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.models.editing.network_content import NetworkContent

E = TypeVar("E", bound="NetworkEditing")


class NetworkEditing(StateEditing):
    """Methods that edit nodes, arcs and parts of a network; :class:`~bayou.Network` inherits them.

    Each changes the network itself and returns it; after an error nothing has changed. Tables that still fit
    are kept to the bit. Learned counts are kept by new names and orders, and dropped by all other edits.
    """

    if TYPE_CHECKING:

        @property
        def dag(self) -> Dag: ...
        def set_cpt(self: E, name: Name, table: Any) -> E: ...

    # Nodes

    def add_node(
        self: E,
        name: Name,
        states: Any = None,
        parents: Any = (),
        table: Any = None,
        *,
        continuous: bool = False,
        at: int | None = None,
    ) -> E:
        """Add a variable with its states and parents, at a place in the order of names (default: the end).

        ``table`` is anything that :meth:`set_cpt` takes, or ``"uniform"``; without it the variable has no
        distribution until it is set or learned. A table that is a mapping tells the states.
        ``continuous=True`` declares real numbers.

        Raises ``BadVariable`` for a name that is taken or states that cannot be, ``UnknownVariable`` for a
        parent that is not there, ``BadTable`` for a table that does not fit, and ``BadQuestion`` for a place
        that is not there.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> net.add_node("Slippery", ["no", "yes"], "WetGrass", [[1, 0], [0.3, 0.7]]).parents("Slippery")
        ('WetGrass',)
        """
        from bayou.models.editing.node_edits import declared_variable, node_added

        count = len(self.dag)
        if at is not None and (not is_whole(at) or not 0 <= at <= count):
            raise BadQuestion(f"at={at!r}: give the place among the names, a whole number from 0 to {count}.")
        variable = declared_variable(name, states, continuous)
        place = count if at is None else int(at)
        content = node_added(self._content(), name, variable, self.dag.select(parents), place)
        twin = self.copy()._keep_edit(content)
        if isinstance(table, str) and table == "uniform":
            twin = twin.set_cpt(name, _uniform(content, name))
        elif table is not None:
            twin = twin.set_cpt(name, table)
        self.__dict__.update(twin.__dict__)
        return self

    def remove_node(self: E, name: Name) -> E:
        """Remove a variable; the tables of its children are averaged over it, as :meth:`remove_arc` does.

        The average uses the probabilities of the network before. Removing a variable without children changes
        nothing else, and keeps what was learned about the others. :meth:`absorb_node` sums it out exactly.

        Raises ``UnknownVariable`` for a name that no variable has.

        >>> import bayou
        >>> bayou.examples.rain_and_wet_grass().remove_node("Rain").cpt("WetGrass")["yes"]
        0.26
        """
        from bayou.models.editing.node_edits import node_removed
        from bayou.models.editing.remark_edits import remarks_of

        children = self.dag.children(name)
        content = node_removed(self._content(), name)
        names = content.dag.nodes
        learned = None if children else self._carried_part(content)
        return self._keep_edit(content, learned, remarks_of(self._remarks, names))

    def rename_node(self: E, old: Name, new: Name) -> E:
        """Give a variable another name; everything else stays, and so do learned counts.

        Raises ``UnknownVariable`` for a name that no variable has, and ``BadVariable`` for a new name that is
        taken.

        >>> import bayou
        >>> bayou.examples.rain_and_wet_grass().rename_node("Rain", "Shower").arcs
        (('Shower', 'WetGrass'),)
        """
        from bayou.models.editing.node_edits import nodes_renamed, require_new_name
        from bayou.models.editing.remark_edits import remarks_renamed

        content = self._content()
        if self.dag.only(old) == new and type(old) is type(new):
            return self
        require_new_name(content, new)
        names = {old: new}
        content = nodes_renamed(content, names)
        return self._keep_edit(content, self._carried(content, names), remarks_renamed(self._remarks, names))

    def absorb_node(self: E, name: Name) -> E:
        """Remove a variable by summing it out: the joint distribution of all others stays.

        Its children get its parents, and each child those before it with their parents (Shachter). A table
        that would be larger than the memory limit (:func:`bayou.limits`) is refused, with its size.

        Raises ``UnknownVariable`` for a name that no variable has.

        >>> import bayou
        >>> net = bayou.examples.storm().absorb_node("Storm")
        >>> net.parents("ForestFire")
        ('Lightning', 'BusTourGroup', 'Campfire')
        """
        from bayou.models.editing.remark_edits import remarks_of
        from bayou.models.editing.reversal import node_absorbed

        if not self.dag.children(name):
            return self.remove_node(name)
        content = node_absorbed(self._content(), name)
        return self._keep_edit(content, remarks=remarks_of(self._remarks, content.dag.nodes))

    # Arcs

    def add_arc(self: E, parent: Name, child: Name) -> E:
        """Add an arc; the child's rows are repeated for each state of the parent: no probability changes.

        The parent comes last in the order of the child's parents. In a noisy node it is a cause without
        effect, in a Gaussian a slope of 0. A cycle is refused, and shown. Learned counts are dropped.

        Raises ``UnknownVariable`` for a name that no variable has, and ``BadGraph`` for an arc that is there
        or closes a cycle.

        >>> import bayou
        >>> net = bayou.Network("Rain -> Wet -> Slippery").add_arc("Rain", "Slippery")
        >>> net.add_arc("Slippery", "Rain")
        Traceback (most recent call last):
        ...
        bayou.errors.BadGraph: The arc Slippery -> Rain would close a cycle: Rain -> Slippery -> Rain. ...
        """
        from bayou.models.editing.arc_edits import arc_added

        return self._keep_edit(arc_added(self._content(), parent, child))

    def remove_arc(self: E, parent: Name, child: Name) -> E:
        """Remove an arc; the child's table is averaged over the parent, by P(parent | the other parents).

        So the child keeps its probabilities together with its other parents. States that cannot occur weigh
        as in P(parent); all weigh alike while tables are missing. Of a noisy node the leak takes over what
        the cause does on average; a Gaussian gets the mean and the variance of the mixture. Learned counts
        are dropped.

        Raises ``UnknownVariable`` for a name that no variable has, and ``BadGraph`` for an arc that is not
        there.

        >>> import bayou
        >>> bayou.examples.rain_and_wet_grass().remove_arc("Rain", "WetGrass").cpt("WetGrass")["yes"]
        0.26
        """
        from bayou.models.editing.arc_edits import arc_removed

        return self._keep_edit(arc_removed(self._content(), parent, child))

    def reverse_arc(self: E, parent: Name, child: Name) -> E:
        """Turn an arc round by Bayes' rule: both get each other's parents, and the joint distribution stays.

        Refused if there is another path from parent to child, which would become a cycle. Learned counts are
        dropped.

        Raises ``UnknownVariable`` for a name that no variable has, and ``BadGraph`` for an arc that is not
        there or whose reverse closes a cycle.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass().reverse_arc("Rain", "WetGrass")
        >>> net.arcs, round(net.cpt("Rain")["yes", "yes"], 4)
        ((('WetGrass', 'Rain'),), 0.6923)
        """
        from bayou.models.editing.remark_edits import remarks_on_reversal
        from bayou.models.editing.reversal import arc_reversed

        content = arc_reversed(self._content(), parent, child)
        return self._keep_edit(content, remarks=remarks_on_reversal(self._remarks, parent, child))

    def reorder_parents(self: E, name: Name, order: Iterable[Name]) -> E:
        """Put the parents of a variable in another order; no probability changes, and counts are kept.

        Raises ``UnknownVariable`` for a name that no variable has, and ``BadGraph`` for an order that does
        not name each parent once.

        >>> import bayou
        >>> bayou.examples.storm().reorder_parents("Campfire", ["BusTourGroup", "Storm"]).parents("Campfire")
        ('BusTourGroup', 'Storm')
        """
        from bayou.models.editing.arc_edits import parents_reordered

        content = parents_reordered(self._content(), name, order)
        return self._keep_edit(content, self._carried(content))

    # Parameters

    def unshare(self: E, name: Name) -> E:
        """Give a variable that shares its parameters a copy of its own; learned counts are dropped.

        Raises ``UnknownVariable`` for a name that no variable has, and ``BadGraph`` for a variable that
        shares nothing.

        >>> import bayou
        >>> net = bayou.Network("A, B", states={"A": [0, 1], "B": [0, 1]}, share={"coin": ["A", "B"]})
        >>> net.set_cpt("A", [0.5, 0.5]).unshare("A").sharing
        {'coin': ('B',)}
        """
        from bayou.models.editing.node_edits import block_unshared

        return self._keep_edit(block_unshared(self._content(), self.dag.only(name)))

    def clear_table(self: E, name: Name) -> E:
        """Drop the parameters of a variable (and of those that share them); its states and parents stay.

        Raises ``UnknownVariable`` for a name that no variable has.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass().clear_table("WetGrass")
        >>> net.query("WetGrass")
        Traceback (most recent call last):
        ...
        bayou.errors.NotFitted: No distribution yet for 'WetGrass'. ...
        """
        from bayou.models.editing.node_edits import table_cleared

        return self._keep_edit(table_cleared(self._content(), self.dag.only(name)))

    # Copy and paste

    def subnetwork(self: E, names: Name | Iterable[Name]) -> E:
        """A new network of some variables and the arcs between them; this one does not change.

        A variable whose parents are all in it keeps its parameters to the bit. Those of others are averaged
        over the parents left out, with the probabilities of the whole network: P(child | parents in it).

        Raises ``UnknownVariable`` for a name that no variable has, and ``BadQuestion`` for a part without
        variables.

        >>> import bayou
        >>> part = bayou.examples.storm().subnetwork(["Lightning", "Thunder"])
        >>> part.arcs, round(part.cpt("Lightning")["yes"], 4)
        ((('Lightning', 'Thunder'),), 0.165)
        """
        from bayou.models.editing.network_parts import part_of
        from bayou.models.editing.remark_edits import remarks_of

        chosen = self.dag.select(names)
        if not chosen:
            raise BadQuestion("Name at least one variable of the part.")
        content = part_of(self._content(), chosen)
        whole = all(parent in chosen for name in chosen for parent in self.dag.parents(name))
        learned = self._carried_part(content) if whole else None
        return self.copy()._keep_edit(content, learned, remarks_of(self._remarks, content.dag.nodes))

    def add_network(self: E, other: E, *, prefix: str = "", rename: Mapping[Any, Name] | None = None) -> E:
        """Add the variables of another network, with their arcs and tables; the other does not change.

        Their names get a ``prefix``, or new ones by ``rename`` (old → new), if they are taken here. Learned
        counts are dropped, because they are of other rows. With :meth:`subnetwork` it is copy and paste.

        Raises ``BadQuestion`` for what is no network, ``BadVariable`` for names that are taken, and
        ``UnknownVariable`` for a name in ``rename`` that the other network does not have.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> net.add_network(net.subnetwork("Rain"), prefix="next ").names
        ('Rain', 'WetGrass', 'next Rain')
        """
        from bayou.models.editing.network_parts import both_together, new_names
        from bayou.models.editing.remark_edits import remarks_renamed, remarks_together

        if not isinstance(other, NetworkEditing):
            raise BadQuestion(f"add_network takes a network, not a {type(other).__name__}.")
        added = other._content()
        names = new_names(added, prefix, rename)
        content = both_together(self._content(), added, names)
        remarks = remarks_together(self._remarks, remarks_renamed(other._remarks, names))
        return self._keep_edit(content, remarks=remarks)

    def _carried_part(self, content: NetworkContent) -> FittedParameters | None:
        """What was learned about the variables of a part, whose families are as before; None: nothing."""
        if self._learned is None or content.frozen is None:
            return None
        from bayou.models.editing.carried_counts import carried_without

        return carried_without(self._learned, content.frozen, content.dag.nodes)


def _uniform(content: NetworkContent, name: Name) -> Any:
    """A table that gives all states the same probability, as an array."""
    import numpy as np

    from bayou.models.editing.state_change import variable_with_states

    child = variable_with_states(content, name)
    parents = [variable_with_states(content, parent) for parent in content.dag.parents(name)]
    return np.full([*(p.cardinality for p in parents), child.cardinality], 1 / child.cardinality)
