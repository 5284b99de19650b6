"""Hidden Markov models: learned from sequences, with or without known states, and asked about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import real_number, seed_number, whole_number
from bayou.distributions import Distribution, Table, prior_from
from bayou.errors import BadData, BadQuestion, BadStatistics, BadVariable, NotFitted, listed
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequence_fit import (
    METHODS,
    FittedChain,
    SequenceFitOptions,
    counted_statistics,
    fit_chain,
    from_statistics,
)
from bayou.formats.files import FilePath
from bayou.learning import PriorChoice
from bayou.learning.em.trace import Settings
from bayou.models.sequences.decoded_rows import DecodedRows, key_cells
from bayou.models.sequences.emission_spec import EmissionSpec
from bayou.models.sequences.forecast import forecast
from bayou.models.sequences.hmm_parameters import (
    bounds_given,
    emission_block,
    gaussian_blocks,
    probabilities,
)
from bayou.models.sequences.sequence_input import SequencesGiven, sequences_given
from bayou.models.sequences.state_answers import StateBeliefs, StatePath
from bayou.models.sequences.time_gaps import IGNORE
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, label
from bayou.schema.values import decode_value, encode_value
from bayou.statistics import Source
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.chain_structure import FULL, SHARED, ChainStructure, chain_structure
from bayou.temporal.sequence_rows import SequenceRows
from bayou.temporal.soft_statistics import labels_of
from bayou.temporal.tied_states import check_tied, tied_groups
from bayou.typing import FloatArray, IntArray, Name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayou.models.network import Network
    from bayou.models.sequences.bootstrap import BootstrapIntervals
    from bayou.models.sequences.online import OnlineFilter

DEFAULT_TOLERANCE, DEFAULT_ITERATIONS = 1e-4, 500
_KEYS = ("sequence", "time", "lengths", "columns", "gaps")
"""The arguments that say how data are sequences."""
READING = (*_KEYS, "states", "weights")
"""The arguments that say what is read of them."""


class HMM:
    """A hidden Markov model: a state that changes from step to step, and columns that each state emits.

    ``states`` is their number, or their names; None takes the names from labelled data. ``emissions`` says
    what the columns are: ``"table"`` (symbols), ``"gaussian"``, ``"poisson"``, ``"words"``, a list of
    symbols, or any distribution; for all columns, or as a mapping. Without it whole numbers and texts are
    symbols and real numbers Gaussian. ``covariance`` of Gaussian columns is ``"full"``, ``"diagonal"`` or
    ``"spherical"`` for each state, or ``"shared"`` or ``"shared diagonal"`` for all; ``components`` makes
    them mixtures. With ``ends=True`` the probability that a sequence ends is learned, too. ``tie`` has groups
    of states that emit alike. ``name`` is the name of the hidden state, and of a column of labels in the
    data.

    >>> import bayou
    >>> casino = bayou.HMM(["fair", "loaded"], {"roll": [1, 2, 3, 4, 5, 6]})
    >>> casino = casino.set_start([0.5, 0.5]).set_transition([[0.95, 0.05], [0.1, 0.9]])
    >>> casino = casino.set_emission("roll", [[1 / 6] * 6, [0.1] * 5 + [0.5]])
    >>> print(casino.decode([1, 2, 6, 6, 6, 6, 6, 6, 3, 1, 2, 4]))
    loaded × 8 → fair × 4  (log probability -19.8182)
    """

    def __init__(
        self,
        states: int | Iterable[Any] | Variable | None = None,
        emissions: Any = None,
        *,
        covariance: str = FULL,
        components: int = 1,
        ends: bool = False,
        tie: Iterable[Iterable[Any]] = (),
        name: Name = "state",
    ) -> None:
        self._name = name
        self._state = _state_variable(name, states)
        self._spec = EmissionSpec.read(emissions)
        self._form = {
            "covariance": covariance,
            "components": whole_number("components", components, 1),
            "ends": ends,
        }
        self._tie = [list(group) if not isinstance(group, str) else group for group in tie]
        self._chain: ChainStructure | None = None
        self._blocks: dict[Name, Distribution] = {}
        self._learned: FittedChain | None = None
        self._trace: LearningTrace | None = None
        if self._state is not None and self._spec.said:
            self._declare(None)

    # Structure and parameters

    def _declare(self, source: Source | None, names: Sequence[Name] = ()) -> None:
        """Fix the structure, if everything about the columns is known."""
        assert self._state is not None
        wanted = names or self._spec.names
        try:
            columns = [self._spec.variable(name, source) for name in wanted]
        except BadQuestion:
            if source is not None:
                raise
            return
        kinds = self._spec.kinds(wanted)
        tied = tied_groups(self._state, self._tie)
        self._chain = chain_structure(self._state, columns, kinds, tied=tied, **self._form)  # type: ignore[arg-type]

    @property
    def chain(self) -> ChainStructure:
        """The structure: states, columns and their kinds."""
        if self._chain is None:
            raise NotFitted(
                "The columns of this model are not known yet: fit it, or name them in emissions=."
            )
        return self._chain

    @property
    def states(self) -> tuple[Any, ...]:
        """The names of the states."""
        return self._state.states if self._state is not None else ()

    @property
    def model(self) -> ChainModel:
        """The structure and parameters as frozen data."""
        chain = self.chain
        missing = [name for name in chain.structure.dag.nodes if name not in self._blocks]
        if missing:
            words = {chain.state.name: "start", chain.next_state: "transition", chain.end: "end"}
            raise NotFitted(
                f"This model has no parameters for {listed(words.get(name, name) for name in missing)} yet: "
                "fit it, or give them (set_start, set_transition, set_emission, set_gaussian)."
            )
        return ChainModel(chain, replace(chain.structure.frozen(), blocks=self._blocks))

    @property
    def start(self) -> FloatArray:
        """P(first state)."""
        return self.model.start.copy()

    @property
    def transition(self) -> FloatArray:
        """P(next state | state); one row for each state."""
        return np.array(self.model.network.table(self.chain.next_state))

    def set_start(self, given: Any) -> HMM:
        """Set P(first state): numbers in the order of the states, or a mapping."""
        return self._set({self._name: Table(probabilities("start", given, None, self._known_state()))})

    def set_transition(self, given: Any) -> HMM:
        """Set P(next state | state): a row for each state, or mappings. Learning keeps zeros."""
        state = self._known_state()
        return self._set({self.chain.next_state: Table(probabilities("transition", given, state, state))})

    def set_end(self, given: Any) -> HMM:
        """Set P(the sequence ends | state), for a model with ``ends=True``."""
        if not self.chain.ends:
            raise BadQuestion("Sequences of this model may end anywhere: make it with ends=True.")
        share = np.asarray(given, dtype=np.float64)
        table = probabilities(
            "end", np.column_stack([1 - share, share]), self._known_state(), Variable("", [0, 1])
        )
        return self._set({self.chain.end: Table(table)})

    def set_emission(self, column: Name, given: Any) -> HMM:
        """Set what the states emit in a column: a row of symbol probabilities for each state, rates, a
        distribution.
        """
        chain = self.chain
        if column not in chain.columns:
            raise BadVariable(f"There is no column {column!r}; the columns are {listed(chain.columns)}.")
        return self._set(
            {column: emission_block(column, given, chain.state, chain.structure.declared[column])}
        )

    def set_gaussian(self, means: Any, covariances: Any) -> HMM:
        """Set the means (a row for each state) and covariances (or variances) of the Gaussian columns."""
        chain = self.chain
        if not chain.gaussians:
            raise BadQuestion("This model has no Gaussian columns.")
        groups = (chain.states,) + ((chain.component.cardinality,) if chain.component is not None else ())
        linked = chain.covariance in (FULL, SHARED)
        return self._set(gaussian_blocks(chain.gaussians, means, covariances, groups, linked))

    def set_components(self, given: Any) -> HMM:
        """Set P(component | state), for a model with ``components=``."""
        component = self.chain.component
        if component is None:
            raise BadQuestion("This model has no mixtures: make it with components=.")
        return self._set(
            {component.name: Table(probabilities("components", given, self.chain.state, component))}
        )

    def _set(self, blocks: Mapping[Name, Distribution]) -> HMM:
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
        means: FloatArray = self._gaussians().means.copy()
        return means

    @property
    def covariances(self) -> FloatArray:
        """The covariance matrices of the Gaussian columns, one for each state (or state and component)."""
        covariances: FloatArray = self._gaussians().covariances.copy()
        return covariances

    def _gaussians(self) -> Any:
        from bayou.temporal.gaussian_columns import GaussianColumns

        if not self.chain.gaussians:
            raise BadQuestion("This model has no Gaussian columns.")
        return GaussianColumns.of(self.model.network, self.chain.gaussians)

    def emission(self, column: Name) -> Distribution:
        """The distribution of a column given the state."""
        return self.model.network.distribution(column)

    # Learning

    def fit(
        self,
        data: Any,
        *,
        sequence: Name | None = None,
        time: Name | None = None,
        lengths: Any = None,
        columns: Sequence[Name] | None = None,
        gaps: str = "ignore",
        states: Any = None,
        weights: Any = None,
        prior: Any = None,
        method: str | None = None,
        start: str = "data",
        keep: Iterable[str] = (),
        bounds: Mapping[Name, Any] | None = None,
        restarts: int = 1,
        seed: int = 0,
        tolerance: float = DEFAULT_TOLERANCE,
        max_iterations: int = DEFAULT_ITERATIONS,
    ) -> HMM:
        """Learn all parameters from sequences.

        ``data`` is a list of sequences, an array with ``lengths``, or a table with a column ``sequence`` (and
        ``time``; with ``gaps="missing"`` a jump of k units of time, or days, means k − 1 steps without
        observations). Known states are in a column with the state's name, or in ``states`` (None where
        unknown). If all are known they are counted, else ``method="em"`` guesses the others (accelerated
        Baum–Welch); ``"baum-welch"`` makes plain steps, ``"viterbi"`` takes the best path for the truth.
        ``prior`` is added to counts (default: 1 where states are known, 0 where all are hidden).
        ``start="present"`` continues from the present parameters; ``keep`` names parts that are not learned:
        ``"start"``, ``"transition"``, ``"end"`` or columns. ``bounds`` has a pair (low, high) of numbers or
        arrays for some of these parts, if they are tables. Without labels the states are sorted by the mean
        of what they emit.

        >>> import bayou
        >>> states = [["dry", "wet", "wet", "dry"]]
        >>> weather = bayou.HMM(["dry", "wet"]).fit([[0, 1, 1, 0]], states=states, prior=0)
        >>> weather.transition.tolist()
        [[0.0, 1.0], [0.5, 0.5]]
        """
        given = self._given(data, sequence, time, lengths, columns, gaps, states, weights)
        rows = self._opened(given, fresh=start != "present")
        how = self.fit_options(
            method=method,
            start=start,
            keep=keep,
            bounds=bounds,
            restarts=restarts,
            seed=seed,
            tolerance=tolerance,
            max_iterations=max_iterations,
        )
        return self.fit_rows(rows, how, prior)

    def fit_rows(self, rows: SequenceRows, how: SequenceFitOptions, prior: Any = None) -> HMM:
        """Learn from rows that were read before, in the codes of this model's variables."""
        priors = PriorChoice(prior_from(_default_prior(prior, self.chain, rows)))
        return self._take(*fit_chain(self.chain, rows, priors, how))

    def copy(self) -> HMM:
        """Another model with the same structure and parameters, which learns by itself."""
        return copy(self)

    @property
    def learned(self) -> FittedChain | None:
        """The statistics that the parameters come from, and the prior; None if they were given."""
        return self._learned

    def _take(self, learned: FittedChain, trace: LearningTrace | None) -> HMM:
        self._blocks = dict(learned.model.network.blocks)
        self._learned, self._trace = learned, trace
        return self

    def fit_options(
        self,
        *,
        method: str | None = None,
        start: str = "data",
        keep: Iterable[str] = (),
        bounds: Mapping[Name, Any] | None = None,
        restarts: int = 1,
        seed: int = 0,
        tolerance: float = DEFAULT_TOLERANCE,
        max_iterations: int = DEFAULT_ITERATIONS,
    ) -> SequenceFitOptions:
        """The arguments of ``fit`` that say how to learn, checked."""
        if method is not None and method not in METHODS:
            raise BadQuestion.choice("method", method, METHODS)
        if start not in ("data", "present"):
            raise BadQuestion.choice("start", start, ("data", "present"))
        kept = frozenset(self._block_name(part) for part in ([keep] if isinstance(keep, str) else keep))
        present = self.model.network if start == "present" or kept else None
        expected = "give a number from 0 to below 1, such as 1e-4"
        settings = Settings(
            "em",
            whole_number("restarts", restarts, 1),
            seed_number(seed),
            real_number("tolerance", tolerance, 0, 1, below=True, expected=expected),
            whole_number("max_iterations", max_iterations, 1),
        )
        return SequenceFitOptions(method, settings, present, kept, self._bounds(bounds or {}, kept))

    def _bounds(self, given: Mapping[Name, Any], kept: frozenset[Name]) -> dict[Name, Any]:
        chain, network = self.chain, self.chain.structure.frozen()
        found = {}
        for part, pair in given.items():
            block = self._block_name(part, "bounds")
            axes = network.family(block).axes if block not in chain.gaussians else ()
            if not axes or any(axis.is_continuous for axis in axes):
                raise BadQuestion(f"bounds: {part!r} is not a table of probabilities, so it has no bounds.")
            if block in kept:
                raise BadQuestion(f"{part!r} is both in keep= and in bounds=: leave one of them out.")
            shape = tuple(axis.cardinality for axis in axes)
            found[block] = bounds_given(str(part), pair, shape, end=block == chain.end)
        return found

    def _block_name(self, part: Name, argument: str = "keep") -> Name:
        """The block of a part that users name."""
        chain = self.chain
        words: dict[Name, Name] = {"start": chain.state.name, "transition": chain.next_state}
        words |= {"end": chain.end} if chain.ends else {}
        words |= {name: name for name in chain.columns}
        if part not in words:
            raise BadQuestion(f"{argument}: there is no part {part!r}; use some of {listed(words)}.")
        return words[part]

    def partial_fit(self, data: Any, **how: Any) -> HMM:
        """Learn from more sequences. The first call is a ``fit`` and takes its arguments.

        Labelled sequences added to labelled ones are counted: equal to one fit on all of them. Otherwise the
        step is one of stepwise EM: the states are guessed with the present parameters, and the statistics of
        batch k = 0, 1, … are mixed into those before with the share (k + 2)^−0.6 (Cappé and Moulines 2009).
        That is not equal to one fit, but needs no earlier sequence again; give batches of some hundred rows.

        >>> import bayou
        >>> casino = bayou.examples.casino()
        >>> batches = [casino.sample(400, seed=k)["roll"] for k in range(20)]
        >>> found = bayou.HMM(2, {"roll": [1, 2, 3, 4, 5, 6]}).fit(batches[0])
        >>> for batch in batches[1:]:
        ...     found = found.partial_fit(batch)
        >>> found.learning
        Stepwise EM: 8,000 rows.
        """
        return self._changed(data, how, forget=False)

    def forget(self, data: Any, **how: Any) -> HMM:
        """Forget labelled sequences that were learned before."""
        return self._changed(data, how, forget=True)

    def _changed(self, data: Any, how: dict[str, Any], *, forget: bool) -> HMM:
        from bayou.fitting.stepwise_fit import problem_of, stepped

        before = self._learned
        if before is None:
            if forget:
                raise NotFitted("There is nothing to forget: this model has not learned from sequences.")
            return self.fit(data, **how)
        if before.expected and forget:
            raise BadStatistics(
                "This model was learned by EM, so its statistics are expected ones, and sequences cannot be "
                "forgotten exactly. Fit it on the sequences that stay."
            )
        rows = self._more_rows(data, how)
        if before.expected or not labels_of(self.chain, rows).all():
            if forget:
                raise BadData(
                    f"Every row needs a state in {self._name!r} to be forgotten. Fit it on the sequences "
                    "that stay."
                )
            return self._take(*stepped(before, rows))
        fresh = counted_statistics(self.chain, self.chain.structure.frozen(), rows)
        both = before.statistics - fresh if forget else before.statistics + fresh
        return self._take(from_statistics(problem_of(before, both), both), LearningTrace.counted(rows.rows))

    def _more_rows(self, data: Any, how: Mapping[str, Any]) -> SequenceRows:
        unknown = [name for name in how if name not in READING]
        if unknown:
            raise BadQuestion(f"{listed(unknown)} cannot change after the first fit; leave it out.")
        rows = self._read(data, how)
        if rows.rows == 0:
            raise BadData("There is no row to learn from: all sequences are empty.")
        return rows

    @property
    def learning(self) -> LearningTrace:
        """How the parameters were learned: the objective after each step, the starts, the verdict."""
        if self._trace is None:
            raise NotFitted("This model has not learned from sequences.")
        return self._trace

    # Input

    def _given(
        self,
        data: Any,
        sequence: Any,
        time: Any,
        lengths: Any,
        columns: Any,
        gaps: Any,
        states: Any,
        weights: Any,
    ) -> SequencesGiven:
        names = columns
        if names is None and self._chain is not None and len(self._chain.columns) >= 1:
            names = list(self._chain.columns)
        return sequences_given(
            data,
            sequence=sequence,
            time=time,
            lengths=lengths,
            columns=names,
            states=states,
            name=self._name,
            weights=weights,
            gaps=gaps,
        )

    def _opened(self, given: SequencesGiven, *, fresh: bool) -> SequenceRows:
        """The rows in the codes of the model's variables, which the first data settle."""
        known = [] if self._chain is None else list(self._chain.structure.declared.values())
        source = given.source(None, known)
        available = given.columns(source)
        if self._state is None:
            if self._name not in available:
                raise BadQuestion(
                    "How many states? Give their number or names: HMM(3), HMM(['calm', 'storm'])."
                )
            self._state = source.variable(self._name)
        if self._chain is None or (fresh and not self._spec.said and not self._blocks):
            self._declare(source, self._spec.columns(available, [self._name]))
        chain = self.chain
        wanted = [chain.structure.declared[name] for name in chain.columns]
        missing = [variable.name for variable in wanted if variable.name not in available]
        if len(missing) == len(wanted):
            raise BadData(f"The data have none of the model's columns ({listed(chain.columns)}).")
        labels = [chain.state] if self._name in available else []
        return given.rows(source, [*wanted, *labels])

    def read_rows(self, data: Any, **how: Any) -> SequenceRows:
        """The rows of sequences in the codes of this model's variables; takes the arguments of ``filter``,
        ``states`` and ``weights``.
        """
        unknown = [name for name in how if name not in READING]
        if unknown:
            raise BadQuestion(f"{listed(unknown)}: there is no such argument; use some of {listed(READING)}.")
        return self._read(data, how)

    def _asked(self, data: Any, options: Mapping[str, Any]) -> tuple[SequenceRows, bool]:
        """The sequences of a question, and whether they are one that was not given in a list.

        Known states count as observed only if ``states`` gives them, or is True for those in the data.
        """
        names = (*_KEYS, "states")
        unknown = [name for name in options if name not in names]
        if unknown:
            raise BadQuestion(f"{listed(unknown)}: there is no such argument; use some of {listed(names)}.")
        sequence, time, lengths, columns, gaps, states = (options.get(name) for name in names)
        chain, labelled = self.chain, states is not None and states is not False
        known = states if labelled and states is not True else None
        given = self._given(data, sequence, time, lengths, columns, gaps, known, None)
        variables = [chain.structure.declared[name] for name in chain.columns]
        return given.new_rows(variables, [chain.state] if labelled else []), given.single

    def _read(self, data: Any, options: Mapping[str, Any]) -> SequenceRows:
        """The rows of sequences to learn from; known states in the data are used."""
        given = self._given(data, *(options.get(name) for name in READING))
        return self._opened(given, fresh=False)

    # Asking

    def filter(self, data: Any, **how: Any) -> Any:
        """P(state | observations so far) of each step: one answer for one sequence, a list for several.

        Takes ``sequence``, ``time``, ``lengths``, ``columns`` and ``gaps`` as ``fit`` does; with
        ``gaps="missing"`` the answers have the steps without observations, too.
        """
        rows, single = self._asked(data, how)
        logs, steps, states = self.model.filtered(rows)
        self.model.refuse_impossible(rows, logs)
        return self._beliefs("P(state | observations so far)", rows, logs, states, steps, single)

    def smooth(self, data: Any, **how: Any) -> Any:
        """P(state | all observations of the sequence) of each step."""
        rows, single = self._asked(data, how)
        logs, states = self.model.smoothed(rows)
        return self._beliefs("P(state | all observations)", rows, logs, states, None, single)

    def _beliefs(
        self,
        title: str,
        rows: SequenceRows,
        logs: FloatArray,
        states: FloatArray,
        steps: FloatArray | None,
        single: bool,
    ) -> Any:
        variable, starts = self.chain.state, rows.starts.tolist()
        found = [
            StateBeliefs(
                title, variable, states[first:last], float(log), None if steps is None else steps[first:last]
            )
            for first, last, log in zip(starts[:-1], starts[1:], logs.tolist(), strict=True)
        ]
        return found[0] if single else found

    def decode(self, data: Any, *, method: str = "viterbi", k: int | None = None, **how: Any) -> Any:
        """The most probable path of states; ``"posterior"``: the most probable state of each step.

        With ``k`` a list of the k most probable paths, best first (fewer if others are impossible).

        >>> import bayou
        >>> for path in bayou.examples.casino().decode([6, 6, 1, 2], k=2):
        ...     print(path)
        loaded × 4  (log probability -7.00069)
        fair × 4  (log probability -8.01406)
        """
        rows, single = self._asked(data, how)
        if k is not None:
            return self._best_paths(rows, single, whole_number("k", k, 1), method)
        paths, logs = self._paths(rows, method)
        starts = rows.starts.tolist()
        found = [
            StatePath(self.chain.state, paths[first:last], float(log))
            for first, last, log in zip(starts[:-1], starts[1:], logs.tolist(), strict=True)
        ]
        return found[0] if single else found

    def decode_rows(self, data: Any, *, method: str = "viterbi", **how: Any) -> DecodedRows:
        """The state of every row of a table, in the order of its rows, with its probability.

        >>> import bayou
        >>> rows = {"id": ["b", "a", "b"], "roll": [6, 1, 6]}
        >>> print(bayou.examples.casino().decode_rows(rows, sequence="id"))
        id  state   probability
        b   loaded  0.8842
        a   fair    0.6250
        b   loaded  0.8684
        """
        if how.get("gaps") not in (None, IGNORE):
            raise BadQuestion("decode_rows is about the rows of the table: leave gaps= out, or use decode.")
        rows, _ = self._asked(data, how)
        paths, _ = self._paths(rows, method)
        _, shares = self.model.smoothed(rows)
        keys = [how[key] for key in ("sequence", "time") if how.get(key) is not None]
        return DecodedRows.of(self.chain.state, rows, paths, shares, key_cells(data, keys))

    def _paths(self, rows: SequenceRows, method: str) -> tuple[IntArray, FloatArray]:
        """The codes of the states of all rows, and the log probability of each path."""
        if method not in ("viterbi", "posterior"):
            raise BadQuestion.choice("method", method, ("viterbi", "posterior"))
        if method == "viterbi":
            codes, logs = self.model.decoded(rows)
            return codes.astype(np.int64), logs
        _, states = self.model.smoothed(rows)
        paths = states.argmax(axis=1).astype(np.int64)
        return paths, self._path_logs(rows, paths)

    def _best_paths(self, rows: SequenceRows, single: bool, k: int, method: str) -> Any:
        from bayou.temporal.path_list import best_path_list

        if method != "viterbi":
            raise BadQuestion(
                'k= asks for the k best paths, which method="viterbi" finds: leave method= out.'
            )
        self.model.refuse_impossible(rows, self.model.log_likelihoods(rows))
        lists = (best_path_list(self.model, rows.taken(n, n + 1), k) for n in range(rows.count))
        state = self.chain.state
        found = [
            [StatePath(state, path, float(log)) for path, log in zip(*one, strict=True)] for one in lists
        ]
        return found[0] if single else found

    def _path_logs(self, rows: SequenceRows, paths: Any) -> FloatArray:
        """log P(path, observations) of each sequence."""
        model = self.model
        codes = dict(rows.batch.codes)
        codes[self.chain.state.name] = paths.astype(np.uint32)
        return model.log_likelihoods(replace(rows, batch=replace(rows.batch, codes=codes)))

    def plot(
        self, data: Any, *, show: Name | Sequence[Name] | None = None, ax: Axes | None = None, **how: Any
    ) -> Axes:
        """Draw one sequence over bands of its most probable states (matplotlib); ``show`` chooses columns."""
        from bayou import plots
        from bayou.models.sequences.drawn_series import series_observed

        rows = self._one_sequence(data, how)
        series, symbols = series_observed(self, rows, show)
        names = [label(state) for state in self.chain.state.states]
        return plots.state_series(names, self._paths(rows, "viterbi")[0], series, symbols, ax)

    def trellis(self, data: Any, *, ax: Axes | None = None, **how: Any) -> Axes:
        """Draw a short sequence as states × steps, with the most probable path and P(state | all)."""
        from bayou import plots
        from bayou.models.sequences.drawn_series import cells_observed

        rows = self._one_sequence(data, how)
        _, shares = self.model.smoothed(rows)
        paths, _ = self._paths(rows, "viterbi")
        names = [label(state) for state in self.chain.state.states]
        return plots.trellis(names, shares, paths, self.transition, cells_observed(self, rows), ax)

    def _one_sequence(self, data: Any, how: Mapping[str, Any]) -> SequenceRows:
        rows, _ = self._asked(data, how)
        if rows.count != 1:
            raise BadQuestion(f"A picture shows one sequence, but there are {rows.count}: give one of them.")
        return rows

    def log_likelihood(self, data: Any, **how: Any) -> float:
        """log P(all observations), summed over the sequences."""
        return float(self.log_likelihoods(data, **how).sum())

    def log_likelihoods(self, data: Any, **how: Any) -> FloatArray:
        """log P(observations) of each sequence; −inf where one is impossible."""
        rows, _ = self._asked(data, how)
        return self.model.log_likelihoods(rows)

    score = log_likelihood
    log_probability = log_likelihoods

    def score_steps(self, data: Any, **how: Any) -> Any:
        """log P(observation | observations before) of each step: a low one is a surprise."""
        rows, single = self._asked(data, how)
        _, steps, _ = self.model.filtered(rows)
        parts = np.split(steps, rows.starts[1:-1])
        return parts[0] if single else parts

    def forecast(self, data: Any, steps: int = 1, **how: Any) -> Any:
        """P(state) and P(observation) of the next steps after each sequence."""
        whole_number("steps", steps, 1)
        rows, single = self._asked(data, how)
        logs, _, states = self.model.filtered(rows)
        self.model.refuse_impossible(rows, logs)
        found = [
            forecast(self.model, states[last - 1] if last > first else None, steps)
            for first, last in zip(rows.starts[:-1].tolist(), rows.starts[1:].tolist(), strict=True)
        ]
        return found[0] if single else found

    def online(self) -> OnlineFilter:
        """A filter for observations that arrive one by one, in constant memory."""
        from bayou.models.sequences.online import OnlineFilter

        return OnlineFilter(self.model)

    def sample(self, length: int, *, sequences: int | None = None, seed: int = 0) -> Any:
        """Draw a sequence (or several): a mapping from columns, and the hidden state, to lists."""
        from bayou.models.sequences.drawn_sequences import drawn_sequences

        whole_number("length", length, 1)
        count = 1 if sequences is None else whole_number("sequences", sequences, 1)
        drawn = drawn_sequences(self.model, length, count, seed_number(seed))
        return drawn[0] if sequences is None else drawn

    def network(self, length: int) -> Network:
        """The Bayesian network of a sequence of this length, with tables shared by all steps."""
        from bayou.models.sequences.unrolled import unrolled

        return unrolled(self.model, whole_number("length", length, 1))

    @property
    def stationary(self) -> FloatArray:
        """The shares of the states in the long run: the distribution that a step does not change."""
        table = self.transition
        system = np.vstack([table.T - np.eye(len(table)), np.ones(len(table))])
        found: FloatArray = np.linalg.lstsq(system, np.append(np.zeros(len(table)), 1.0), rcond=None)[0]
        positive: FloatArray = np.maximum(found, 0.0)
        shares: FloatArray = positive / positive.sum()
        return shares

    @property
    def expected_stay(self) -> FloatArray:
        """The mean number of steps in each state before it changes: 1 / (1 − P(stay))."""
        with np.errstate(divide="ignore"):
            stays: FloatArray = 1 / (1 - np.diagonal(self.transition))
        return stays

    @property
    def free_parameters(self) -> int:
        """The number of free parameters, as AIC and BIC count them."""
        chain, network = self.chain, self.model.network
        count = sum(block.free_parameters for block in network.blocks.values())
        if chain.tied:
            alike = [
                network.blocks[name].free_parameters
                for name in network.blocks
                if name not in (chain.state.name, chain.next_state, chain.end)
            ]
            count -= sum(alike) // chain.states * (chain.states - len(set(chain.tied)))
        if chain.gaussians and chain.covariance in ("spherical", SHARED, "shared diagonal"):
            count -= _shared_parameters(chain, network)
        return count

    def bic(self, data: Any, **how: Any) -> float:
        """−2 log-likelihood + parameters · log(rows): lower is better."""
        rows, _ = self._asked(data, how)
        logs = float(self.model.log_likelihoods(rows).sum())
        return -2 * logs + self.free_parameters * float(np.log(max(rows.rows, 1)))

    def aic(self, data: Any, **how: Any) -> float:
        """−2 log-likelihood + 2 · parameters: lower is better."""
        return -2 * self.log_likelihood(data, **how) + 2 * self.free_parameters

    def bootstrap(
        self,
        data: Any,
        n: int = 100,
        *,
        kind: str = "parametric",
        level: float = 0.95,
        seed: int = 0,
        **how: Any,
    ) -> BootstrapIntervals:
        """Standard errors and intervals of the parameters: learn again from n sets of sequences.

        ``kind="parametric"`` draws the sets from this model, with the lengths, gaps and known states of the
        data; ``"sequences"`` draws sequences of the data with replacement, for many sequences. Each fit
        starts from this model, so that its states keep their names. An interval holds the middle ``level``
        of the n estimates. Takes ``sequence``, ``time``, ``lengths``, ``columns`` and ``states`` as ``fit``.

        >>> import bayou
        >>> states = ["a", "a", "b", "a", "b", "b", "a", "a"]
        >>> chain = bayou.HMM(["a", "b"]).fit([0, 0, 1, 0, 1, 1, 0, 0], states=states)
        >>> found = chain.bootstrap([0, 0, 1, 0, 1, 1, 0, 0], n=20, states=states)
        >>> found.standard_errors["transition"].shape
        (2, 2)
        """
        from bayou.models.sequences.bootstrap import bootstrap

        rows = self.read_rows(data, **how)
        return bootstrap(self, rows, n, kind, level, seed_number(seed))

    # Files and printing

    @classmethod
    def from_hmmlearn(cls, model: Any, *, states: Any = None, columns: Sequence[Name] | None = None) -> HMM:
        """A fitted model of hmmlearn: CategoricalHMM, GaussianHMM, GMMHMM or PoissonHMM.

        ``states`` and ``columns`` name what hmmlearn numbers; a column of symbols has 0, 1, 2, …, as there.
        Covariances that are ``"tied"`` by the components of each state (GMMHMM) become full ones: the same
        probabilities, but further learning may make them different.

        >>> from types import SimpleNamespace
        >>> theirs = SimpleNamespace(
        ...     startprob_=[0.5, 0.5],
        ...     transmat_=[[0.9, 0.1], [0.2, 0.8]],
        ...     emissionprob_=[[0.7, 0.3], [0.1, 0.9]],
        ... )
        >>> print(HMM.from_hmmlearn(theirs, states=["calm", "storm"]).decode([0, 0, 1, 1, 1]))
        calm × 2 → storm × 3  (log probability -4.57681)
        """
        from bayou.models.sequences.hmmlearn_models import from_hmmlearn

        return from_hmmlearn(model, states, columns)

    def to_hmmlearn(self) -> Any:
        """The same model as one of hmmlearn, which must be installed; symbols become 0, 1, 2, … in order.

        hmmlearn has models of one column of symbols, of Gaussian columns (with components) and of Poisson
        columns, without end probabilities; others are refused.
        """
        from bayou.models.sequences.hmmlearn_models import to_hmmlearn

        return to_hmmlearn(self)

    def save(self, path: FilePath) -> None:
        """Write the model to a ``.bayou`` file; :func:`bayou.load` reads it."""
        from bayou.models.sequences.hmm_file import write_hmm

        write_hmm(path, self)

    def state(self) -> dict[str, Any]:
        """The content of a ``.bayou`` file, as plain values and arrays."""
        from bayou.models.sequences.hmm_file import learned_state

        network = self.model.network
        return {
            "name": encode_value(self._name),
            "columns": [encode_value(name) for name in self.chain.columns],
            "form": {**self._form, "tie": [[encode_value(one) for one in group] for group in self._tie]},
            "network": network.state(),
            "learned": learned_state(self._learned),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> HMM:
        """Create the model from the result of :meth:`state`."""
        from bayou.models.sequences.hmm_file import learned_from_state

        network = FrozenNetwork.from_state(state["network"])
        form, name = state["form"], decode_value(state["name"])
        columns = [network.schema[decode_value(column)] for column in state["columns"]]
        said = {column.name: network.kinds.get(column.name, column) for column in columns}
        hmm = cls(
            network.schema[name],
            None,
            covariance=str(form["covariance"]),
            components=int(form["components"]),
            ends=bool(form["ends"]),
            tie=[[decode_value(one) for one in group] for group in form.get("tie", [])],
            name=name,
        )
        hmm._spec = EmissionSpec(said)
        kinds = {
            column.name: network.kinds[column.name] for column in columns if column.name in network.kinds
        }
        tied = tied_groups(network.schema[name], hmm._tie)
        hmm._chain = chain_structure(network.schema[name], columns, kinds, tied=tied, **hmm._form)  # type: ignore[arg-type]
        hmm._blocks = dict(replace(hmm._chain.structure.frozen(), blocks=network.blocks).blocks)
        hmm._learned = learned_from_state(hmm.model, state["learned"])
        return hmm

    def __repr__(self) -> str:
        from bayou.models.sequences.hmm_printing import described

        return described(self)


def _state_variable(name: Name, states: Any) -> Variable | None:
    if states is None:
        return None
    if isinstance(states, Variable):
        return states
    if isinstance(states, int | np.integer) and not isinstance(states, bool):
        return Variable(name, list(range(whole_number("states", states, 1))))
    if isinstance(states, str) or not isinstance(states, Iterable):
        raise BadVariable(f"states={states!r}: give their number, or a list of names.")
    return Variable(name, list(states))


def _default_prior(prior: Any, chain: ChainStructure, rows: SequenceRows) -> Any:
    """Without a prior: 1 where some states are known, as for networks; 0 where all are hidden, as Baum and
    Welch.
    """
    if prior is not None:
        return prior
    return None if labels_of(chain, rows).any() else 0


def _shared_parameters(chain: ChainStructure, network: FrozenNetwork) -> int:
    """The parameters that shared or spherical covariances count more than once."""
    nodes = [network.gaussian(name) for name in chain.gaussians]
    groups = nodes[0].variance.size // chain.states * len(set(chain.tied or range(chain.states)))
    if chain.covariance == "spherical":
        return groups * (len(nodes) - 1)
    return sum((groups - 1) * (1 + node.coefficients.shape[-1]) for node in nodes)
