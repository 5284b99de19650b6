"""Results of queries: a table with its evidence, or the posterior of continuous variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou import explain, plots
from bayou.arguments import interval_mass
from bayou.errors import BadQuestion, MissingPackage
from bayou.models.answers.continuous_posterior import (
    ContinuousPosterior,
    continuous_posterior,
    posterior_title,
)
from bayou.models.answers.estimate_texts import estimate_table, reasons_for_doubt
from bayou.models.answers.expected_value import expected_value, mean_text
from bayou.models.answers.interval_texts import interval_headings, records_text
from bayou.models.answers.joint_continuous import JointContinuousPosterior
from bayou.models.answers.loopy_verdict import LoopyVerdict
from bayou.models.findings import Findings
from bayou.probability.probability_table import ProbabilityTable
from bayou.probability.table_algebra import LabelledArray
from bayou.probability.table_values import state_tuples
from bayou.schema import Schema, label, state_labels
from bayou.text.tables import Bar, Cell, TextTable
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from bayou.explain import CredibleInterval
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.inference import Answer, Bounds, Estimate, PlainAnswer, Question, Verification
    from bayou.inference.loopy.convergence import Convergence
    from bayou.networks import FrozenNetwork


class Posterior(ProbabilityTable, LoopyVerdict):
    """P(targets | evidence): a :class:`ProbabilityTable` with the evidence and log P(evidence).

    >>> from bayou.models.network import Network
    >>> posterior = Network("R", tables={"R": {"no": 0.8, "yes": 0.2}}).query("R")
    >>> posterior["yes"], posterior.to_dict(), posterior.log_evidence
    (0.2, {'no': 0.8, 'yes': 0.2}, 0.0)
    """

    __slots__ = (
        "_array",
        "_convergence",
        "_findings",
        "_schema",
        "estimate",
        "interval",
        "log_evidence",
        "verified",
    )

    def __init__(
        self,
        schema: Schema,
        array: FloatArray,
        findings: Findings,
        log_evidence: float,
        interval: CredibleInterval | None = None,
        verified: Verification | None = None,
        convergence: Convergence | None = None,
        estimate: Estimate | Bounds | None = None,
    ) -> None:
        self._schema, self._array, self._findings = schema, array, findings
        self.log_evidence = log_evidence
        """log P(evidence), natural logarithm."""
        self.interval = interval
        """How far the learned tables leave each probability uncertain, if the query had ``interval=``."""
        self.verified = verified
        """The second engine and the largest difference, if the query had ``verify=True``; else None."""
        self._convergence = convergence
        self.estimate = estimate
        """The error of each probability, if an engine estimated or bounded them; None: exact."""

    @property
    def evidence(self) -> dict[Name, State]:
        """What is given: the state of each observed variable."""
        return self._findings.evidence

    @property
    def trusted(self) -> bool:
        """Whether the numbers may be relied on: exact ones, bounds, and estimates whose error is known.

        :attr:`reasons` say why not. The rule is the same for all engines; those without error bars (loopy
        propagation on a graph with cycles) are never trusted.

        >>> import bayou
        >>> storm = bayou.examples.storm()
        >>> storm.query("Storm", engine="weighting", seed=1, samples=1000).trusted
        True
        >>> storm.query("Storm | ForestFire=yes", engine="loopy").trusted
        False
        """
        return not self.reasons

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the numbers are not to be relied on; empty if they are.

        >>> import bayou
        >>> bayou.examples.storm().query("Storm | ForestFire=yes", engine="loopy").reasons
        ('loopy propagation has no error bars, so nobody knows how far its numbers are off',)
        """
        return reasons_for_doubt([self.convergence, self.estimate])

    @property
    def lower(self) -> FloatArray:
        """The lower end of each probability: of a 99 % interval, or guaranteed (``engine="bounds"``).

        Exact probabilities are their own ends.

        >>> import bayou
        >>> posterior = bayou.examples.storm().query("Storm", engine="bounds")
        >>> bool((posterior.lower <= posterior.upper).all()), posterior.estimate.is_exact
        (True, True)
        """
        return (self._array if self.estimate is None else self.estimate.lower).copy()

    @property
    def upper(self) -> FloatArray:
        """The upper end of each probability, as :attr:`lower`."""
        return (self._array if self.estimate is None else self.estimate.upper).copy()

    @property
    def standard_error(self) -> FloatArray:
        """The standard error of each probability, in the order of the axes; 0 where they are exact.

        Bounds have none (NaN).
        """
        return np.zeros(self._array.shape) if self.estimate is None else self.estimate.standard_error.copy()

    @property
    def effective_sample_size(self) -> float:
        """The number of independent draws with the same error; infinite where the numbers are exact."""
        return np.inf if self.estimate is None else self.estimate.effective_size

    @property
    def r_hat(self) -> float | None:
        """How well the chains of Gibbs sampling agree (near 1: well); None for other engines."""
        return None if self.estimate is None else self.estimate.r_hat

    @property
    def _data(self) -> LabelledArray:
        """The table with its axes and findings; made when it is first looked at."""
        try:
            return self._labelled
        except AttributeError:
            self._labelled = LabelledArray(self._schema, self._array, (), self._findings.pairs)
            return self._labelled

    def __getitem__(self, states: Any) -> float:
        """The probability of a state (of one state for each target, in their order)."""
        if len(self._schema.variables) == 1:
            return self._array.item(self._schema.variables[0].code(states))
        return super().__getitem__(states)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas data frame with a row for each cell; with the ends and the error of each, if it has them.

        >>> import bayou
        >>> bayou.examples.asia().query("lung", engine="weighting", samples=99).to_frame().columns.to_list()
        ['lung', 'probability', 'standard_error', 'lower', 'upper']
        """
        frame = super().to_frame()
        found = self.estimate or self.interval
        if found is None:
            return frame
        columns = {"lower": found.lower, "upper": found.upper}
        if self.estimate is not None:
            columns = {"standard_error": self.estimate.standard_error, **columns}
        for heading, values in columns.items():
            while heading in frame.columns:
                heading += "_"
            frame[heading] = np.ravel(values)
        return frame

    def to_series(self) -> pandas.Series[float]:
        """A pandas Series of the probabilities, indexed by state (with several targets by a MultiIndex).

        >>> from bayou.models.network import Network
        >>> Network("R", tables={"R": {"no": 0.8, "yes": 0.2}}).query("R").to_series()["yes"].item()
        0.2
        """
        try:
            import pandas
        except ImportError:
            raise MissingPackage.needed("pandas", "Posterior.to_series") from None
        levels = [pandas.Index(v.states, tupleize_cols=False, name=v.name) for v in self.variables]
        if len(levels) == 1:
            return pandas.Series(self.to_array(), index=levels[0], name=self.title)
        self.to_dict()  # raises for states that an index cannot tell apart, such as 1 and True
        codes = np.indices([len(level) for level in levels]).reshape(len(levels), -1)
        index: Any = pandas.MultiIndex(
            levels=[*map(list, levels)], codes=[*map(list, codes)], names=self.names
        )
        return pandas.Series(self.to_array().ravel(), index=index, name=self.title)

    @property
    def mean(self) -> float:
        """The expected value of a target whose states are numbers, or intervals (taken as their midpoints).

        >>> from bayou.models.network import Network
        >>> Network("R", tables={"R": {1: 0.8, 5: 0.2}}).query("R").mean
        1.8
        """
        return expected_value(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the states of a single target as horizontal bars (needs matplotlib); return the Axes.

        Raises ``BadQuestion`` for a posterior of several targets.

        >>> import bayou
        >>> posterior = bayou.examples.rain_and_wet_grass().query("Rain | WetGrass=yes")
        >>> type(posterior.plot()).__name__
        'Axes'
        """
        if len(self.names) > 1:
            raise BadQuestion(f"{self.title} has several targets: query and plot one at a time.")
        ends = (self.interval.lower, self.interval.upper) if self.interval else None
        states = state_labels(self.variables[0].states)
        return plots.probability_bars(states, self.to_array(), self.title, ends, ax)

    def to_table(self) -> TextTable:
        """The table for printing; with an interval, one row per cell with the two ends of its interval.

        >>> import bayou
        >>> posterior = bayou.examples.rain_and_wet_grass().query("Rain | WetGrass=yes")
        >>> print(posterior.to_table())
        P(Rain | WetGrass=yes)
        Rain  P
        no    0.3077  ███▏
        yes   0.6923  ██████▉
        """
        if self.interval is None:
            return super().to_table() if self.estimate is None else estimate_table(self, self.estimate)
        header = [*map(label, self.names), "P", *interval_headings(self.interval), ""]
        numbers = (self.to_array(), self.interval.lower, self.interval.upper)
        rows: list[list[Cell]] = [
            [*map(label, states), float(value), float(lower), float(upper), Bar(float(value))]
            for states, value, lower, upper in zip(
                state_tuples(self._data.schema), *(array.ravel() for array in numbers), strict=True
            )
        ]
        return TextTable(header, rows, title=self.title)

    def __repr__(self) -> str:
        return str(self)

    def _remarks(self) -> list[str]:
        """The lines printed below the table."""
        verified = getattr(self, "verified", None)
        remarks = [mean_text(self), records_text(self.interval), str(verified) if verified else ""]
        estimate = getattr(self, "estimate", None)
        remarks += self._verdict() + (str(estimate).splitlines() if estimate else [])
        return [remark for remark in remarks if remark]


AnyPosterior = Posterior | ContinuousPosterior | JointContinuousPosterior
"""The types of results of a query."""


def posterior_from(
    network: FrozenNetwork,
    question: Question,
    answer: Answer,
    marginal: Iterable[Name] = (),
    interval: CredibleInterval | None = None,
    verified: Verification | None = None,
) -> AnyPosterior:
    """Return the answer of an engine as a posterior with names, states and a title.

    ``marginal`` names the variables whose marginal was set (for the title).
    """
    if not question.targets:
        raise BadQuestion("Name at least one variable to ask for; log_evidence gives log P(findings) alone.")
    findings = Findings.of(network, question, marginal)
    if answer.table is None:
        if answer.joint is not None:
            title = posterior_title(question.targets, findings)
            return JointContinuousPosterior(title, answer.joint, answer.log_evidence, interval)
        assert answer.mixture is not None
        name, mixture = question.targets[0], answer.mixture
        return continuous_posterior(name, mixture, findings, answer.log_evidence, interval)
    schema = Schema([network.schema[name] for name in question.targets])
    table, log_evidence, doubts = answer.table, answer.log_evidence, (answer.convergence, answer.estimate)
    return Posterior(schema, table, findings, log_evidence, interval, verified, *doubts)


def plain_posterior(known: PlainAnswer) -> Posterior:
    """Return the answer to a plain question."""
    return Posterior(known.free, known.flat, Findings(known.observed, known.codes), known.log_evidence)


def interval_from(
    require_learned: Callable[[], FittedParameters],
    question: Question,
    marginals: Mapping[Name, Any],
    mass: Any,
) -> CredibleInterval:
    """The credible interval of each entry of a posterior, from its statistics and priors.

    Continuous targets have the intervals of their means; ``marginals`` are those that variables have after
    the update. ``require_learned`` returns the counts, or raises if there are none.
    """
    mass = interval_mass("interval", mass)
    learned = require_learned()
    found = explain.credible_interval(
        learned.network, question, learned.statistics, learned.priors, mass, marginals
    )
    return replace(found, expected=learned.expected)
