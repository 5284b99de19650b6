"""The methods of a network that answer questions: posteriors, probabilities of rows, draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bayou import explain, inference
from bayou.errors import BadQuestion, TooWide, UnknownVariable
from bayou.inference.question import DEFAULT_ENGINE
from bayou.models.answers.estimate_texts import warn_if_distrusted
from bayou.models.answers.marginals import Marginals, all_posteriors, plain_posteriors
from bayou.models.answers.posterior import AnyPosterior, interval_from, plain_posterior, posterior_from
from bayou.models.evidence import Given, marginals_from, question_from
from bayou.models.verbs.plans import parsed_question
from bayou.probability.probability_table import ProbabilityTable
from bayou.schema import Schema
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.explain import CredibleInterval
    from bayou.explain.working import Working
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.inference.engine_options import EngineOptions
    from bayou.models.rows.drawn_rows import Draw, Rows
    from bayou.networks import FrozenNetwork, Structure


class NetworkQueries:
    """Methods that answer questions; :class:`~bayou.Network` inherits them."""

    if TYPE_CHECKING:
        _structure: Structure

        @property
        def frozen(self) -> FrozenNetwork: ...

        @property
        def names(self) -> tuple[Name, ...]: ...

        def _require_learned(self) -> FittedParameters: ...

    def query(
        self,
        targets: Name | Iterable[Name],
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        marginal: Mapping[Any, Any] | None = None,
        do: Given | None = None,
        interval: float | None = None,
        engine: str = DEFAULT_ENGINE,
        verify: bool = False,
        seed: int | None = None,
        samples: int | None = None,
        accuracy: float | None = None,
        time: float | None = None,
    ) -> AnyPosterior:
        """P(targets | given), exactly unless ``engine`` is an approximate one.

        ``targets`` is a name, several names (their joint posterior), or a whole query as text, such as
        ``"P(lung | smoke=yes, xray!=normal, age in {40, 50}, do(asia=no))"``. ``likelihood`` gives weights
        for the states of uncertain findings; they multiply the present probabilities. ``marginal`` gives the
        distribution of a variable after the update (Jeffrey's rule). ``do`` sets variables by intervention.
        ``interval=0.95`` adds credible intervals for the uncertainty of the learned parameters: of each
        probability, of the mean of a continuous target. ``engine`` is
        ``"compiled"`` (the fastest), ``"elimination"``, ``"messages"`` (Pearl's, on polytrees),
        ``"enumeration"`` (sums the whole joint table, for checking) or ``"loopy"`` (approximate, for networks
        of any width). ``verify=True`` asks a second engine and reports the difference (``.verified``).

        ``"weighting"``, ``"gibbs"`` and ``"rejection"`` estimate: the posterior has the error of each
        probability (``.estimate``). They stop after ``samples`` draws, when all 99 % intervals are within
        ± ``accuracy``, or after ``time`` seconds, whichever comes first; the same ``seed`` gives the same
        draws. ``"bounds"`` gives both ends of each probability (``.lower``, ``.upper``), guaranteed and the
        nearer the longer it works; ``samples`` is then the number of tuples of states that it explores.
        ``"auto"`` is exact where that fits into memory and ``time``, else the best of three estimates, or
        bounds where none can be trusted.

        Raises ``UnknownVariable`` and ``UnknownState`` for names that are not there (with the nearest one
        that is), ``BadQuestion`` for options that do not fit, ``ImpossibleEvidence`` for findings of
        probability 0 (with those that contradict each other), ``NotFitted`` without tables, ``TooWide``
        where exact tables would not fit into memory.

        >>> from bayou import Network
        >>> net = Network("Rain -> Wet", tables={
        ...     "Rain": {"no": 0.8, "yes": 0.2},
        ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}}})
        >>> round(net.query("Rain | Wet=yes")["yes"], 4)
        0.6667
        >>> net.query("Rain", do={"Wet": "yes"})["yes"]
        0.2
        """
        network = self.frozen
        plain = likelihood is None and marginal is None and do is None and interval is None
        drawn = seed is not None or samples is not None or accuracy is not None or time is not None
        if plain and not verify and not drawn and engine == DEFAULT_ENGINE:
            known = inference.plain_query(network, targets, given)
            if known is not None:
                return plain_posterior(known)
        exact_only = {"verify=True": verify, "interval=": interval, "marginal=": marginal}
        inference.require_exact(engine, exact_only)
        options = _engine_options(engine, seed, samples, accuracy, time) if drawn else None
        question = parsed_question(network, targets, given, likelihood, do)
        fixed = marginals_from(network, marginal)
        if fixed and verify:
            raise BadQuestion(
                "verify=True asks a second engine the same question, which cannot have marginal= "
                "(Jeffrey's rule). Leave one of the two out."
            )
        with _refused_with(exact_only):
            if fixed:
                from bayou.inference.jeffrey import ask_with_marginals

                answer = ask_with_marginals(network, question, fixed, engine)
            else:
                answer = inference.ask(network, question, engine, options)
                warn_if_distrusted([answer.estimate])
            verified = inference.verify(network, question, answer, engine) if verify else None
            ends = (
                None if interval is None else interval_from(self._require_learned, question, fixed, interval)
            )
        return posterior_from(network, question, answer, fixed, ends, verified)

    def marginals(
        self,
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        marginal: Mapping[Any, Any] | None = None,
        do: Given | None = None,
        interval: float | None = None,
        engine: str = DEFAULT_ENGINE,
        seed: int | None = None,
        samples: int | None = None,
        accuracy: float | None = None,
        time: float | None = None,
    ) -> Marginals:
        """The posterior of every variable that is not given, all in one pass: a mapping by name.

        The other arguments are those of :meth:`query`; engines that estimate leave continuous variables out.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for options that do not fit, ``ImpossibleEvidence`` for findings of probability
        0, and ``NotFitted`` without tables.

        >>> from bayou import Network
        >>> net = Network("A -> B", tables={"A": {0: 0.5, 1: 0.5}, "B": {0: [0.9, 0.1], 1: [0.2, 0.8]}},
        ...               states={"B": [0, 1]})
        >>> {name: round(posterior[1], 2) for name, posterior in net.marginals().items()}
        {'A': 0.5, 'B': 0.45}
        """
        network = self.frozen
        is_plain = likelihood is None and marginal is None and do is None and interval is None
        drawn = seed is not None or samples is not None or accuracy is not None or time is not None
        if is_plain and not drawn and engine == DEFAULT_ENGINE:
            known = inference.plain_marginals(network, given)
            if known is not None:
                return plain_posteriors(known)
        options = _engine_options(engine, seed, samples, accuracy, time) if drawn else None
        exact_only = {"interval=": interval, "marginal=": marginal}
        inference.require_exact(engine, exact_only)
        question = question_from(network, (), given, likelihood, do, marginal)
        free = [name for name in self.names if name not in question.evidence and name not in question.do]
        question = replace(question, targets=tuple(free))
        with _refused_with(exact_only):
            answers = inference.marginals(network, question, engine, options)
        warn_if_distrusted(answers.estimates.values())
        if marginal:
            # A required marginal has no probability of its own.
            found = inference.ask(network, question_from(network, (), given, likelihood, do), engine)
            answers = replace(answers, log_evidence=found.log_evidence)
        ends: dict[Name, CredibleInterval] = {}
        if interval is not None:
            plain = question_from(network, (), given, likelihood, do)
            fixed = marginals_from(network, marginal)
            for name in (*answers.tables, *answers.mixtures):
                alone = replace(plain, targets=(name,))
                with _refused_with(exact_only):
                    ends[name] = interval_from(self._require_learned, alone, fixed, interval)
        return all_posteriors(network, question, answers, ends)

    def log_evidence(self, given: Given, *, likelihood: Mapping[Any, Any] | None = None) -> float:
        """Natural logarithm of P(given), or of the density if a continuous variable is given.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``ImpossibleEvidence`` for findings of probability 0, and ``NotFitted`` without tables.

        >>> from bayou import Network
        >>> Network("A", tables={"A": {0: 0.25, 1: 0.75}}).log_evidence({"A": 0})
        -1.3862943611198906
        """
        from bayou.models.answers.exact_remedies import ITS_PROBABILITY, remedies

        question = question_from(self.frozen, (), given, likelihood)
        with remedies(ITS_PROBABILITY):
            return inference.ask(self.frozen, question).log_evidence

    def working(
        self,
        targets: Name | Iterable[Name],
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        marginal: Mapping[Any, Any] | None = None,
        do: Given | None = None,
    ) -> Working:
        """The calculation of a query as text, line by line; ``to_latex()`` and ``to_html()`` write it so.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a target that is given, ``ImpossibleEvidence`` for findings of probability
        0, and ``NotFitted`` without tables.

        >>> from bayou import Network
        >>> net = Network("Rain -> Wet", tables={
        ...     "Rain": {"no": 0.8, "yes": 0.2},
        ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}}})
        >>> print(net.working("Rain | Wet=yes"))
        P(Rain | Wet=yes)
          ∝ P(Rain) · P(Wet=yes | Rain)
        Multiply what is left: P(Rain) · P(Wet=yes | Rain)
            Rain=no: 0.8 × 0.1 = 0.08
            Rain=yes: 0.2 × 0.8 = 0.16
        Divide by their sum, 0.24 = P(Wet=yes):
            Rain=no: 0.08 / 0.24 = 0.333333
            Rain=yes: 0.16 / 0.24 = 0.666667
        """
        from bayou.models.answers.exact_remedies import THE_POSTERIOR_ALONE, remedies

        question = parsed_question(self.frozen, targets, given, likelihood, do, marginal)
        with remedies(THE_POSTERIOR_ALONE):
            return explain.elimination_working(self.frozen, question)

    def joint(self) -> ProbabilityTable:
        """The full joint table (small discrete networks only).

        Raises ``NotFitted`` without tables, ``TooWide`` for a table that would not fit into memory, and
        ``BadQuestion`` for a network with continuous variables.

        >>> from bayou import Network
        >>> net = Network("A, B", tables={"A": {0: 0.5, 1: 0.5}, "B": {0: 0.9, 1: 0.1}})
        >>> bool(net.joint().independent("A", "B"))
        True
        """
        self.frozen.require(self.names)
        try:
            return ProbabilityTable(self.frozen.schema, inference.joint_table(self.frozen))
        except TooWide as error:
            size = str(error).partition(":")[0]
            raise TooWide(
                f"{size}. Ask for the joint posterior of a few variables: net.query([…]), for the states "
                "that are most probable together: net.most_probable(), or for rows: net.sample(100_000)."
            ) from None

    def log_probability(
        self, data: Any, *, unknown: str = "missing", columns: Sequence[Name] | None = None
    ) -> FloatArray | float:
        """log P of each row of a table, or of one assignment given as a mapping of names to values.

        Missing cells are summed out exactly. ``unknown`` says what to do with values that are not states of
        the network: ``"missing"`` treats them as missing cells, with a warning, ``"error"`` raises, and
        ``"smooth"`` gives them the probability that the prior gives to one more, unobserved state.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state under ``unknown="error"``, ``BadData`` for what is no table, ``BadQuestion`` for an ``unknown``
        that there is not, and ``NotFitted`` without tables.

        >>> from bayou import Network
        >>> net = Network("R", tables={"R": {4: 0.25, 5: 0.75}})
        >>> net.log_probability({"R": 4})
        -1.3862943611198906
        """
        import numpy as np

        from bayou.models.answers.exact_remedies import ROW_BY_ROW, remedies
        from bayou.models.rows import row_answers
        from bayou.models.rows.row_chunks import is_file
        from bayou.models.rows.row_coding import check_policy, code_rows, read_rows, unseen_values
        from bayou.models.rows.unseen_states import smoothed_log_probability

        check_policy(unknown)
        network = self.frozen
        single = isinstance(data, Mapping) and _is_assignment(data, network.schema)
        if single:
            for name in data:
                if name not in network.schema:
                    raise UnknownVariable.named(name, network.schema.names)
        if is_file(data):
            model: Any = self  # a network also has the questions about whole tables
            logs_of = partial(model._logs, unknown=unknown)
            parts = row_answers.log_likelihoods(network, data, None, unknown, columns, logs_of)
            every: FloatArray = np.concatenate([logs for _, logs, _ in parts])
            return every
        table = read_rows(network, [dict(data)] if single else data, columns)
        if unknown == "smooth" and unseen_values(network, table):
            logs = smoothed_log_probability(self._structure, self._require_learned(), table)
        else:
            rows = code_rows(network, table, unknown)
            with remedies(ROW_BY_ROW):
                logs = inference.log_probability(network, rows.codes, rows.numbers, rows.rows)
        return float(logs[0]) if single else logs

    def sample(
        self,
        n: int,
        *,
        given: Given | None = None,
        likelihood: Mapping[Any, Any] | None = None,
        marginal: Mapping[Any, Any] | None = None,
        do: Given | None = None,
        seed: int | None = None,
    ) -> Rows:
        """Draw rows from the network, exactly from P(row | given) where there are findings.

        ``likelihood``, ``marginal`` and ``do`` are those of :meth:`query`. The same seed gives the same rows
        on any number of threads. Findings need tables as large as those of exact inference; TooWide is raised
        where they do not fit into memory.

        Raises ``BadQuestion`` for a number of rows below 0, ``UnknownVariable`` for a name that no variable
        has, ``UnknownState`` for a value that is no state, ``ImpossibleEvidence`` for findings of probability
        0, and ``NotFitted`` without tables.

        >>> from bayou import Network
        >>> Network("A", tables={"A": {"x": 1, "y": 0}}).sample(2, seed=7).to_dicts()
        [{'A': 'x'}, {'A': 'x'}]
        >>> net = Network("Rain -> Wet", tables={
        ...     "Rain": {"no": 0.8, "yes": 0.2},
        ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}}})
        >>> rows = net.sample(10_000, given={"Wet": "yes"}, seed=7)
        >>> round(float((rows["Rain"] == "yes").mean()), 2)
        0.67
        """
        from bayou.models.rows.drawn_rows import drawn_given, rows_from

        draw: Draw = inference.draw
        if any(said is not None for said in (given, likelihood, marginal, do)):
            draw = drawn_given(self.frozen, question_from(self.frozen, (), given, likelihood, do, marginal))
        return rows_from(self.frozen, n, seed, draw)


def _refused_with(exact_only: Mapping[str, object]) -> AbstractContextManager[None]:
    """The remedies of a question that is too wide, where engines that estimate do not take some of it."""
    from bayou.models.answers.exact_remedies import remedies, without

    asked = [option for option, value in exact_only.items() if value]
    return remedies(without(*asked)) if asked else nullcontext()


def _is_assignment(data: Mapping[Any, Any], schema: Schema) -> bool:
    """Whether a mapping has single values, not columns; a tuple is a value only if it is a state."""

    def is_single(name: Name, value: Any) -> bool:
        if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
            return True
        return isinstance(value, tuple) and name in schema and schema[name].find(value) is not None

    return all(is_single(name, value) for name, value in data.items())


def _engine_options(engine: object, seed: Any, samples: Any, accuracy: Any, time: Any) -> EngineOptions:
    """When an engine stops. Its code is loaded first, which is no part of the time that it has."""
    from bayou.inference.engines import ENGINES

    if isinstance(engine, str) and engine in ENGINES:
        ENGINES.find(engine)
    return inference.EngineOptions.from_arguments(seed, samples, accuracy, time)
