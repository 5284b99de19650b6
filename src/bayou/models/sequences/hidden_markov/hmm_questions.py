"""Questions about sequences: states, likelihoods, what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from bayou.arguments import seed_number, whole_number
from bayou.errors import BadQuestion, listed
from bayou.models.sequences.forecast import Forecast, forecast
from bayou.models.sequences.hidden_markov.hmm_paths import HMMPaths
from bayou.models.sequences.input.times_ahead import has_times, with_times
from bayou.models.sequences.numbered_steps import steps_to_draw
from bayou.models.sequences.state_answers import StateBeliefs
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.long_sequence import LongSequence, log_likelihoods
from bayou.temporal.stored_sequences import LongRows
from bayou.typing import FloatArray


class HMMQuestions(HMMPaths):
    """A model that answers questions about sequences."""

    def filter(self, data: Any, **how: Any) -> Any:
        """P(state | observations so far) of each step: one answer for one sequence, a list for several.

        Takes ``sequence``, ``time``, ``lengths``, ``columns`` and ``gaps`` as ``fit`` does; with
        ``gaps="missing"`` the answers have the steps without observations, too. Answers about a table have
        the ``times`` of its steps, and its sequence's name (``key``), where it has them.

        Raises ``NotFitted`` without parameters, ``BadData`` for data that cannot be read as sequences, and
        ``ImpossibleEvidence`` for observations that cannot occur.

        >>> import bayou
        >>> week = {"day": [2, 1], "roll": [6, 1]}
        >>> bayou.examples.casino().filter(week, time="day").to_frame().round(3).to_dict("list")
        {'day': [1, 2], 'fair': [0.625, 0.363], 'loaded': [0.375, 0.637]}
        """
        title = "P(state | observations so far)"
        if (short := self._short_filter(title, data, how)) is not None:
            return short
        rows, single = self._asked(data, how)
        logs, steps, states = self.model.filtered(rows)
        self.model.refuse_impossible(rows, logs)
        found = self._placed(self._beliefs(title, rows, logs, states, steps), rows, data, how)
        return found[0] if single else found

    def smooth(self, data: Any, **how: Any) -> Any:
        """P(state | all observations of the sequence) of each step.

        Raises ``NotFitted`` without parameters, ``BadData`` for data that cannot be read as sequences, and
        ``ImpossibleEvidence`` for observations that cannot occur.

        >>> import bayou
        >>> print(bayou.examples.casino().smooth([6, 6, 1]))
        P(state | all observations)
        step  fair    loaded  most likely
           0  0.1579  0.8421  loaded       ████████▍
           1  0.1883  0.8117  loaded       ████████▏
           2  0.3094  0.6906  loaded       ██████▉
        """
        title = "P(state | all observations)"
        if (short := self._short_smooth(title, data, how)) is not None:
            return short
        rows, single = self._asked(data, how)
        logs, states = self.model.smoothed(rows)
        found = self._placed(self._beliefs(title, rows, logs, states, None), rows, data, how)
        return found[0] if single else found

    def export(
        self,
        language: str = "python",
        *,
        smooth: bool = False,
        unknown: str = "missing",
        table: str | None = None,
        dialect: str | None = None,
        keep: str | Sequence[str] | None = None,
        order: str | None = None,
        by: str | Sequence[str] | None = None,
    ) -> str:
        """Return P(state | observations so far) of each step as code without dependencies.

        ``smooth=True``: P(state | all observations). ``language`` is ``"python"`` or ``"javascript"`` (a file
        with the function ``posterior`` of a sequence, a list of rows), or ``"sql"`` (one statement about a
        ``table``, in a ``dialect``: postgres, duckdb or sqlite). There ``order`` is the column of the steps,
        ``by`` those that tell sequences apart, and ``keep`` others that it repeats. A value that is no state
        is a gap, as in ``filter``, or an error with ``unknown="error"`` (never in SQL).

        Raises ``NotFitted`` without parameters, and ``BadQuestion`` for options that do not fit.

        >>> import bayou
        >>> exported = {}
        >>> exec(bayou.examples.casino().export(), exported)
        >>> [round(each["loaded"], 3) for each in exported["posterior"]([{"roll": 1}, {"roll": 6}])]
        [0.375, 0.637]
        """
        from bayou.exporting.chain_program import chain_program
        from bayou.exporting.languages import written

        if unknown not in ("error", "missing"):
            raise BadQuestion.choice("unknown", unknown, ("error", "missing"))
        program = chain_program(self.model, smooth, unknown)
        options = {"table": table, "dialect": dialect, "keep": keep, "order": order, "by": by}
        return written(program, language, **options)

    def _beliefs(
        self,
        title: str,
        rows: SequenceBatch,
        logs: FloatArray,
        states: FloatArray,
        steps: FloatArray | None,
    ) -> list[StateBeliefs]:
        variable = self.chain.user_state
        states = self.chain.folded(states)
        return [
            StateBeliefs(
                title, variable, states[first:last], float(log), None if steps is None else steps[first:last]
            )
            for (first, last), log in zip(pairwise(rows.starts.tolist()), logs.tolist(), strict=True)
        ]

    def log_likelihood(self, data: Any, **how: Any) -> float:
        """log P(all observations), summed over the sequences.

        Raises ``NotFitted`` without parameters, and ``BadData`` for data that cannot be read as sequences.

        >>> import bayou
        >>> round(bayou.examples.casino().log_likelihood([6, 6, 1]), 3)
        -4.196
        """
        logs = self.log_likelihoods(data, **how)
        return float(logs[0] if len(logs) == 1 else logs.sum())

    def log_likelihoods(self, data: Any, **how: Any) -> FloatArray:
        """log P(observations) of each sequence; −inf where one is impossible.

        Raises ``NotFitted`` without parameters, and ``BadData`` for data that cannot be read as sequences.

        >>> import bayou
        >>> bayou.examples.casino().log_likelihoods([[6, 6, 1], [1, 2]]).round(3).tolist()
        [-4.196, -3.966]
        """
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
        """log P(observation | observations before) of each step: a low one is a surprise.

        Returns an array for one sequence, a list of arrays for several.

        Raises ``NotFitted`` without parameters, and ``BadData`` for data that cannot be read as sequences.

        >>> import bayou
        >>> bayou.examples.casino().score_steps([6, 6]).round(3).tolist()
        [-1.099, -0.927]
        """
        if (short := self._short_steps(data, how)) is not None:
            return short
        rows, single = self._asked(data, how)
        _, steps, _ = self.model.filtered(rows)
        return steps if single else np.split(steps, rows.starts[1:-1])

    def forecast(self, data: Any, steps: int = 1, **how: Any) -> Any:
        """P(state) and P(observation) of the next steps after each sequence, which are numbered 1, 2, …

        Of a model with ``ends=True`` they are said of a sequence that goes on to this step, and ``running``
        has the probability that it does. If the times of a table (``time=``) go on evenly, the steps have
        times, too.

        Raises ``NotFitted`` without parameters, ``BadData`` for data that cannot be read as sequences,
        ``ImpossibleEvidence`` for observations that cannot occur, and ``BadQuestion`` for a number of steps
        below 1.

        >>> import bayou
        >>> week = {"day": [1, 2, 3], "roll": [6, 1, 6]}
        >>> bayou.examples.casino().forecast(week, steps=2, time="day").times
        [4, 5]
        """
        whole_number("steps", steps, 1)
        if (short := self._short_forecast(data, steps, how)) is not None:
            return short
        parts, single = self._asked_parts(data, how)
        found = [one for rows in parts for one in self._forecasts(rows, steps)]
        if has_times(data, how):
            found = with_times(found, self._asked_given(data, how)[0], steps)
        return found[0] if single else found

    def _forecasts(self, rows: SequenceBatch | LongRows, steps: int) -> list[Forecast]:
        if not isinstance(rows, SequenceBatch):
            return [forecast(self.model, LongSequence(self.model, rows).last_states, steps)]
        _, scores, states = self.model.filtered(rows)
        self.model.refuse_impossible_steps(rows, scores)
        return [
            forecast(self.model, states[last - 1] if last > first else None, steps)
            for first, last in pairwise(rows.starts.tolist())
        ]

    def sample(
        self,
        length: int | None = None,
        *,
        sequences: int | None = None,
        seed: int = 0,
        given: Any = None,
        **how: Any,
    ) -> Any:
        """Draw a sequence (or several): a mapping from columns, and the hidden state, to lists.

        With ``given`` (one or several sequences, as for ``filter``) their hidden states and gaps are drawn
        given all observations, exactly, and ``length`` steps more (if given); the result has the given rows,
        too, and ``sequences`` is the number of draws of each.

        Returns a mapping for one sequence, a list of them for several.

        Raises ``NotFitted`` without parameters, ``BadQuestion`` for a length below 1 where nothing is given
        or options that do not fit, and ``ImpossibleEvidence`` for observations that cannot occur.

        >>> import bayou
        >>> bayou.examples.casino().sample(2, given=[6, 6, 6], seed=1)
        {'roll': [6, 6, 6, 6, 6], 'state': ['loaded', 'loaded', 'loaded', 'loaded', 'loaded']}
        """
        steps = steps_to_draw(length, given)
        if given is not None:
            return self._continued(given, steps, sequences, seed_number(seed), how)
        if how:
            raise BadQuestion(f"{listed(how)}: these arguments say how given= is read, which is lacking.")
        from bayou.models.sequences.drawn_sequences import drawn_sequences

        count = 1 if sequences is None else whole_number("sequences", sequences, 1)
        drawn = drawn_sequences(self.model, steps, count, seed_number(seed))
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

    def bic(self, data: Any, **how: Any) -> float:
        """−2 log-likelihood + parameters · log(rows): lower is better.

        Raises ``NotFitted`` without parameters, and ``BadData`` for data that cannot be read as sequences.

        >>> import bayou
        >>> round(bayou.examples.casino().bic([1, 6, 6]), 3)
        22.813
        """
        found = list(self._part_logs(data, how))
        logs = float(np.concatenate([np.zeros(0), *(part for _, part in found)]).sum())
        rows = sum(size for size, _ in found)
        return -2 * logs + self.free_parameters * float(np.log(max(rows, 1)))

    def aic(self, data: Any, **how: Any) -> float:
        """−2 log-likelihood + 2 · parameters: lower is better.

        Raises ``NotFitted`` without parameters, and ``BadData`` for data that cannot be read as sequences.

        >>> import bayou
        >>> casino = bayou.examples.casino()
        >>> round(casino.aic([1, 6, 6]), 3)
        34.531
        """
        return -2 * self.log_likelihood(data, **how) + 2 * self.free_parameters
