"""The posteriors of all variables at once: one light object over one array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou import inference
from bayou.errors import UnknownVariable
from bayou.frames import pandas_frame
from bayou.models.answers.continuous_posterior import ContinuousPosterior, continuous_posterior
from bayou.models.answers.estimate_texts import (
    error_cells,
    error_headings,
    reasons_for_doubt,
    worst_estimate,
)
from bayou.models.answers.interval_texts import interval_headings, mean_ends
from bayou.models.answers.loopy_verdict import LoopyVerdict
from bayou.models.answers.posterior import Posterior
from bayou.models.findings import Findings
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, label, state_labels
from bayou.text.tables import Bar, Cell, PrintedTable, TextTable
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    import pandas

    from bayou.explain import CredibleInterval
    from bayou.inference import Bounds, Estimate, MarginalAnswers, PlainAnswer, Question, SlicedTables
    from bayou.inference.loopy.convergence import Convergence


class Marginals(PrintedTable, LoopyVerdict, Mapping[Name, "Posterior | ContinuousPosterior"]):
    """P(variable | evidence) of every variable that is not given: a mapping of names to posteriors.

    A posterior is made when it is looked up; ``to_arrays``, ``to_dict`` and ``to_frame`` give all of them.

    >>> from bayou.models.network import Network
    >>> net = Network("Rain -> Wet", tables={
    ...     "Rain": {"no": 0.8, "yes": 0.2},
    ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}}})
    >>> print(net.marginals())
    variable  state  P
    Rain      no     0.8000  ████████
              yes    0.2000  ██
    Wet       no     0.7600  ███████▋
              yes    0.2400  ██▍
    >>> net.marginals({"Wet": "yes"})["Rain"]["yes"]
    0.6666666666666666
    """

    __slots__ = (
        "_continuous",
        "_convergence",
        "_findings",
        "_schema",
        "_tables",
        "estimates",
        "intervals",
        "log_evidence",
    )

    def __init__(
        self,
        schema: Schema,
        tables: SlicedTables,
        findings: Findings,
        log_evidence: float,
        continuous: Mapping[Name, ContinuousPosterior] | None = None,
        intervals: Mapping[Name, CredibleInterval] | None = None,
        convergence: Convergence | None = None,
        estimates: Mapping[Name, Estimate | Bounds] | None = None,
    ) -> None:
        self._schema, self._tables, self._findings = schema, tables, findings
        self._continuous = continuous or {}
        self.log_evidence = log_evidence
        """log P(evidence), natural logarithm."""
        self.intervals = intervals or {}
        """The credible interval of each variable, or of its mean, if they were asked for (``interval=``)."""
        self._convergence = convergence
        self.estimates = estimates or {}
        """The error of each table, if an engine estimated or bounded them; empty: exact."""

    @property
    def evidence(self) -> dict[Name, State]:
        """What is given: the state of each observed variable."""
        return self._findings.evidence

    @property
    def trusted(self) -> bool:
        """Whether all numbers may be relied on, by the rule of :attr:`Posterior.trusted`."""
        return not self.reasons

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why some numbers are not to be relied on; empty if all are."""
        return reasons_for_doubt([self.convergence, *self.estimates.values()])

    def __getitem__(self, name: Name) -> Posterior | ContinuousPosterior:
        if name in self._continuous:
            return self._continuous[name]
        if name not in self._tables:
            raise UnknownVariable.named(name, list(self), "among the variables that are not given")
        table = self._tables[name]
        ends = self.intervals.get(name)
        return Posterior(
            Schema([self._schema[name]]),
            table,
            self._findings,
            self.log_evidence,
            ends,
            convergence=self.convergence,
            estimate=self.estimates.get(name),
        )

    def __contains__(self, name: object) -> bool:
        return name in self._tables or name in self._continuous

    def __iter__(self) -> Iterator[Name]:
        if not self._continuous:
            return iter(self._tables)
        return (name for name in self._schema.names if name in self)

    def __len__(self) -> int:
        return len(self._tables) + len(self._continuous)

    def to_arrays(self) -> dict[Name, FloatArray]:
        """The probabilities of the states of each discrete variable, in the order of its states.

        >>> from bayou.models.network import Network
        >>> Network("A", tables={"A": {"x": 0.25, "y": 0.75}}).marginals().to_arrays()
        {'A': array([0.25, 0.75])}
        """
        return dict(self._tables.copy())

    def to_dict(self) -> dict[Name, dict[Any, float]]:
        """{variable: {state: probability}}; a continuous variable has its mean, std and 95 % interval.

        >>> from bayou.models.network import Network
        >>> Network("A", tables={"A": {"x": 0.25, "y": 0.75}}).marginals().to_dict()
        {'A': {'x': 0.25, 'y': 0.75}}
        """
        return {name: posterior.to_dict() for name, posterior in self.items()}

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with a row for each state of each discrete variable.

        >>> from bayou.models.network import Network
        >>> Network("A", tables={"A": {"x": 0.25, "y": 0.75}}).marginals().to_frame()
          variable state  probability
        0        A     x         0.25
        1        A     y         0.75
        """
        variables = [self._schema[name] for name in self._tables]
        cells = [(variable.name, state) for variable in variables for state in variable.states]
        columns: dict[str, Any] = {
            "variable": [name for name, _ in cells],
            "state": [state for _, state in cells],
            "probability": np.concatenate([np.empty(0), *self._tables.values()]),
        }
        if self.intervals:
            found = [self.intervals[name] for name in self._tables]
            columns["lower"] = np.concatenate([one.lower for one in found])
            columns["upper"] = np.concatenate([one.upper for one in found])
        if self.estimates:
            errors = [self.estimates[name] for name in self._tables]
            columns["standard_error"] = np.concatenate([one.standard_error for one in errors])
            columns["lower"] = np.concatenate([one.lower for one in errors])
            columns["upper"] = np.concatenate([one.upper for one in errors])
        return pandas_frame(columns, "Marginals.to_frame")

    def to_table(self) -> TextTable:
        """The probabilities laid out for printing, with bars; continuous variables by mean and std."""
        rows: list[list[Cell]] = []
        asked = next(iter(self.intervals.values()), None)
        error = next(iter(self.estimates.values()), None)
        ends_header = interval_headings(asked) if error is None else error_headings(error)
        for name in self:
            if name in self._continuous:
                found = self._continuous[name]
                shown = f"mean {found.mean:.6g}, std {found.std:.6g}"
                ends_of_mean = [""] * len(ends_header) if self.estimates else mean_ends(found.mean_interval)
                rows.append([label(name), shown, "", *ends_of_mean, ""])
                continue
            states = state_labels(self._schema[name].states)
            errors = error_cells(self.estimates[name]) if self.estimates else []
            for place, (state, value) in enumerate(zip(states, self._tables[name].tolist(), strict=True)):
                one = self.intervals.get(name)
                ends: list[Cell] = [] if one is None else [float(one.lower[place]), float(one.upper[place])]
                if errors:
                    ends = errors[place]
                rows.append([label(name) if not place else "", state, value, *ends, Bar(value)])
        shown = self._findings.text
        header = ["variable", "state", "P", *ends_header, ""]
        return TextTable(header, rows, title=f"given {shown}" if shown else "")

    def _remarks(self) -> list[str]:
        """The lines below the table: how loopy propagation ended, or how the numbers were estimated."""
        worst = worst_estimate(self.estimates.values())
        return [*self._verdict(), *([] if worst is None else str(worst).splitlines())]


def all_posteriors(
    network: FrozenNetwork,
    question: Question,
    answers: MarginalAnswers,
    intervals: Mapping[Name, CredibleInterval] | None = None,
) -> Marginals:
    """Return the answers of an engine as posteriors with names, states and titles."""
    findings = Findings.of(network, question)
    log_evidence = answers.log_evidence if question.has_findings else 0.0
    continuous = {
        name: continuous_posterior(name, mixture, findings, log_evidence, (intervals or {}).get(name))
        for name, mixture in answers.mixtures.items()
    }
    tables = inference.SlicedTables.packed(answers.tables)
    return Marginals(
        network.schema,
        tables,
        findings,
        log_evidence,
        continuous,
        intervals,
        answers.convergence,
        answers.estimates,
    )


def plain_posteriors(known: PlainAnswer) -> Marginals:
    """Return the answers to a plain question."""
    tables = inference.SlicedTables(known.flat, known.places)
    return Marginals(known.free, tables, Findings(known.observed, known.codes), known.log_evidence)
