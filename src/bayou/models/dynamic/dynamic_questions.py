"""Questions about sequences: what each slice was, is and will be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import seed_number, whole_number
from bayou.errors import BadQuestion, UnknownVariable
from bayou.models.dynamic.dynamic_input import ASKING, DynamicInput
from bayou.models.dynamic.dynamic_tables import DynamicTables
from bayou.models.dynamic.slice_answers import SliceBeliefs, Trajectory
from bayou.models.sequences.state_answers import StateBeliefs, StatePath
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.templates.slice_evidence import KNOWN, SliceEvidence
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.models.dynamic.numbers.mixed_questions import MixedQuestions

EXACT, FACTORED = "exact", "factored"
ENGINES = (EXACT, FACTORED)


class DynamicQuestions(DynamicTables):
    """A dynamic network that answers questions; :class:`~bayou.DynamicNetwork` inherits it.

    All questions take sequences as ``fit`` does (``sequence``, ``time``, ``lengths``, ``columns``, ``gaps``).
    Every column of a variable counts as observed; cells may be missing. ``do`` sets values instead of
    observing them: a mapping from a variable to a state (at all steps), to a list of states or to ``{step:
    state}``; or names of columns whose values were set. ``likelihood`` has weights of the states of uncertain
    findings: ``{"Rain": {3: {"no": 0.2, "yes": 0.9}}}``, or an array [row, state].
    """

    def filter(self, data: Any, ask: Any = None, *, engine: str | None = None, **how: Any) -> Any:
        """P(variable | what is known so far) of each step: one answer for one sequence, a list for several.

        ``ask`` names variables; without it all that are not observed everywhere are answered.
        ``engine="factored"`` (Boyen and Koller) is for templates that are too wide for exact answers: from
        slice to slice it keeps the probabilities of each variable by itself. Its answers are approximate.
        Numbers that unknown states switch are estimated by particles (``particles=``, ``seed=``).

        >>> import bayou
        >>> print(bayou.examples.umbrella_world().filter({"Umbrella": ["yes", "yes", "no"]}))
        P(variable | what is known so far)
        step  Rain=yes
        0     0.8182
        1     0.8834
        2     0.1907
        """
        if self.has_numbers:
            return self._mixed(engine).filter(data, ask, how)
        engine = EXACT if engine is None else engine
        rows, evidence, single = self._asked(data, how)
        wanted = self.wanted(ask, evidence)
        logs, steps, beliefs = self._filtered(evidence, wanted, engine)
        title = "P(variable | what is known so far)"
        return self._answers(title, rows, logs, beliefs, steps, single, engine)

    def _filtered(
        self, evidence: SliceEvidence, wanted: tuple[Name, ...], engine: str
    ) -> tuple[FloatArray, FloatArray, dict[Name, FloatArray]]:
        if engine not in ENGINES:
            raise BadQuestion.choice("engine", engine, ENGINES)
        return self.model.filtered(evidence, wanted, factored=engine == FACTORED)

    def smooth(self, data: Any, ask: Any = None, *, engine: str | None = None, **how: Any) -> Any:
        """P(variable | everything known about the sequence) of each step.

        ``engine="factored"`` is approximate as in :meth:`filter`: messages from behind and from ahead keep
        the probabilities of each variable by itself.

        >>> import bayou
        >>> beliefs = bayou.examples.umbrella_world().smooth({"Umbrella": ["yes", "yes"]})
        >>> round(beliefs["Rain"][0]["yes"], 4)
        0.8834
        """
        if self.has_numbers:
            return self._mixed(engine).smooth(data, ask, how)
        engine = EXACT if engine is None else engine
        rows, evidence, single = self._asked(data, how)
        logs, beliefs = self._smoothed(evidence, self.wanted(ask, evidence), engine)
        return self._answers("P(variable | everything known)", rows, logs, beliefs, None, single, engine)

    def _smoothed(
        self, evidence: SliceEvidence, wanted: tuple[Name, ...], engine: str
    ) -> tuple[FloatArray, dict[Name, FloatArray]]:
        if engine not in ENGINES:
            raise BadQuestion.choice("engine", engine, ENGINES)
        return self.model.smoothed(evidence, wanted, factored=engine == FACTORED)

    def beliefs_of(
        self, evidence: SliceEvidence, wanted: tuple[Name, ...], what: str, engine: str = EXACT
    ) -> dict[Name, FloatArray]:
        """P(variable | rows so far) (``what="filter"``) or P(variable | all rows), row by row."""
        if what == "filter":
            return self._filtered(evidence, wanted, engine)[2]
        return self._smoothed(evidence, wanted, engine)[1]

    def forecast(
        self, data: Any, steps: int = 1, ask: Any = None, *, engine: str | None = None, **how: Any
    ) -> Any:
        """P(variable) of the steps that follow each sequence; ``data=None``: of the first steps.

        >>> import bayou
        >>> ahead = bayou.examples.umbrella_world().forecast({"Umbrella": ["yes", "yes"]}, 2)
        >>> ahead["Umbrella"].probabilities.round(4).tolist()
        [[0.3427, 0.6573], [0.4071, 0.5929]]
        """
        more = whole_number("steps", steps, 1)
        if self.has_numbers:
            return self._mixed(engine).forecast(data, more, ask, how)
        engine = EXACT if engine is None else engine
        rows, evidence, single = self._asked(data, how, more)
        wanted = tuple(name for name in self._names_asked(ask) if not self._template.outside(name) or ask)
        logs, _, beliefs = self._filtered(evidence, wanted, engine)
        found = []
        for k, end in enumerate(rows.starts[1:].tolist()):
            part = slice(end - more, end)
            first = int(rows.lengths[k]) - more
            own = {name: values[part] for name, values in beliefs.items()}
            title = "P(variable) of the next steps"
            found.append(self._belief(title, own, float(logs[k]), None, first, engine))
        return found[0] if single else found

    def most_probable(self, data: Any, **how: Any) -> Any:
        """The most probable values of all variables together, given everything known: the best trajectory.

        >>> import bayou
        >>> umbrellas = {"Umbrella": ["yes", "yes", "no", "yes", "yes"]}
        >>> print(bayou.examples.umbrella_world().most_probable(umbrellas))
        Rain: yes × 2 → no × 1 → yes × 2
        log probability -4.45903
        """
        if self.has_numbers:
            return self._mixed().most_probable()
        rows, evidence, single = self._asked(data, how)
        logs, codes = self.model.best(evidence)
        open_ = [n for n in self.names if not self._always_known(evidence, n)]
        found = []
        for k, (first, last) in enumerate(
            zip(rows.starts[:-1].tolist(), rows.starts[1:].tolist(), strict=True)
        ):
            paths = {}
            for name in open_:
                place = codes[evidence.index(name), first:last].astype(np.int64)
                one = place[-1:] if name in self._template.last else place[:1]
                own = one if self._template.outside(name) else place
                paths[name] = StatePath(self._declared[name], own, float(logs[k]))
            found.append(Trajectory(paths, float(logs[k])))
        return found[0] if single else found

    def log_likelihoods(self, data: Any, **how: Any) -> FloatArray:
        """log P(what is known) of each sequence; −inf where one is impossible."""
        if self.has_numbers:
            return self._mixed().log_likelihoods(data, how)
        self._check_options(how)
        reader = DynamicInput(self._template, self.variables)
        logs = [self.model.log_likelihoods(part) for part in reader.parts(data, how)]
        return np.concatenate([np.zeros(0), *logs])

    def answers_exactly(self, data: Any, **how: Any) -> bool:
        """Whether answers about these data are exact: all but those where unknown states switch numbers.

        >>> import bayou
        >>> bayou.examples.umbrella_world().answers_exactly({"Umbrella": ["yes", "no"]})
        True
        """
        return not self.has_numbers or self._mixed().answers_exactly(data, how)

    def log_likelihood(self, data: Any, **how: Any) -> float:
        """log P(what is known), summed over the sequences."""
        return float(self.log_likelihoods(data, **how).sum())

    score = log_likelihood

    def score_steps(self, data: Any, **how: Any) -> Any:
        """log P(step | steps before) of each step: a low one is a surprise."""
        if self.has_numbers:
            return self._mixed().score_steps(data, how)
        rows, evidence, single = self._asked(data, how)
        _, steps, _ = self.model.filtered(evidence, ())
        parts = np.split(steps, rows.starts[1:-1])
        return parts[0] if single else parts

    def sample(self, length: int, *, sequences: int | None = None, seed: int = 0, do: Any = None) -> Any:
        """Draw a sequence (or several): a mapping from variables to lists of states.

        >>> import bayou
        >>> drawn = bayou.examples.umbrella_world().sample(3, seed=1, do={"Rain": "yes"})
        >>> drawn["Rain"]
        ['yes', 'yes', 'yes']
        """
        from bayou.models.dynamic.drawn_slices import drawn_slices

        steps = whole_number("length", length, 1)
        count = 1 if sequences is None else whole_number("sequences", sequences, 1)
        if self.has_numbers:
            made = self._mixed().sample(steps, count, seed_number(seed), do)
            return made[0] if sequences is None else made
        reader = DynamicInput(self._template, self.variables)
        one, _ = reader.rows(None, {}, steps)
        evidence = reader.evidence(one.only(np.zeros(count, dtype=np.int64)), {"do": do})
        drawn = drawn_slices(self.model, steps, evidence, seed_number(seed))
        return drawn[0] if sequences is None else drawn

    # Input and answers

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

    def _names_asked(self, ask: Any) -> tuple[Name, ...]:
        if ask is None:
            return self.names
        names = (ask,) if isinstance(ask, str) or not isinstance(ask, Iterable) else tuple(ask)
        for name in names:
            if name not in self.names:
                raise UnknownVariable.named(name, self.names, "in ask")
        return names

    def wanted(self, ask: Any, evidence: SliceEvidence) -> tuple[Name, ...]:
        """The variables that are asked for; without ``ask`` all that are not known everywhere."""
        if ask is not None:
            return self._names_asked(ask)
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
