"""Sequences as users hold them, in the codes of a hidden Markov model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion, listed
from bayou.models.sequences.hidden_markov.hmm_tables import HMMTables
from bayou.models.sequences.input.column_values import refuse_counts, refuse_values
from bayou.models.sequences.input.given_sequences import SequencesGiven
from bayou.models.sequences.input.sequence_input import sequences_given
from bayou.models.sequences.input.unnamed_keys import refuse_unnamed_keys
from bayou.models.sequences.one_sequence.sequence_reader import OneSequenceReader
from bayou.schema import Variable
from bayou.statistics import Source
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.statistics.rows.sequence_keys import named_states
from bayou.temporal.stored_sequences import AnySequences, LongRows
from bayou.typing import Name

_KEYS = ("sequence", "time", "lengths", "columns", "gaps")
"""The arguments that say how data are sequences."""
READING = (*_KEYS, "states", "weights")
"""The arguments that say what is read of them."""


class HMMInput(HMMTables):
    """A model that reads sequences."""

    _kept_reader: OneSequenceReader | None = None

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
        given = sequences_given(
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
        return given if columns is None else given.of_columns(columns)

    def _opened(self, given: SequencesGiven, *, fresh: bool) -> AnySequences:
        """The rows in the codes of the model's variables, which the first data settle."""
        if self._chain is not None and not (fresh and self._is_open) and self._name not in given.table_names:
            plain = given.plain_rows(self._column_variables)
            if plain is not None:
                refuse_values(self.chain, plain)
                return plain
        known = [] if self._chain is None else list(self._chain.structure.declared.values())
        source = given.source(None, known)
        available = given.columns(source)
        if self._state is None:
            if self._name not in available:
                raise BadQuestion(
                    "How many states? Give their number or names: HMM(3), HMM(['calm', 'storm'])."
                )
            self._state = named_states(source, self._name)
        if self._chain is None or (fresh and self._is_open):
            self._declare(source, self._emitted(given, source, available))
        chain = self.chain
        wanted = [chain.structure.declared[name] for name in chain.columns]
        missing = [variable.name for variable in wanted if variable.name not in available]
        if len(missing) == len(wanted):
            raise BadData(f"The data have none of the model's columns ({listed(chain.columns)}).")
        labels = [chain.user_state] if self._name in available else []
        given.tell_unused(*chain.columns, self._name)
        variables = [*wanted, *labels]
        try:
            rows = given.remote_rows(source, variables) or given.rows(source, variables)
        except BadData as error:
            if labels and f"{self._name!r}" in str(error):
                raise BadData(
                    f"{error} The column {self._name!r} is taken for the known hidden states; if it is "
                    "something else, give the hidden state another name: HMM(…, name='hidden')."
                ) from None
            raise
        refuse_values(chain, rows)
        return rows

    def _counted(self, rows: SequenceBatch) -> SequenceBatch:
        """The same rows; raises if a count of events is none."""
        refuse_counts(self.chain, rows)
        return rows

    def _emitted(self, given: SequencesGiven, source: Source, available: Sequence[Name]) -> Sequence[Name]:
        """The columns of a table that are emitted: those that were named, else all but the keys."""
        names = self._spec.columns(available, [self._name])
        if self._spec.said or not given.named:
            return names
        if given.chosen is not None:
            return given.chosen
        leave_out = "name the others in columns=" if len(names) > 1 else "leave out {0!r}"
        refuse_unnamed_keys(source, names, leave_out=leave_out)
        return names

    def opened_rows(
        self, data: Any, how: Mapping[str, Any], *, apart: Sequence[Name] = (), fresh: bool = True
    ) -> AnySequences:
        """The rows to learn from; columns ``apart``, such as classes, are not emitted.

        With ``fresh`` the data settle the columns of a model of which nothing was said.
        """
        given = self._given(data, *(how.get(name) for name in READING))
        return self._opened(replace(given, apart=tuple(apart)), fresh=fresh)

    def asked_parts(self, data: Any, how: Mapping[str, Any]) -> Iterator[SequenceBatch | LongRows]:
        """The sequences of a question, some at a time where the data are too large for memory."""
        return self._asked_parts(data, how)[0]

    @property
    def column_variables(self) -> list[Variable]:
        """The variables of the emitted columns."""
        return self._column_variables

    def read_rows(self, data: Any, **how: Any) -> SequenceBatch:
        """The rows of sequences in the codes of this model's variables; takes the arguments of ``filter``,
        ``states`` and ``weights``.
        """
        unknown = [name for name in how if name not in READING]
        if unknown:
            raise BadQuestion(f"{listed(unknown)}: there is no such argument; use some of {listed(READING)}.")
        return self._read(data, how)

    def rows_asked(self, data: Any, **how: Any) -> SequenceBatch:
        """The rows of sequences as questions read them: values never seen are missing, and states in the data
        are known only if ``states`` says so.
        """
        return self._asked(data, how)[0]

    def _asked(self, data: Any, options: Mapping[str, Any]) -> tuple[SequenceBatch, bool]:
        """The sequences of a question, and whether they are one that was not given in a list.

        Known states count as observed only if ``states`` gives them, or is True for those in the data.
        """
        plain = None if options else self._plain_sequence(data)
        if plain is not None:
            return plain, True
        given, labels = self._asked_given(data, options)
        return self._counted(given.new_rows(self._column_variables, labels)), given.single

    def _asked_parts(
        self, data: Any, options: Mapping[str, Any]
    ) -> tuple[Iterator[SequenceBatch | LongRows], bool]:
        """The same, some sequences at a time where the data are too large for memory."""
        plain = None if options else self._plain_sequence(data)
        if plain is not None:
            return iter((plain,)), True
        given, labels = self._asked_given(data, options)
        parts = given.new_parts(self._column_variables, labels)
        return (one if isinstance(one, LongRows) else self._counted(one) for one in parts), given.single

    def _plain_sequence(self, data: Any) -> SequenceBatch | None:
        """One sequence that needs no reading; None if this one does."""
        rows = None if self._chain is None else self._reader.rows(data)
        return None if rows is None else self._counted(rows)

    @property
    def _reader(self) -> OneSequenceReader:
        """The same object until the columns change."""
        chain, kept = self.chain, self._kept_reader
        if kept is None or kept.chain is not chain:
            kept = self._kept_reader = OneSequenceReader(chain)
        return kept

    @property
    def _is_open(self) -> bool:
        """Whether nothing was said about the columns: a new fit then settles them anew."""
        return not self._spec.said and not self._blocks

    @property
    def _column_variables(self) -> list[Variable]:
        chain = self.chain
        return [chain.structure.declared[name] for name in chain.columns]

    def _asked_given(self, data: Any, options: Mapping[str, Any]) -> tuple[SequencesGiven, list[Variable]]:
        names = (*_KEYS, "states")
        unknown = [name for name in options if name not in names]
        if unknown:
            raise BadQuestion(f"{listed(unknown)}: there is no such argument; use some of {listed(names)}.")
        sequence, time, lengths, columns, gaps, states = (options.get(name) for name in names)
        labelled = states is not None and states is not False
        known = states if labelled and states is not True else None
        given = self._given(data, sequence, time, lengths, columns, gaps, known, None)
        return given, [self.chain.user_state] if labelled else []

    def _read(self, data: Any, options: Mapping[str, Any]) -> SequenceBatch:
        """The rows of sequences to learn from, in memory; known states in the data are used."""
        given = self._given(data, *(options.get(name) for name in READING))
        rows = self._opened(given, fresh=False)
        return rows if isinstance(rows, SequenceBatch) else rows.only(np.arange(rows.count))
