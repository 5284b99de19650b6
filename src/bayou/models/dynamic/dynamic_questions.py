"""Questions about sequences: what each slice was, is and will be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import seed_number, whole_number
from bayou.errors import BadQuestion, TooWide, listed
from bayou.models.dynamic.dynamic_answers import ENGINES, EXACT, FACTORED, DynamicAnswers
from bayou.models.dynamic.dynamic_input import DynamicInput, names_asked
from bayou.models.dynamic.slice_answers import Trajectory
from bayou.models.sequences.numbered_steps import steps_to_draw
from bayou.models.sequences.state_answers import StatePath
from bayou.temporal.templates.slice_evidence import SliceEvidence
from bayou.temporal.templates.template_model import TemplateModel
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    pass

_NO_EXACT_DRAWS = (
    "sample(given=) draws exactly, and these sequences are too wide for it: each path of their unknown "
    "states has a Gaussian of its own for the unknown numbers. smooth(particles=, paths=) estimates the "
    "states and numbers of each step and forecast(particles=) those that follow; fewer steps, or more "
    "observed states or numbers, can be drawn."
)


class DynamicQuestions(DynamicAnswers):
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
        Unknown numbers that unknown states switch are estimated by particles (``particles=``, ``seed=``).

        Raises ``NotFitted`` without tables, ``BadQuestion`` for data that cannot be read as sequences or an
        engine or argument that there is not, ``ImpossibleEvidence`` for observations that cannot occur, and
        ``UnknownVariable`` for a name that no variable has.

        >>> import bayou
        >>> print(bayou.examples.umbrella_world().filter({"Umbrella": ["yes", "yes", "no"]}))
        P(variable | what is known so far)
        step  Rain=yes
        0     0.8182
        1     0.8834
        2     0.1907
        """
        if self.has_numbers:
            return self._timed(self._mixed(engine).filter(data, ask, how), data, how)
        engine = EXACT if engine is None else engine
        rows, evidence, single = self._asked(data, how)
        wanted = self.wanted(ask, evidence)
        logs, steps, beliefs = self._filtered(evidence, wanted, engine)
        title = "P(variable | what is known so far)"
        return self._timed(self._answers(title, rows, logs, beliefs, steps, single, engine), data, how)

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

        Raises ``NotFitted`` without tables, ``BadQuestion`` for data that cannot be read as sequences or an
        engine or argument that there is not, ``ImpossibleEvidence`` for observations that cannot occur, and
        ``UnknownVariable`` for a name that no variable has.

        >>> import bayou
        >>> beliefs = bayou.examples.umbrella_world().smooth({"Umbrella": ["yes", "yes"]})
        >>> round(beliefs["Rain"][0]["yes"], 4)
        0.8834
        """
        if self.has_numbers:
            return self._timed(self._mixed(engine).smooth(data, ask, how), data, how)
        engine = EXACT if engine is None else engine
        rows, evidence, single = self._asked(data, how)
        logs, beliefs = self._smoothed(evidence, self.wanted(ask, evidence), engine)
        title = "P(variable | everything known)"
        return self._timed(self._answers(title, rows, logs, beliefs, None, single, engine), data, how)

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

        Steps are numbered 1, 2, …; if the times of a table (``time=``) go on evenly, they have times, too.

        Raises ``NotFitted`` without tables, ``BadQuestion`` for data that cannot be read as sequences or
        options that do not fit, ``ImpossibleEvidence`` for observations that cannot occur, and
        ``UnknownVariable`` for a name that no variable has.

        >>> import bayou
        >>> ahead = bayou.examples.umbrella_world().forecast({"Umbrella": ["yes", "yes"]}, 2)
        >>> ahead["Umbrella"].probabilities.round(4).tolist()
        [[0.3427, 0.6573], [0.4071, 0.5929]]
        """
        more = whole_number("steps", steps, 1)
        if self.has_numbers:
            return self._numbered(self._mixed(engine).forecast(data, more, ask, how), data, more, how)
        engine = EXACT if engine is None else engine
        rows, evidence, single = self._asked(data, how, more)
        wanted = tuple(
            name for name in names_asked(ask, self.names) if not self._template.outside(name) or ask
        )
        logs, _, beliefs = self._filtered(evidence, wanted, engine)
        found = []
        for k, end in enumerate(rows.starts[1:].tolist()):
            part = slice(end - more, end)
            own = {name: values[part] for name, values in beliefs.items()}
            title = "P(variable) of the next steps"
            found.append(self._belief(title, own, float(logs[k]), None, 1, engine))
        return self._numbered(found[0] if single else found, data, more, how)

    def most_probable(self, data: Any, **how: Any) -> Any:
        """The most probable values of all variables together, given everything known: the best trajectory.

        With numbers: the most probable states, whatever the numbers are, and the most probable numbers given
        these states, which are their smoothed means. Where more than 256 paths of unknown states switch
        unknown numbers, paths are drawn (``particles=``, ``paths=``, ``seed=``) and the best of them improved
        by changes of one state: the answer is the best that was found (``exact`` is False).

        Raises ``NotFitted`` without tables, ``BadQuestion`` for data that cannot be read as sequences or an
        argument that there is not, and ``ImpossibleEvidence`` for observations that cannot occur.

        >>> import bayou
        >>> umbrellas = {"Umbrella": ["yes", "yes", "no", "yes", "yes"]}
        >>> print(bayou.examples.umbrella_world().most_probable(umbrellas))
        Rain: yes × 2 → no × 1 → yes × 2
        log probability -4.45903
        """
        if self.has_numbers:
            return self._timed(self._mixed().most_probable(data, how), data, how)
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
        return self._timed(found[0] if single else found, data, how)

    def log_likelihoods(self, data: Any, **how: Any) -> FloatArray:
        """log P(what is known) of each sequence; −inf where one is impossible.

        Raises ``NotFitted`` without tables, and ``BadQuestion`` for data that cannot be read as sequences or
        an argument that there is not.

        >>> import bayou
        >>> world = bayou.examples.umbrella_world()
        >>> world.log_likelihoods([{"Umbrella": ["yes", "yes"]}, {"Umbrella": ["no"]}]).round(3).tolist()
        [-1.046, -0.799]
        """
        if self.has_numbers:
            return self._mixed().log_likelihoods(data, how)
        self._check_options(how)
        reader = DynamicInput(self._template, self.variables)
        logs = [self.model.log_likelihoods(part) for part in reader.parts(data, how)]
        return np.concatenate([np.zeros(0), *logs])

    def answers_exactly(self, data: Any, **how: Any) -> bool:
        """Whether answers about these data are exact: all but those where unknown states switch unknown
        numbers.

        Raises ``BadQuestion`` for data that cannot be read as sequences.

        >>> import bayou
        >>> bayou.examples.umbrella_world().answers_exactly({"Umbrella": ["yes", "no"]})
        True
        """
        return not self.has_numbers or self._mixed().answers_exactly(data, how)

    def log_likelihood(self, data: Any, **how: Any) -> float:
        """log P(what is known), summed over the sequences.

        Raises ``NotFitted`` without tables, and ``BadQuestion`` for data that cannot be read as sequences or
        an argument that there is not.

        >>> import bayou
        >>> round(bayou.examples.umbrella_world().log_likelihood({"Umbrella": ["yes", "yes"]}), 3)
        -1.046
        """
        return float(self.log_likelihoods(data, **how).sum())

    score = log_likelihood

    def score_steps(self, data: Any, **how: Any) -> Any:
        """log P(step | steps before) of each step: a low one is a surprise.

        Returns an array for one sequence, a list of arrays for several.

        Raises ``NotFitted`` without tables, and ``BadQuestion`` for data that cannot be read as sequences or
        an argument that there is not.

        >>> import bayou
        >>> world = bayou.examples.umbrella_world()
        >>> world.score_steps({"Umbrella": ["yes", "yes"]}).round(3).tolist()
        [-0.598, -0.448]
        """
        if self.has_numbers:
            return self._mixed().score_steps(data, how)
        rows, evidence, single = self._asked(data, how)
        _, steps, _ = self.model.filtered(evidence, ())
        parts = np.split(steps, rows.starts[1:-1])
        return parts[0] if single else parts

    decode = most_probable

    def sample(
        self,
        length: int | None = None,
        *,
        sequences: int | None = None,
        seed: int = 0,
        do: Any = None,
        given: Any = None,
        **how: Any,
    ) -> Any:
        """Draw a sequence (or several): a mapping from variables to lists of states.

        With ``given`` (one or several sequences, as for ``filter``) all that is not known of them is drawn
        given what is known, exactly, and ``length`` steps more (if given); ``sequences`` is the number of
        draws of each. Long sequences whose unknown states switch unknown numbers are refused (TooWide).

        Returns a mapping for one sequence, a list of them for several.

        Raises ``NotFitted`` without tables, ``BadQuestion`` for a length below 1 where nothing is given,
        ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no state,
        and ``ImpossibleEvidence`` for observations that cannot occur.

        >>> import bayou
        >>> drawn = bayou.examples.umbrella_world().sample(3, seed=1, do={"Rain": "yes"})
        >>> drawn["Rain"]
        ['yes', 'yes', 'yes']
        """
        from bayou.models.dynamic.drawn_slices import drawn_slices

        steps = steps_to_draw(length, given)
        if given is not None:
            asked = how if do is None else {**how, "do": do}
            return self._continued(given, steps, sequences, seed_number(seed), asked)
        if how:
            raise BadQuestion(f"{listed(how)}: these arguments say how given= is read, which is lacking.")
        count = 1 if sequences is None else whole_number("sequences", sequences, 1)
        if self.has_numbers:
            made = self._mixed().sample(steps, count, seed_number(seed), do)
            return made[0] if sequences is None else made
        reader = DynamicInput(self._template, self.variables)
        one, _ = reader.rows(None, {}, steps)
        evidence = reader.evidence(one.only(np.zeros(count, dtype=np.int64)), {"do": do})
        drawn = drawn_slices(self.model, steps, evidence, seed_number(seed))
        return drawn[0] if sequences is None else drawn

    def _continued(
        self, given: Any, more: int, sequences: int | None, seed: int, how: Mapping[str, Any]
    ) -> Any:
        """Draws of sequences given what is known of them, and of steps that follow."""
        from bayou.models.dynamic.continued_slices import continued_rows, continued_slices

        count = 1 if sequences is None else whole_number("sequences", sequences, 1)
        if self.has_numbers:
            from bayou.models.dynamic.numbers.mixed_input import MixedInput

            if how.get("do") is not None or how.get("likelihood") is not None:
                raise BadQuestion("sample(given=) of a network with numbers takes no do= and no likelihood=.")
            rows, single = MixedInput(self._template, self.variables).rows(given, how, more)
            self._require_tables(self._slices())
            frozen = self._slices().frozen
            try:
                drawn = continued_rows(TemplateModel(self._template, frozen), rows, count, seed)
            except TooWide as problem:
                raise TooWide(_NO_EXACT_DRAWS) from problem
        else:
            _, evidence, single = self._asked(given, how, more)
            drawn = continued_slices(self.model, evidence, count, seed)
        found = [one[0] if sequences is None else one for one in drawn]
        return found[0] if single else found
