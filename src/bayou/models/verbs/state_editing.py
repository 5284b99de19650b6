"""The methods of a network that edit states of variables, rows of tables and single probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from bayou.distributions import Distribution
from bayou.formats.draft import Remarks
from bayou.networks import FrozenNetwork, Structure
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.fitting.learning_trace import LearningTrace
    from bayou.learning.search.structure_report import StructureReport
    from bayou.models.editing.network_content import NetworkContent
    from bayou.models.editing.state_change import StateChange

E = TypeVar("E", bound="StateEditing")


class StateEditing:
    """Methods that edit states, rows and cells; :class:`~bayou.Network` inherits them.

    Each changes the network itself and returns it; after an error nothing has changed.
    """

    _structure: Structure
    _frozen: FrozenNetwork | None
    _learned: FittedParameters | None
    _pending: dict[Name, Distribution]
    _remarks: Remarks
    _trace: LearningTrace | None
    _before_fit: FrozenNetwork | None
    learned_structure: StructureReport | None
    if TYPE_CHECKING:

        def copy(self: E) -> E: ...
        def _set(self: E, name: Name, distribution: Distribution) -> E: ...

    def rename_state(self: E, name: Name, old: State, new: State) -> E:
        """Give a state of a variable another name; no probability changes, and counts are kept.

        Variables that must have the same states, because they share parameters, get the new name too.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, and ``BadVariable`` for a new name that another state has, or a variable whose states are not
        known.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass().rename_state("Rain", "yes", "heavy")
        >>> net.states("Rain"), net.cpt("WetGrass")["heavy", "yes"]
        (('no', 'heavy'), 0.9)
        """
        from bayou.models.editing.remark_edits import remarks_on_states
        from bayou.models.editing.state_edits import renamed_state

        changes = renamed_state(self._content(), name, old, new)
        remarks = remarks_on_states(self._remarks, {each: {old: new} for each in changes})
        return self._change_states(changes, remarks)

    def reorder_states(self: E, name: Name, order: Iterable[State]) -> E:
        """Put the states of a variable in another order; no probability changes, and counts are kept.

        Variables that must have the same states, because they share parameters, follow.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadVariable`` for an order that does not
        name each state once, and ``UnknownState`` for a value that is no state.

        >>> import bayou
        >>> bayou.examples.rain_and_wet_grass().reorder_states("Rain", ["yes", "no"]).states("Rain")
        ('yes', 'no')
        """
        from bayou.models.editing.state_edits import reordered_states

        return self._change_states(reordered_states(self._content(), name, order))

    def add_state(
        self: E, name: Name, state: State, *, at: int | None = None, like: State | None = None
    ) -> E:
        """Add a state to a variable, with probability 0, at a place in the order (default: the end).

        The rows of its children for the new state are copied from those for the state ``like``; without it
        they are averaged over all states, by P(name | other parents of the child). The joint of what was
        there does not change. Learned counts are dropped.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadVariable`` for a state that is there,
        ``BadQuestion`` for a place that is not there, and ``UnknownState`` for a ``like`` that is no state.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass().add_state("Rain", "drizzle", like="yes")
        >>> net.set_probability("Rain", "drizzle", 0.1).cpt("Rain").to_array().round(4).tolist()
        [0.72, 0.18, 0.1]
        """
        from bayou.models.editing.state_edits import added_state

        return self._change_states(added_state(self._content(), name, state, at, like))

    def remove_state(self: E, name: Name, state: State) -> E:
        """Remove a state: the rest of each row of the variable's table is divided by its sum.

        The rows of its children for this state go. A row that gives the state all probability is refused, as
        is the only state of a variable. Learned counts are dropped.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadVariable`` for the only state of a variable, and ``BadTable`` for a state that has all
        probability.

        >>> import bayou
        >>> net = bayou.Network("Sky", tables={"Sky": {"clear": 0.5, "cloudy": 0.3, "green": 0.2}})
        >>> net.remove_state("Sky", "green").cpt("Sky")["clear"]
        0.625
        """
        from bayou.models.editing.state_edits import removed_state

        return self._change_states(removed_state(self._content(), name, state))

    def merge_states(self: E, name: Name, states: Iterable[State], into: State | None = None) -> E:
        """Merge states of a variable into one, at the place of the first of them.

        Their probabilities are added. Rows of children are averaged by P(name | other parents of the child),
        so that each child keeps its probabilities together with its parents. ``into`` names the merged state
        (neighbouring ranges of numbers make one range by themselves). Learned counts are dropped.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` where the merged state needs a name, and ``BadVariable`` for fewer than two
        states.

        >>> import bayou
        >>> net = bayou.Network("Sky", tables={"Sky": {"clear": 0.5, "cloudy": 0.3, "dark": 0.2}})
        >>> net.merge_states("Sky", ["cloudy", "dark"], into="grey").cpt("Sky")["grey"]
        0.5
        """
        from bayou.models.editing.state_edits import merged_states

        return self._change_states(merged_states(self._content(), name, states, into))

    def set_row(self: E, name: Name, row: Any, given: Any = None, *, normalise: bool = False) -> E:
        """Set one row of a variable's table: a mapping of states, or numbers in the order of the states.

        ``given`` has the parents' states: a mapping by name, or a key as in :meth:`set_cpt`
        (``"Storm=yes, Bus=no"``). ``normalise=True`` divides the row by its sum, so that it may have counts.
        Other rows stay to the bit. A shared table changes for all that use it; learned counts are dropped.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadTable`` for numbers that are no
        probabilities, or a row whose parents' states are not given, ``UnknownState`` for a value that is no
        state, and ``NotFitted`` where the variable has no table yet.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> net = net.set_row("WetGrass", {"yes": 7, "no": 3}, {"Rain": "yes"}, normalise=True)
        >>> net.cpt("WetGrass")["yes", "yes"]
        0.7
        """
        from bayou.models.editing.row_edits import row_set

        return self._set(name, row_set(self._content(), name, row, given, normalise))

    def set_probability(
        self: E, name: Name, state: State, probability: float, given: Any = None, *, locked: Any = ()
    ) -> E:
        """Set one probability of a row: the others share the rest in proportion to what they have.

        ``given`` has the parents' states, as in :meth:`set_row`. Probabilities of ``locked`` states stay; if
        what is left is too little for them, nothing changes and the error says how much there is.

        ``probability`` is its new value.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a probability that is none, ``BadTable`` for a probability that the locked
        states leave no room for, and ``NotFitted`` where the variable has no table yet.

        >>> import bayou
        >>> net = bayou.Network("Sky", tables={"Sky": {"clear": 0.5, "cloudy": 0.3, "dark": 0.2}})
        >>> net.set_probability("Sky", "clear", 0.6, locked="dark").cpt("Sky").to_array().round(4).tolist()
        [0.6, 0.2, 0.2]
        """
        from bayou.models.editing.row_edits import probability_set

        return self._set(name, probability_set(self._content(), name, state, probability, given, locked))

    # What all edits have in common

    def _content(self) -> NetworkContent:
        """The parts of the network that an edit works on."""
        from bayou.models.editing.network_content import NetworkContent

        return NetworkContent.of(self._structure, self._frozen, self._pending)

    def _change_states(self: E, changes: dict[Name, StateChange], remarks: Remarks | None = None) -> E:
        from bayou.models.editing.state_edits import states_changed

        content = states_changed(self._content(), changes)
        keeps = all(change.is_relabelling for change in changes.values())
        learned = self._carried(content, changes=changes) if keeps else None
        return self._keep_edit(content, learned, remarks)

    def _carried(
        self,
        content: NetworkContent,
        names: Mapping[Name, Name] | None = None,
        changes: Mapping[Name, StateChange] | None = None,
    ) -> FittedParameters | None:
        """What was learned, for the content after new names and orders; None if nothing was."""
        if self._learned is None or content.frozen is None:
            return None
        from bayou.models.editing.carried_counts import carried

        return carried(self._learned, content.frozen, names or {}, changes or {})

    def _keep_edit(
        self: E,
        content: NetworkContent,
        learned: FittedParameters | None = None,
        remarks: Remarks | None = None,
    ) -> E:
        """Take over edited content, and what was learned if it still describes it."""
        from bayou.models.editing.remark_edits import remarks_that_fit

        structure, frozen = content.structure, content.frozen
        self._structure, self._frozen, self._learned = structure, frozen, learned
        self._pending = {} if frozen is not None else dict(content.blocks)
        self._trace = None if learned is None else self._trace
        # Functions of parents that were stated before the first fit are those of the edited network.
        self._before_fit = frozen
        self.learned_structure = None
        self._remarks = remarks_that_fit(self._remarks if remarks is None else remarks, content)
        return self
