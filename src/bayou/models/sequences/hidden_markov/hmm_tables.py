"""The parameters of a hidden Markov model: start, transitions and what the states emit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bayou.distributions import Distribution, Table
from bayou.errors import BadQuestion, BadVariable, NotFitted, listed
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.sequence_fit import (
    FittedChain,
)
from bayou.models.sequences.hidden_markov.hmm_parameters import (
    emission_block,
    gaussian_blocks,
    probabilities,
)
from bayou.models.sequences.input.emission_spec import EmissionSpec
from bayou.schema import Variable
from bayou.statistics import Source
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.chain_structure import FULL, SHARED, ChainStructure, chain_structure
from bayou.temporal.given_stays import stays_given
from bayou.temporal.state_order import with_rows
from bayou.temporal.tied_states import check_tied, tied_groups
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.distributions import DistributionKind

Self = TypeVar("Self", bound="HMMTables")


class HMMTables:
    """What is known about the states and columns, and their parameters."""

    _name: Name
    _state: Variable | None
    _spec: EmissionSpec
    _form: dict[str, Any]
    _tie: Any
    _duration: Any
    _chain: ChainStructure | None
    _blocks: dict[Name, Distribution]
    _learned: FittedChain | None
    _trace: LearningTrace | None
    _kept_model: ChainModel | None = None
    _kept_blocks: dict[Name, Distribution] | None = None
    """The blocks that the kept model has; every change makes new ones."""

    def _declare(self, source: Source | None, names: Sequence[Name] = ()) -> None:
        """Fix the structure, if everything about the columns is known."""
        assert self._state is not None
        wanted = names or self._spec.names
        try:
            columns = [self._spec.variable(name, source) for name in wanted]
            kinds = self._spec.kinds(wanted, source)
        except BadQuestion:
            if source is not None:
                raise
            return
        self._chain = self._structure(self._state, columns, kinds)

    def _structure(
        self, state: Variable, columns: Sequence[Variable], kinds: Mapping[Name, DistributionKind]
    ) -> ChainStructure:
        """The chain of these states; with durations that of their sub-states."""
        tied = tied_groups(state, self._tie)
        if self._duration is None:
            return chain_structure(state, columns, kinds, tied=tied, **self._form)
        stays = stays_given(state, self._duration)
        groups = np.array(tied or range(state.cardinality))
        tied = tuple(groups[stays.owner].tolist())
        return chain_structure(stays.sub_states(), columns, kinds, tied=tied, stays=stays, **self._form)

    @property
    def chain(self) -> ChainStructure:
        """The structure: states, columns and their kinds."""
        if self._chain is None:
            raise NotFitted(
                "The columns of this model are not known yet. Fit it, or name them when you make it, with "
                "what they emit: HMM(states, {'x': \"gaussian\"}), HMM(states, {'roll': [1, 2, 3]}); then "
                "its parameters can be set and asked for."
            )
        return self._chain

    @property
    def states(self) -> tuple[Any, ...]:
        """The names of the states."""
        return self._state.states if self._state is not None else ()

    @property
    def model(self) -> ChainModel:
        """The structure and parameters as frozen data, the same object until a parameter changes."""
        kept, own = self._kept_model, self._blocks
        if kept is not None and kept.chain is self._chain and self._kept_blocks is own:
            return kept
        chain = self.chain
        missing = [name for name in chain.structure.dag.nodes if name not in self._blocks]
        if missing:
            words = {chain.state.name: "start", chain.next_state: "transition", chain.end: "end"}
            raise NotFitted(
                f"This model has no parameters for {listed(words.get(name, name) for name in missing)} yet: "
                "fit it, or give them (set_start, set_transition, set_emission, set_gaussian)."
            )
        made = self._kept_model = ChainModel(chain, replace(chain.structure.frozen(), blocks=dict(own)))
        self._kept_blocks = own
        return made

    @property
    def start(self) -> FloatArray:
        """P(first state)."""
        return np.array(self.chain.folded(self.model.start))

    @property
    def transition(self) -> FloatArray:
        """P(next state | state); one row for each state.

        With ``duration=`` a row says where a stay leads when it ends; on the diagonal is the probability that
        a stay without a greatest length goes on after its least one.
        """
        table = np.array(self.model.network.table(self.chain.next_state))
        return table if self.chain.stays is None else self.chain.stays.moves(table)

    @property
    def end(self) -> FloatArray:
        """P(the sequence ends | state), of a model with ``ends=True``."""
        end = self.model.end
        if end is None:
            raise BadQuestion("Sequences of this model may end anywhere: make it with ends=True.")
        return self.chain.led(end)

    def set_start(self: Self, given: Any) -> Self:
        """Set P(first state): numbers in the order of the states, or a mapping.

        Raises ``NotFitted`` where the states or columns are not known yet, ``BadTable`` for numbers that are
        no probabilities of the states, and ``UnknownState`` for a state that is not there.

        >>> import bayou
        >>> casino = bayou.examples.casino().set_start({"fair": 0.9, "loaded": 0.1})
        >>> casino.start.tolist()
        [0.9, 0.1]
        """
        start = probabilities("start", given, None, self._known_state())
        stays = self.chain.stays
        return self._set(
            {self._name: Table(start if stays is None else stays.start(start @ stays.beginnings))}
        )

    def set_transition(self: Self, given: Any) -> Self:
        """Set P(next state | state): a row for each state, or mappings. Learning keeps zeros.

        Raises ``NotFitted`` where the states or columns are not known yet, and ``BadTable`` for numbers that
        are no probabilities of the states.

        >>> import bayou
        >>> casino = bayou.examples.casino().set_transition([[0.8, 0.2], [0.3, 0.7]])
        >>> casino.expected_stay.round(2).tolist()
        [5.0, 3.33]
        """
        state = self._known_state()
        moves = probabilities("transition", given, state, state)
        stays = self.chain.stays
        return self._set({self.chain.next_state: Table(moves if stays is None else stays.stated(moves))})

    def set_end(self: Self, given: Any) -> Self:
        """Set P(the sequence ends | state), for a model with ``ends=True``.

        Raises ``NotFitted`` where the states or columns are not known yet, ``BadQuestion`` for a model made
        without ``ends=True``, and ``BadTable`` for numbers that are no probabilities.

        >>> import bayou
        >>> walk = bayou.HMM(["up", "down"], {"step": [0, 1]}, ends=True).set_start([0.5, 0.5])
        >>> walk = walk.set_transition([[0.9, 0.1], [0.2, 0.8]])
        >>> walk = walk.set_emission("step", [[0.2, 0.8], [0.7, 0.3]])
        >>> walk.set_end([0.1, 0.3]).end.round(3).tolist()
        [0.1, 0.3]
        """
        if not self.chain.ends:
            raise BadQuestion("Sequences of this model may end anywhere: make it with ends=True.")
        share = np.asarray(given, dtype=np.float64)
        table = probabilities(
            "end", np.column_stack([1 - share, share]), self._known_state(), Variable("", [0, 1])
        )
        return self._set({self.chain.end: self._for_all(Table(table))})

    def set_emission(self: Self, column: Name, given: Any) -> Self:
        """Set what the states emit in a column: a row of symbol probabilities for each state, rates, a
        distribution.

        Raises ``NotFitted`` where the columns are not known yet, ``BadVariable`` for a column that is not
        there, and ``BadTable`` for numbers that are no probabilities of the symbols.

        >>> import bayou
        >>> coins = bayou.HMM(["fair", "bent"], {"coin": ["heads", "tails"]})
        >>> coins = coins.set_start([0.5, 0.5]).set_transition([[0.9, 0.1], [0.1, 0.9]])
        >>> coins = coins.set_emission("coin", [[0.5, 0.5], [0.9, 0.1]])
        >>> print(coins.decode(["heads", "heads", "heads"]))
        bent × 3  (log probability -1.21995)
        """
        chain = self.chain
        if column not in chain.columns:
            raise BadVariable(f"There is no column {column!r}; the columns are {listed(chain.columns)}.")
        block = emission_block(column, given, chain.user_state, chain.structure.declared[column])
        return self._set({column: self._for_all(block)})

    def _for_all(self, block: Distribution) -> Distribution:
        """What users state for their states, for all states of the chain."""
        stays = self.chain.stays
        wide = None if stays is None else with_rows(block, stays.owner)
        return block if wide is None else wide

    def set_gaussian(self: Self, means: Any, covariances: Any) -> Self:
        """Set the means (a row for each state) and covariances (or variances) of the Gaussian columns.

        ``means`` has a row for each state; ``covariances`` has a matrix for each state, or its variances.

        Raises ``NotFitted`` where the columns are not known yet, ``BadQuestion`` for a model without Gaussian
        columns, and ``BadTable`` for arrays of another form, or variances that are not above 0.

        >>> import bayou
        >>> wind = bayou.HMM(["calm", "storm"], {"wind": "gaussian"}).set_start([0.5, 0.5])
        >>> wind = wind.set_transition([[0.9, 0.1], [0.2, 0.8]]).set_gaussian([[3], [20]], [[4], [36]])
        >>> print(wind.decode([2.5, 4.0, 18.0]))
        calm × 2 → storm × 1  (log probability -9.24777)
        """
        chain = self.chain
        if not chain.gaussians:
            raise BadQuestion("This model has no Gaussian columns.")
        groups = (chain.user_state.cardinality,) + (
            (chain.component.cardinality,) if chain.component is not None else ()
        )
        linked = chain.covariance in (FULL, SHARED)
        blocks = gaussian_blocks(chain.gaussians, means, covariances, groups, linked)
        return self._set({name: self._for_all(block) for name, block in blocks.items()})

    def set_components(self: Self, given: Any) -> Self:
        """Set P(component | state), for a model with ``components=``.

        Raises ``NotFitted`` where the columns are not known yet, ``BadQuestion`` for a model without
        ``components=``, and ``BadTable`` for numbers that are no probabilities.

        >>> import bayou
        >>> model = bayou.HMM(["calm", "storm"], {"wind": "gaussian"}, components=2)
        >>> model.set_components([[0.5, 0.5], [0.9, 0.1]])
        HMM with 2 states, without parameters
        """
        component = self.chain.component
        if component is None:
            raise BadQuestion("This model has no mixtures: make it with components=.")
        shares = Table(probabilities("components", given, self.chain.user_state, component))
        return self._set({component.name: self._for_all(shares)})

    def _set(self: Self, blocks: Mapping[Name, Distribution]) -> Self:
        frozen = self.chain.structure.frozen()
        for name, block in blocks.items():
            block.check_shape(frozen.family(name))
            check_tied(self.chain, name, block)
        self._blocks = {**self._blocks, **blocks}
        self._learned = self._trace = None
        return self

    def _known_state(self) -> Variable:
        if self._state is None:
            raise NotFitted("The states of this model are not known yet: give them, or fit labelled data.")
        self.chain  # noqa: B018  # raises if the columns are unknown
        return self._state

    @property
    def means(self) -> FloatArray:
        """The means of the Gaussian columns, a row for each state (or state and component)."""
        return self.chain.led(self._gaussians().means)

    @property
    def covariances(self) -> FloatArray:
        """The covariance matrices of the Gaussian columns, one for each state (or state and component)."""
        return self.chain.led(self._gaussians().covariances)

    def _gaussians(self) -> Any:
        from bayou.temporal.gaussian_columns import GaussianColumns

        if not self.chain.gaussians:
            raise BadQuestion("This model has no Gaussian columns.")
        return GaussianColumns.of(self.model.network, self.chain.gaussians)

    def emission(self, column: Name) -> Distribution:
        """The distribution of a column given the state.

        Raises ``NotFitted`` without parameters, and ``BadVariable`` for a column that is not there.

        >>> import bayou
        >>> bayou.examples.casino().emission("roll").values[0].round(3).tolist()
        [0.167, 0.167, 0.167, 0.167, 0.167, 0.167]
        """
        if column not in self.chain.columns:
            raise BadVariable(f"There is no column {column!r}; the columns are {listed(self.chain.columns)}.")
        node = self.model.network.distribution(column)
        narrow = None if self.chain.stays is None else with_rows(node, self.chain.leaders)
        return node if narrow is None else narrow
