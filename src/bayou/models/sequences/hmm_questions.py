"""Questions about sequences: states, paths, likelihoods, what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import seed_number, whole_number
from bayou.errors import BadQuestion, listed
from bayou.formats.file_content import FilePath
from bayou.models.sequences.decoded_rows import DecodedRows, key_cells
from bayou.models.sequences.forecast import Forecast, forecast
from bayou.models.sequences.input.time_gaps import IGNORE
from bayou.models.sequences.one_sequence.short_answers import ShortAnswers
from bayou.models.sequences.state_answers import StateBeliefs, StatePath
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_structure import SHARED, ChainStructure
from bayou.temporal.long_sequence import LongSequence, log_likelihoods
from bayou.temporal.stored_sequences import LongRows
from bayou.typing import FloatArray, IntArray, Name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayou.models.network import Network
    from bayou.models.sequences.online import OnlineFilter


class HMMQuestions(ShortAnswers):
    """A model that answers questions about sequences."""

    def filter(self, data: Any, **how: Any) -> Any:
        """P(state | observations so far) of each step: one answer for one sequence, a list for several.

        Takes ``sequence``, ``time``, ``lengths``, ``columns`` and ``gaps`` as ``fit`` does; with
        ``gaps="missing"`` the answers have the steps without observations, too.
        """
        title = "P(state | observations so far)"
        if (short := self._short_filter(title, data, how)) is not None:
            return short
        rows, single = self._asked(data, how)
        logs, steps, states = self.model.filtered(rows)
        self.model.refuse_impossible(rows, logs)
        return self._beliefs(title, rows, logs, states, steps, single)

    def smooth(self, data: Any, **how: Any) -> Any:
        """P(state | all observations of the sequence) of each step."""
        title = "P(state | all observations)"
        if (short := self._short_smooth(title, data, how)) is not None:
            return short
        rows, single = self._asked(data, how)
        logs, states = self.model.smoothed(rows)
        return self._beliefs(title, rows, logs, states, None, single)

    def _beliefs(
        self,
        title: str,
        rows: SequenceBatch,
        logs: FloatArray,
        states: FloatArray,
        steps: FloatArray | None,
        single: bool,
    ) -> Any:
        variable, starts = self.chain.user_state, rows.starts.tolist()
        states = self.chain.folded(states)
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
        short = self._short_path(data, how) if k is None and method == "viterbi" else None
        if short is not None:
            return short
        rows, single = self._asked(data, how)
        if k is not None:
            return self._best_paths(rows, single, whole_number("k", k, 1), method)
        paths, logs = self._paths(rows, method)
        state, starts = self.chain.user_state, rows.starts.tolist()
        found = [
            StatePath(state, paths[first:last], log)
            for first, last, log in zip(starts[:-1], starts[1:], logs.tolist(), strict=True)
        ]
        return found[0] if single else found

    def decode_rows(
        self,
        data: Any,
        *,
        method: str = "viterbi",
        out: FilePath | None = None,
        probabilities: bool = False,
        **how: Any,
    ) -> Any:
        """The state of every row of a table, in the order of its rows, with its probability.

        With ``out`` they are written to a file (.csv, .csv.gz, .parquet), which is returned: for files that
        are larger than memory. ``probabilities`` adds a column for each state to the file.

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
        keys = [how[key] for key in ("sequence", "time") if how.get(key) is not None]
        if out is not None:
            from bayou.models.sequences.decoded_file import decoded_to_file

            parts, _ = self._asked_parts(data, how)
            decoded = (one for rows in parts for one in self._decoded_parts(rows, method))
            return decoded_to_file(self.chain.user_state, decoded, data, keys, out, probabilities)
        rows, _ = self._asked(data, how)
        _, paths, shares = self._decoded(rows, method)
        return DecodedRows.of(self.chain.user_state, rows, paths, shares, key_cells(data, keys))

    def _decoded_parts(
        self, rows: SequenceBatch | LongRows, method: str
    ) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """The same of rows in memory, or of the blocks of a sequence that is too long."""
        if isinstance(rows, SequenceBatch):
            yield self._decoded(rows, method)
            return
        _check_method(method)
        long = LongSequence(self.model, rows)
        paths = long.decoded() if method == "viterbi" else None
        for block, shares in long.smoothed():
            seen = self.chain.folded(shares)
            codes = seen.argmax(axis=1) if paths is None else self.chain.seen_codes(next(paths)[1])
            yield block.batch.standing, codes.astype(np.int64), seen

    def _decoded(self, rows: SequenceBatch, method: str) -> tuple[IntArray, IntArray, FloatArray]:
        """The number of each row in the data, the code of its state, and P(state | all rows)."""
        paths, _ = self._paths(rows, method)
        _, shares = self.model.smoothed(rows)
        return rows.batch.standing, paths, self.chain.folded(shares)

    def _paths(self, rows: SequenceBatch, method: str) -> tuple[IntArray, FloatArray]:
        """The codes of the states of all rows, and the log probability of each path."""
        _check_method(method)
        if method == "viterbi":
            codes, logs = self.model.decoded(rows)
            return self.chain.seen_codes(codes), logs
        _, states = self.model.smoothed(rows)
        paths = self.chain.folded(states).argmax(axis=1).astype(np.int64)
        return paths, self._path_logs(rows, paths)

    def _best_paths(self, rows: SequenceBatch, single: bool, k: int, method: str) -> Any:
        from bayou.temporal.path_list import best_path_list

        if method != "viterbi":
            raise BadQuestion(
                'k= asks for the k best paths, which method="viterbi" finds: leave method= out.'
            )
        self.model.refuse_impossible(rows, self.model.log_likelihoods(rows))
        lists = (best_path_list(self.model, rows.taken(n, n + 1), k) for n in range(rows.count))
        state = self.chain.user_state
        found = [
            [
                StatePath(state, self.chain.seen_codes(path), float(log))
                for path, log in zip(*one, strict=True)
            ]
            for one in lists
        ]
        return found[0] if single else found

    def _path_logs(self, rows: SequenceBatch, paths: Any) -> FloatArray:
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
        from bayou.models.sequences.plotted_series import series_observed

        rows = self._one_sequence(data, how)
        series, symbols = series_observed(self, rows, show)
        names = [label(state) for state in self.states]
        return plots.state_series(names, self._paths(rows, "viterbi")[0], series, symbols, ax)

    def trellis(self, data: Any, *, ax: Axes | None = None, **how: Any) -> Axes:
        """Draw a short sequence as states × steps, with the most probable path and P(state | all)."""
        from bayou import plots
        from bayou.models.sequences.plotted_series import cells_observed

        rows = self._one_sequence(data, how)
        shares = self.chain.folded(self.model.smoothed(rows)[1])
        paths, _ = self._paths(rows, "viterbi")
        names = [label(state) for state in self.states]
        return plots.trellis(names, shares, paths, self.transition, cells_observed(self, rows), ax)

    def _one_sequence(self, data: Any, how: Mapping[str, Any]) -> SequenceBatch:
        rows, _ = self._asked(data, how)
        if rows.count != 1:
            raise BadQuestion(f"A picture shows one sequence, but there are {rows.count}: give one of them.")
        return rows

    def log_likelihood(self, data: Any, **how: Any) -> float:
        """log P(all observations), summed over the sequences."""
        logs = self.log_likelihoods(data, **how)
        return float(logs[0] if len(logs) == 1 else logs.sum())

    def log_likelihoods(self, data: Any, **how: Any) -> FloatArray:
        """log P(observations) of each sequence; −inf where one is impossible."""
        if (short := self._short_logs(data, how)) is not None:
            return short
        parts = [logs for _, logs in self._part_logs(data, how)]
        return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0), *parts])

    def _part_logs(self, data: Any, how: Mapping[str, Any]) -> Iterator[tuple[int, FloatArray]]:
        """(rows, log P of each sequence) of some sequences at a time."""
        parts, _ = self._asked_parts(data, how)
        return ((part.rows, log_likelihoods(self.model, part)) for part in parts)

    score = log_likelihood
    log_probability = log_likelihoods

    def score_steps(self, data: Any, **how: Any) -> Any:
        """log P(observation | observations before) of each step: a low one is a surprise."""
        if (short := self._short_steps(data, how)) is not None:
            return short
        rows, single = self._asked(data, how)
        _, steps, _ = self.model.filtered(rows)
        return steps if single else np.split(steps, rows.starts[1:-1])

    def forecast(self, data: Any, steps: int = 1, **how: Any) -> Any:
        """P(state) and P(observation) of the next steps after each sequence."""
        whole_number("steps", steps, 1)
        if (short := self._short_forecast(data, steps, how)) is not None:
            return short
        parts, single = self._asked_parts(data, how)
        found = [one for rows in parts for one in self._forecasts(rows, steps)]
        return found[0] if single else found

    def _forecasts(self, rows: SequenceBatch | LongRows, steps: int) -> list[Forecast]:
        if not isinstance(rows, SequenceBatch):
            return [forecast(self.model, LongSequence(self.model, rows).last_states, steps)]
        logs, _, states = self.model.filtered(rows)
        self.model.refuse_impossible(rows, logs)
        return [
            forecast(self.model, states[last - 1] if last > first else None, steps)
            for first, last in pairwise(rows.starts.tolist())
        ]

    def online(self, lag: int = 0) -> OnlineFilter:
        """A filter for observations that arrive one by one; ``lagged()`` smooths the state ``lag`` steps ago.

        Its memory does not grow.
        """
        from bayou.models.sequences.online import OnlineFilter

        return OnlineFilter(self.model, whole_number("lag", lag))

    def sample(
        self, length: int, *, sequences: int | None = None, seed: int = 0, given: Any = None, **how: Any
    ) -> Any:
        """Draw a sequence (or several): a mapping from columns, and the hidden state, to lists.

        With ``given`` (one or several sequences, as for ``filter``) their hidden states are drawn given all
        observations, exactly, and ``length`` steps more (0: none); the result has the given rows, too, and
        ``sequences`` is the number of draws of each.

        >>> import bayou
        >>> bayou.examples.casino().sample(2, given=[6, 6, 6], seed=1)
        {'roll': [6, 6, 6, 6, 6], 'state': ['loaded', 'loaded', 'loaded', 'loaded', 'loaded']}
        """
        if given is not None:
            return self._continued(given, whole_number("length", length), sequences, seed_number(seed), how)
        if how:
            raise BadQuestion(f"{listed(how)}: these arguments say how given= is read, which is lacking.")
        from bayou.models.sequences.drawn_sequences import drawn_sequences

        whole_number("length", length, 1)
        count = 1 if sequences is None else whole_number("sequences", sequences, 1)
        drawn = drawn_sequences(self.model, length, count, seed_number(seed))
        return drawn[0] if sequences is None else drawn

    def _continued(
        self, given: Any, length: int, sequences: int | None, seed: int, how: Mapping[str, Any]
    ) -> Any:
        from bayou.models.sequences.continued_sequences import continued_sequences

        rows, single = self._asked(given, how)
        draws = 1 if sequences is None else whole_number("sequences", sequences, 1)
        drawn = continued_sequences(self.model, rows, length, draws, seed)
        found = [one[0] if sequences is None else one for one in drawn]
        return found[0] if single else found

    def network(self, length: int) -> Network:
        """The Bayesian network of a sequence of this length, with tables shared by all steps.

        With ``duration=`` each step has a variable more, ``state_stay0``, …: the state with the age of its
        stay, of which ``state0``, … is a function.
        """
        from bayou.models.sequences.unrolled import unrolled

        return unrolled(self.model, whole_number("length", length, 1))

    @property
    def stationary(self) -> FloatArray:
        """The shares of the states in the long run: the distribution that a step does not change."""
        table = np.asarray(self.model.network.table(self.chain.next_state))
        system = np.vstack([table.T - np.eye(len(table)), np.ones(len(table))])
        found: FloatArray = np.linalg.lstsq(system, np.append(np.zeros(len(table)), 1.0), rcond=None)[0]
        positive: FloatArray = np.maximum(found, 0.0)
        shares: FloatArray = positive / positive.sum()
        return self.chain.folded(shares)

    @property
    def expected_stay(self) -> FloatArray:
        """The mean number of steps in each state before it changes: 1 / (1 − P(stay)), without duration=."""
        if self.chain.stays is not None:
            return self.chain.stays.expected(np.asarray(self.model.network.table(self.chain.next_state)))
        with np.errstate(divide="ignore"):
            stays: FloatArray = 1 / (1 - np.diagonal(self.transition))
        return stays

    def stay_lengths(self, state: Any, longest: int = 20) -> FloatArray:
        """P(a stay in this state has 1, 2, …, ``longest`` steps).

        >>> import bayou
        >>> bayou.examples.casino().stay_lengths("loaded", 3).round(3).tolist()
        [0.1, 0.09, 0.081]
        """
        whole_number("longest", longest, 1)
        chain, code = self.chain, self.chain.user_state.code(state)
        if chain.stays is not None:
            table = np.asarray(self.model.network.table(chain.next_state))
            return chain.stays.length_shares(table, code, longest)
        stay = self.transition[code, code]
        geometric: FloatArray = (1 - stay) * stay ** np.arange(longest)
        return geometric

    @property
    def free_parameters(self) -> int:
        """The number of free parameters, as AIC and BIC count them."""
        chain, network = self.chain, self.model.network
        count = sum(block.free_parameters for block in network.blocks.values())
        if chain.stays is not None:
            own = (chain.state.name, chain.next_state)
            count += chain.stays.free_parameters - sum(network.blocks[b].free_parameters for b in own)
            count -= chain.states - len(chain.stays.lengths) if chain.ends else 0
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
        found = list(self._part_logs(data, how))
        logs = float(np.concatenate([np.zeros(0), *(part for _, part in found)]).sum())
        rows = sum(size for size, _ in found)
        return -2 * logs + self.free_parameters * float(np.log(max(rows, 1)))

    def aic(self, data: Any, **how: Any) -> float:
        """−2 log-likelihood + 2 · parameters: lower is better."""
        return -2 * self.log_likelihood(data, **how) + 2 * self.free_parameters


def _check_method(method: str) -> None:
    if method not in ("viterbi", "posterior"):
        raise BadQuestion.choice("method", method, ("viterbi", "posterior"))


def _shared_parameters(chain: ChainStructure, network: FrozenNetwork) -> int:
    """The parameters that shared or spherical covariances count more than once."""
    nodes = [network.gaussian(name) for name in chain.gaussians]
    groups = nodes[0].variance.size // chain.states * len(set(chain.tied or range(chain.states)))
    if chain.covariance == "spherical":
        return groups * (len(nodes) - 1)
    return sum((groups - 1) * (1 + node.coefficients.shape[-1]) for node in nodes)
