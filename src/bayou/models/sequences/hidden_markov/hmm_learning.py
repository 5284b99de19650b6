"""Learning hidden Markov models from sequences: options checked, statistics kept for more sequences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

from bayou.arguments import real_number, seed_number, weights_named, whole_number
from bayou.distributions import prior_from
from bayou.errors import BadData, BadQuestion, BadStatistics, NotFitted, listed
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.counted_rows import counted_statistics
from bayou.fitting.sequences.sequence_fit import (
    METHODS,
    FittedChain,
    SequenceFitOptions,
    fit_chain,
    from_statistics,
)
from bayou.formats.file_content import FilePath
from bayou.learning import PriorChoice
from bayou.learning.em.trace import Settings
from bayou.models.sequences.hidden_markov.hmm_parameters import bounds_given
from bayou.models.sequences.hidden_markov.hmm_questions import HMMQuestions
from bayou.models.sequences.input.hmm_input import READING
from bayou.temporal.bounded_tables import Bounds
from bayou.temporal.chain_structure import ChainStructure
from bayou.temporal.soft_statistics import labelled_rows
from bayou.temporal.stored_sequences import AnySequences
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.models.sequences.bootstrap import BootstrapIntervals

DEFAULT_TOLERANCE, DEFAULT_ITERATIONS = 1e-4, 500
Self = TypeVar("Self", bound="HMMLearning")


class HMMLearning(HMMQuestions):
    """A model that learns from sequences."""

    @weights_named("weights")
    def fit(
        self: Self,
        data: Any,
        *,
        sequence: Name | None = None,
        time: Name | None = None,
        lengths: Any = None,
        columns: Sequence[Name] | None = None,
        gaps: Any = "ignore",
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
        checkpoint: FilePath | None = None,
    ) -> Self:
        """Learn all parameters from sequences.

        ``data`` is a list of sequences, an array with ``lengths``, or a table with a column ``sequence`` (and
        ``time``; with ``gaps="missing"``, or ``gaps="1 hour"``, a jump of k steps of time means k − 1 steps
        without observations); ``columns`` names those that are emitted. Known states are in a column with the
        state's name, or in ``states`` (None where unknown). If all are known they are counted, else
        ``method="em"`` guesses the others (accelerated Baum–Welch); ``"baum-welch"`` makes plain steps,
        ``"viterbi"`` takes the best path for the truth. ``prior`` is added to counts (default: 1 where states
        are known, 0 where all are hidden). ``start="present"`` continues from the present parameters;
        ``keep`` names parts that are not learned: ``"start"``, ``"transition"``, ``"end"`` or columns.
        ``bounds`` has a pair (low, high) of numbers or arrays for some of these parts, if they are tables.
        ``checkpoint`` names a .bayou file from which an interrupted fit goes on. Without labels the states
        are sorted by the mean of what they emit.

        Raises ``BadData`` if there is no sequence, or one cannot be read.

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
            checkpoint=checkpoint,
        )
        return self.fit_rows(rows, how, prior)

    def fit_rows(self: Self, rows: AnySequences, how: SequenceFitOptions, prior: Any = None) -> Self:
        """Learn from rows that were read before, in the codes of this model's variables."""
        priors = PriorChoice(prior_from(_default_prior(prior, self.chain, rows)))
        return self._take(*fit_chain(self.chain, rows, priors, how))

    def copy(self: Self) -> Self:
        """Another model with the same structure and parameters, which learns by itself.

        >>> import bayou
        >>> casino = bayou.examples.casino()
        >>> other = casino.copy().set_start([0.9, 0.1])
        >>> casino.start.tolist(), other.start.tolist()
        ([0.5, 0.5], [0.9, 0.1])
        """
        return copy(self)

    @property
    def fitted(self) -> FittedChain | None:
        """The statistics that the parameters come from, and the prior; None if they were given."""
        return self._learned

    def _take(self: Self, learned: FittedChain, trace: LearningTrace | None) -> Self:
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
        checkpoint: FilePath | None = None,
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
        if checkpoint is not None and method == "count":
            raise BadQuestion("checkpoint= is for EM: counting has no progress to be stored. Leave it out.")
        return SequenceFitOptions(
            method,
            settings,
            present,
            kept,
            self._bounds(bounds or {}, kept),
            checkpoint=checkpoint,
            model_state=self._state_of,
        )

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
            hidden = (chain.state.name, chain.next_state)
            seen = [chain.user_state if axis.name in hidden else axis for axis in axes]
            shape = tuple(axis.cardinality for axis in seen)
            found[block] = self._for_sub_states(
                block, bounds_given(str(part), pair, shape, end=block == chain.end)
            )
        return found

    def _for_sub_states(self, block: Name, bounds: Bounds) -> Bounds:
        """Bounds that users state for their states, for the states of the chain; those of start and moves
        stay as they are.
        """
        chain = self.chain
        if chain.stays is None or block == chain.state.name:
            return bounds
        if block == chain.next_state:
            return chain.stays.checked_bounds(bounds)
        return bounds[0][chain.stays.owner], bounds[1][chain.stays.owner]

    def _block_name(self, part: Name, argument: str = "keep") -> Name:
        """The block of a part that users name."""
        chain = self.chain
        words: dict[Name, Name] = {"start": chain.state.name, "transition": chain.next_state}
        words |= {"end": chain.end} if chain.ends else {}
        words |= {name: name for name in chain.columns}
        if part not in words:
            raise BadQuestion(f"{argument}: there is no part {part!r}; use some of {listed(words)}.")
        return words[part]

    def partial_fit(self: Self, data: Any, **how: Any) -> Self:
        """Learn from more sequences. The first call is a ``fit`` and takes its arguments; if parameters were
        given by hand, it must say what they are for (``start="present"`` or ``keep=``).

        Labelled sequences added to labelled ones are counted: equal to one fit on all of them. Otherwise the
        step is one of stepwise EM: the states are guessed with the present parameters, and the statistics of
        batch k = 0, 1, … are mixed into those before with the share (k + 2)^−0.6 (Cappé and Moulines 2009).
        That is not equal to one fit, but needs no earlier sequence again; give batches of some hundred rows.

        Raises ``NotFitted`` where parameters were given by hand and nothing says what they are for,
        ``BadData`` for data that cannot be read as sequences, and ``BadQuestion`` for an argument that cannot
        change after the first fit.

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

    def forget(self: Self, data: Any, **how: Any) -> Self:
        """Forget labelled sequences that were learned before.

        Raises ``NotFitted`` before the first fit, ``BadData`` for sequences whose states are not known, and
        ``BadStatistics`` for sequences that were never learned, or a model that was learned by EM.

        >>> import bayou
        >>> known = [["a", "a", "b"], ["b", "a"]]
        >>> chain = bayou.HMM(["a", "b"], {"x": [0, 1]}).fit([[0, 0, 1], [1, 0]], states=known)
        >>> chain.forget([1, 0], states=["b", "a"]).start.round(3).tolist()
        [0.667, 0.333]
        """
        return self._changed(data, how, forget=True)

    def _changed(self: Self, data: Any, how: dict[str, Any], *, forget: bool) -> Self:
        if self._learned is None:
            if forget:
                raise NotFitted("There is nothing to forget: this model has not learned from sequences.")
            if self._blocks and not {"start", "keep"} & set(how):
                raise NotFitted(
                    "Parameters of this model were given by hand, and it is not known how many rows they "
                    'count as. partial_fit(data, start="present") improves them by EM; fit(data) '
                    "learns without them."
                )
            return self.fit(data, **how)
        return self.changed_by(self._more_rows(data, how), forget=forget)

    def changed_by(self: Self, rows: AnySequences, *, forget: bool = False) -> Self:
        """Learn from (or forget) rows in the codes of this model's variables, which has learned before."""
        from bayou.fitting.sequences.stepwise_fit import problem_of, stepped

        before = self._learned
        if before is None:
            raise NotFitted("This model has not learned from sequences: fit it first.")
        if before.expected and forget:
            raise BadStatistics(
                "This model was learned by EM, so its statistics are expected ones, and sequences cannot be "
                "forgotten exactly. Fit it on the sequences that stay."
            )
        if before.expected or labelled_rows(self.chain, rows) < rows.rows:
            if forget:
                raise BadData(
                    f"Every row needs a state in {self._name!r} to be forgotten. Fit it on the sequences "
                    "that stay."
                )
            return self._take(*stepped(before, rows))
        fresh = counted_statistics(self.chain, self.chain.structure.frozen(), rows)
        both = before.statistics - fresh if forget else before.statistics + fresh
        return self._take(from_statistics(problem_of(before, both), both), LearningTrace.counted(rows.rows))

    def __add__(self: Self, other: Self) -> Self:
        """The model learned from the labelled sequences of both; sequences with unknown states do not add.

        >>> import bayou
        >>> chain = bayou.HMM(["a", "b"], {"x": [0, 1]})
        >>> one = chain.copy().fit([0, 0, 1], states=["a", "a", "b"])
        >>> other = chain.copy().fit([1, 0], states=["b", "a"])
        >>> both = chain.copy().fit([[0, 0, 1], [1, 0]], states=[["a", "a", "b"], ["b", "a"]])
        >>> bool((one + other).transition.tolist() == both.transition.tolist())
        True
        """
        if not isinstance(other, HMMLearning):
            return NotImplemented
        return self._combined(other, 1)

    def __sub__(self: Self, other: Self) -> Self:
        """The model learned from the labelled sequences of this one without those of the other."""
        if not isinstance(other, HMMLearning):
            return NotImplemented
        return self._combined(other, -1)

    def _combined(self: Self, other: Self, sign: int) -> Self:
        from bayou.fitting.sequences.stepwise_fit import problem_of, rows_behind

        ours, theirs = self._learned, other._learned
        if ours is None or theirs is None:
            raise NotFitted("Only models that have learned from sequences can be added: fit both.")
        if ours.expected or theirs.expected:
            raise BadStatistics(
                "These models cannot be added: one was learned by EM from sequences with unknown states, so "
                "its statistics are expected ones, under its own parameters. Fit one model on all sequences."
            )
        if self.chain.structure.frozen().schema != other.chain.structure.frozen().schema:
            raise BadStatistics("The models have other states or columns: declare the same in both.")
        if ours.priors != theirs.priors or ours.kept or theirs.kept or ours.bounds or theirs.bounds:
            raise BadStatistics("The models were fitted with different prior=, or with keep= or bounds=.")
        both = ours.statistics + theirs.statistics if sign > 0 else ours.statistics - theirs.statistics
        rows = int(rows_behind(self.chain, both))
        return self.copy()._take(from_statistics(problem_of(ours, both), both), LearningTrace.counted(rows))

    def _more_rows(self, data: Any, how: Mapping[str, Any]) -> AnySequences:
        unknown = [name for name in how if name not in READING]
        if unknown:
            raise BadQuestion(f"{listed(unknown)} cannot change after the first fit; leave it out.")
        rows = self._opened(self._given(data, *(how.get(name) for name in READING)), fresh=False)
        if rows.rows == 0:
            raise BadData("There is no row to learn from: all sequences are empty.")
        return rows

    @property
    def learning(self) -> LearningTrace:
        """How the parameters were learned: the objective after each step, the starts, the verdict."""
        if self._trace is None:
            raise NotFitted("This model has not learned from sequences.")
        return self._trace

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

        Raises ``BadData`` for data that cannot be read as sequences, ``BadQuestion`` for options that do not
        fit, and ``NotFitted`` without parameters.

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

    def _state_of(self, learned: FittedChain | None) -> dict[str, Any]:
        """The content of a file with learned parameters; None: with the present ones."""
        raise NotImplementedError


def _default_prior(prior: Any, chain: ChainStructure, rows: AnySequences) -> Any:
    """Without a prior: 1 where some states are known, as for networks; 0 where all are hidden, as Baum and
    Welch.
    """
    if prior is not None:
        return prior
    return None if labelled_rows(chain, rows) else 0
