"""How a dynamic network reads what it is asked about, and puts its answers together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import BadQuestion
from bayou.models.dynamic.dynamic_input import ASKING, DynamicInput, names_asked, sequences_of
from bayou.models.dynamic.dynamic_tables import DynamicTables
from bayou.models.dynamic.slice_answers import SliceBeliefs
from bayou.models.sequences.input.times_ahead import has_times, with_times
from bayou.models.sequences.state_answers import StateBeliefs
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.templates.slice_evidence import KNOWN, SliceEvidence
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.models.dynamic.numbers.mixed_questions import MixedQuestions

EXACT, FACTORED = "exact", "factored"
ENGINES = (EXACT, FACTORED)


class DynamicAnswers(DynamicTables):
    """A dynamic network that reads sequences and makes answers of numbers."""

    def _mixed(self, engine: str | None = None) -> MixedQuestions:
        """The questions of templates with numbers."""
        from bayou.models.dynamic.numbers.mixed_questions import MixedQuestions
        from bayou.temporal.gaussian_templates.mixed_model import MixedModel

        return MixedQuestions(MixedModel(self._template, self._slices().frozen), engine)

    def _asked(
        self, data: Any, how: Mapping[str, Any], more: int = 0
    ) -> tuple[SequenceBatch, SliceEvidence, bool]:
        self._check_options(how)
        reader = DynamicInput(self._template, self.variables)
        rows, single = reader.rows(data, how, more)
        return rows, reader.evidence(rows, how), single

    @staticmethod
    def _check_options(how: Mapping[str, Any]) -> None:
        unknown = [name for name in how if name not in ASKING]
        if unknown:
            raise BadQuestion(f"{unknown[0]!r}: there is no such argument; use some of {', '.join(ASKING)}.")

    def wanted(self, ask: Any, evidence: SliceEvidence) -> tuple[Name, ...]:
        """The variables that are asked for; without ``ask`` all that are not known everywhere."""
        if ask is not None:
            return names_asked(ask, self.names)
        return tuple(name for name in self.names if not self._always_known(evidence, name))

    @staticmethod
    def _always_known(evidence: SliceEvidence, name: Name) -> bool:
        known = (evidence.status[evidence.index(name)] & KNOWN).astype(bool)
        return bool(len(known) and known.all())

    def _answers(
        self,
        title: str,
        rows: SequenceBatch,
        logs: FloatArray,
        beliefs: Mapping[Name, FloatArray],
        steps: FloatArray | None,
        single: bool,
        engine: str = EXACT,
    ) -> Any:
        found = []
        for k, (first, last) in enumerate(
            zip(rows.starts[:-1].tolist(), rows.starts[1:].tolist(), strict=True)
        ):
            own = {name: values[first:last] for name, values in beliefs.items()}
            part = None if steps is None else steps[first:last]
            found.append(self._belief(title, own, float(logs[k]), part, 0, engine))
        return found[0] if single else found

    def _belief(
        self,
        title: str,
        shares: Mapping[Name, FloatArray],
        log: float,
        steps: FloatArray | None,
        first: int,
        engine: str = EXACT,
    ) -> SliceBeliefs:
        found = {}
        for name, values in shares.items():
            own = values
            # Where a variable of the first or the last slice does not exist, nothing is known of it.
            if self._template.outside(name) and name not in self._template.constant:
                own = np.where(values.sum(axis=1, keepdims=True) > 0, values, np.nan)
            found[name] = StateBeliefs(
                title.replace("variable", str(name)), self._declared[name], own, log, steps
            )
        return SliceBeliefs(title, found, log, steps, first, engine)

    @staticmethod
    def _timed(answers: Any, data: Any, how: Mapping[str, Any]) -> Any:
        """Answers about the steps of a table, with their times (``time=``) and the names of their sequences
        (``sequence=``).
        """
        if how.get("time") is None and how.get("sequence") is None:
            return answers
        from bayou.models.sequences.input.sequence_input import sequence_names
        from bayou.models.sequences.input.times_ahead import placed

        given = sequences_of(data, {name: how[name] for name in how if name in ASKING})
        every = answers if isinstance(answers, list) else [answers]
        names = () if given.sequence is None else sequence_names(data, given.sequence)
        found = placed(every, given, names)
        return found if isinstance(answers, list) else found[0]

    @staticmethod
    def _numbered(answers: Any, data: Any, steps: int, how: Mapping[str, Any]) -> Any:
        """Forecasts whose steps count from 1, with their times where these are known."""
        every = answers if isinstance(answers, list) else [answers]
        found = [replace(one, first=1) for one in every]
        if has_times(data, how):
            keys = {name: how[name] for name in how if name in ASKING}
            found = with_times(found, sequences_of(data, keys), steps)
        return found if isinstance(answers, list) else found[0]
