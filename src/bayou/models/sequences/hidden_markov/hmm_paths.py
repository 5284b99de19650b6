"""Most probable paths of states: as answers, row by row, in files, in pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import whole_number
from bayou.errors import BadQuestion
from bayou.formats.file_content import FilePath
from bayou.models.sequences.decoded_rows import DecodedRows, key_cells
from bayou.models.sequences.hidden_markov.hmm_properties import HMMProperties
from bayou.models.sequences.input.time_gaps import IGNORE
from bayou.models.sequences.input.times_ahead import has_times, placed
from bayou.models.sequences.state_answers import StatePath
from bayou.schema import label
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.long_sequence import LongSequence
from bayou.temporal.stored_sequences import LongRows
from bayou.typing import FloatArray, IntArray, Name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class HMMPaths(HMMProperties):
    """A model that finds the most probable states of sequences."""

    def _placed(
        self, answers: list[Any], rows: SequenceBatch, data: Any, how: Mapping[str, Any]
    ) -> list[Any]:
        """The answer about each sequence, with its name and times where a table has them."""
        if how.get("sequence") is None and not has_times(data, how):
            return answers
        return placed(answers, self._asked_given(data, how)[0], rows.labels)

    def decode(self, data: Any, *, method: str = "viterbi", k: int | None = None, **how: Any) -> Any:
        """The most probable path of states; ``"posterior"``: the most probable state of each step.

        With ``k`` a list of the k most probable paths, best first (fewer if others are impossible).

        Raises ``NotFitted`` for a model without numbers.

        Raises ``NotFitted`` without parameters, ``BadData`` for data that cannot be read as sequences,
        ``ImpossibleEvidence`` for observations that cannot occur, and ``BadQuestion`` for another ``method``.

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
            lists = self._best_paths(rows, whole_number("k", k, 1), method)
            placed = self._placed(lists, rows, data, how)
            return placed[0] if single else placed
        paths, logs = self._paths(rows, method)
        state = self.chain.user_state
        found = [
            StatePath(state, paths[first:last], log)
            for (first, last), log in zip(pairwise(rows.starts.tolist()), logs.tolist(), strict=True)
        ]
        placed = self._placed(found, rows, data, how)
        return placed[0] if single else placed

    most_probable = decode

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

        Raises ``NotFitted`` without parameters, ``BadData`` for data that cannot be read as sequences,
        ``ImpossibleEvidence`` for observations that cannot occur, ``BadQuestion`` for options that do not
        fit, and ``BadFile`` for a file name with another ending.

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

    def _best_paths(self, rows: SequenceBatch, k: int, method: str) -> list[list[StatePath]]:
        from bayou.temporal.path_list import best_path_list

        if method != "viterbi":
            raise BadQuestion(
                'k= asks for the k best paths, which method="viterbi" finds: leave method= out.'
            )
        self.model.refuse_impossible(rows, self.model.log_likelihoods(rows))
        lists = (best_path_list(self.model, rows.taken(n, n + 1), k) for n in range(rows.count))
        state, seen = self.chain.user_state, self.chain.seen_codes
        return [
            [StatePath(state, seen(path), float(log)) for path, log in zip(*one, strict=True)]
            for one in lists
        ]

    def _path_logs(self, rows: SequenceBatch, paths: Any) -> FloatArray:
        """log P(path, observations) of each sequence."""
        model = self.model
        codes = dict(rows.batch.codes)
        codes[self.chain.state.name] = paths.astype(np.uint32)
        return model.log_likelihoods(replace(rows, batch=replace(rows.batch, codes=codes)))

    def plot(
        self, data: Any, *, show: Name | Sequence[Name] | None = None, ax: Axes | None = None, **how: Any
    ) -> Axes:
        """Draw one sequence over bands of its most probable states (matplotlib); ``show`` chooses columns.

        Raises ``NotFitted`` without parameters, ``BadData`` for data that cannot be read as sequences,
        ``ImpossibleEvidence`` for observations that cannot occur, and ``BadQuestion`` for more than one
        sequence.

        >>> import bayou
        >>> type(bayou.examples.casino().plot([6, 6, 1, 2, 6])).__name__
        'Axes'
        """
        from bayou import plots
        from bayou.models.sequences.plotted_series import series_observed

        rows = self._one_sequence(data, how)
        series, symbols = series_observed(self, rows, show)
        names = [label(state) for state in self.states]
        return plots.state_series(names, self._paths(rows, "viterbi")[0], series, symbols, ax)

    def trellis(self, data: Any, *, ax: Axes | None = None, **how: Any) -> Axes:
        """Draw a short sequence as states × steps, with the most probable path and P(state | all).

        Raises ``NotFitted`` without parameters, ``BadData`` for data that cannot be read as sequences,
        ``ImpossibleEvidence`` for observations that cannot occur, and ``BadQuestion`` for more than one
        sequence.

        >>> import bayou
        >>> type(bayou.examples.casino().trellis([6, 6, 1, 2, 6])).__name__
        'Axes'
        """
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


def _check_method(method: str) -> None:
    if method not in ("viterbi", "posterior"):
        raise BadQuestion.choice("method", method, ("viterbi", "posterior"))
