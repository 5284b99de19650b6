"""Bayes' theorem on given numbers, with the calculation written out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bayou.errors import BadQuestion, BadTable, ImpossibleEvidence
from bayou.probability.bayes_calculation import latex_working, text_working
from bayou.probability.probability_table import ProbabilityTable
from bayou.probability.table_values import stated_number
from bayou.schema.states import label
from bayou.schema.variable import Variable
from bayou.typing import State

Likelihood = Mapping[Any, float] | Mapping[Any, Mapping[Any, float]] | ProbabilityTable


@dataclass(frozen=True)
class BayesResult:
    """The posterior of each hypothesis; printing it shows the calculation.

    ``likelihood`` is P(findings | hypothesis) of all findings together, ``factors`` that of each finding.
    """

    prior: dict[Any, float]
    likelihood: dict[Any, float]
    posterior: dict[Any, float]
    log_evidence: float
    factors: tuple[tuple[float, ...], ...]
    observed: tuple[State, ...]

    @property
    def evidence(self) -> float:
        """P(findings), the sum of the joint; if it is too small for a float, use log_evidence."""
        return sum(self.joint.values())

    @property
    def joint(self) -> dict[Any, float]:
        """P(findings and hypothesis) for each hypothesis."""
        return {name: self.likelihood[name] * prior for name, prior in self.prior.items()}

    @property
    def map(self) -> State:
        """The hypothesis with the largest posterior (the first of equals)."""
        best: State = max(self.posterior, key=self.posterior.__getitem__)
        return best

    @property
    def ml(self) -> State:
        """The hypothesis with the largest likelihood, regardless of the prior (the first of equals)."""
        columns = zip(*self.factors, strict=True)
        logs = dict(zip(self.prior, map(_log_product, columns), strict=True))
        best: State = max(logs, key=logs.__getitem__)
        return best

    def __getitem__(self, hypothesis: State) -> float:
        return self.posterior[_hypotheses(self.prior).states[_hypotheses(self.prior).code(hypothesis)]]

    def __str__(self) -> str:
        ends = f"MAP hypothesis: {label(self.map)}. Maximum likelihood hypothesis: {label(self.ml)}."
        return "\n".join([*text_working(self), ends])

    def to_latex(self) -> str:
        """The working as an ``align*`` environment.

        >>> bayes_rule({"a": 0.5, "b": 0.5}, {"a": 0.8, "b": 0.2}).to_latex().splitlines()[0]
        '\\\\begin{align*}'
        """
        return "\\begin{align*}\n" + " \\\\\n".join(latex_working(self)) + "\n\\end{align*}"

    def _repr_latex_(self) -> str:
        return "$$\\begin{aligned}\n" + " \\\\\n".join(latex_working(self)) + "\n\\end{aligned}$$"


def bayes_rule(
    prior: Mapping[Any, float] | ProbabilityTable, likelihood: Likelihood, observed: Any = None
) -> BayesResult:
    """P(hypothesis | findings) from P(hypothesis) and P(finding | hypothesis).

    ``likelihood`` is one number per hypothesis, or a row of probabilities of all possible findings per
    hypothesis (a mapping or a table), of which ``observed`` is the actual one. A list of several findings
    is allowed; they are independent given the hypothesis.

    Raises ``BadTable`` if probabilities do not sum to 1.

    >>> print(bayes_rule({"cancer": .008, "healthy": .992}, {"cancer": .98, "healthy": .03}, observed="+"))
    P(cancer | +) = 0.98 × 0.008 / (0.98 × 0.008 + 0.03 × 0.992) = 0.00784 / 0.0376 = 0.2085
    P(healthy | +) = 0.03 × 0.992 / (0.98 × 0.008 + 0.03 × 0.992) = 0.02976 / 0.0376 = 0.7915
    MAP hypothesis: healthy. Maximum likelihood hypothesis: cancer.
    """
    by_hypothesis = _read_prior(prior)
    if isinstance(prior, ProbabilityTable) and isinstance(likelihood, ProbabilityTable):
        _check_same_variable(prior, likelihood)
    factors = _factors(likelihood, _hypotheses(by_hypothesis), observed)
    likelihoods, posterior, log_evidence = _posterior(list(by_hypothesis.values()), factors, observed)
    return BayesResult(
        prior=by_hypothesis,
        likelihood=dict(zip(by_hypothesis, likelihoods, strict=True)),
        posterior=dict(zip(by_hypothesis, posterior, strict=True)),
        log_evidence=log_evidence,
        factors=factors,
        observed=_findings(observed),
    )


def _log_product(values: Sequence[float]) -> float:
    return math.fsum(map(math.log, values)) if all(values) else -math.inf


def _read_prior(prior: Any) -> dict[Any, float]:
    """Return the prior by hypothesis, from a mapping or a table of one variable."""
    if isinstance(prior, Mapping):
        return ProbabilityTable.distribution("hypothesis", prior).to_dict()
    if not isinstance(prior, ProbabilityTable):
        raise BadTable(
            f"The prior must be a mapping hypothesis -> probability or a ProbabilityTable; got {prior!r}."
        )
    if len(prior.names) != 1:
        raise BadTable(f"The prior must have one variable; this is {prior.title}.")
    return prior.to_dict()


def _hypotheses(prior: Mapping[Any, float]) -> Variable:
    return Variable("hypothesis", prior)


def _findings(observed: Any) -> tuple[State, ...]:
    """Return the findings as a tuple; only a list means several, None means none."""
    if observed is None:
        return ()
    return tuple(observed) if isinstance(observed, list) else (observed,)


def _factors(likelihood: Any, hypotheses: Variable, observed: Any) -> tuple[tuple[float, ...], ...]:
    """For each finding, P(finding | hypothesis) in the order of the hypotheses."""
    if isinstance(likelihood, ProbabilityTable):
        rows = _rows_of_table(likelihood)
    elif isinstance(likelihood, Mapping):
        rows = dict(likelihood)
    else:
        raise BadTable(
            f"The likelihood must be a mapping from hypotheses or a ProbabilityTable; got {likelihood!r}."
        )
    by_code = {hypotheses.code(name): row for name, row in rows.items()}
    for code, name in enumerate(hypotheses.states):
        if code not in by_code:
            raise BadTable(f"There is no likelihood for the hypothesis {name!r}; add it, 0 if impossible.")
    in_order = {name: by_code[code] for code, name in enumerate(hypotheses.states)}
    if any(isinstance(row, Mapping) for row in in_order.values()):
        return _factors_of_rows(in_order, observed)
    if isinstance(observed, list):
        raise BadQuestion("Several findings need a row of probabilities for each hypothesis, not one number.")
    return (tuple(stated_number(p, f"The likelihood of {name!r}") for name, p in in_order.items()),)


def _factors_of_rows(rows: Mapping[Any, Any], observed: Any) -> tuple[tuple[float, ...], ...]:
    """For each finding, its probability in the row of each hypothesis."""
    table = ProbabilityTable.conditional("finding", rows, given="hypothesis")
    findings = _findings(observed)
    if not findings:
        states = ", ".join(repr(state) for state in table.variables[1].states)
        raise BadQuestion(
            f"Which finding was observed? Pass observed=…, one of {states} (or a list of them)."
        )
    return tuple(tuple(table[name, finding] for name in rows) for finding in findings)


def _check_same_variable(prior: ProbabilityTable, likelihood: ProbabilityTable) -> None:
    """Raise if the likelihood is not conditional on the variable of the prior."""
    if likelihood.conditions != prior.names:
        raise BadTable(
            f"The prior is {prior.title}, so the likelihood must be given {label(prior.names[0])}; "
            f"it is {likelihood.title}."
        )


def _rows_of_table(table: ProbabilityTable) -> dict[Any, dict[Any, float]]:
    """Return the rows of P(finding | hypothesis) by hypothesis and finding."""
    if len(table.targets) != 1 or len(table.conditions) != 1:
        raise BadTable(f"The likelihood must be P(finding | hypothesis); this is {table.title}.")
    finding = next(variable for variable in table.variables if variable.name == table.targets[0])
    given = next(variable for variable in table.variables if variable.name == table.conditions[0])
    return {
        name: {state: row[state] for state in finding.states}
        for name in given.states
        for row in [table.condition({given.name: name})]
    }


def _posterior(
    prior: Sequence[float], factors: Sequence[Sequence[float]], observed: Any
) -> tuple[list[float], list[float], float]:
    """Return likelihoods, posteriors and log P(findings).

    The products are scaled by powers of 2, which avoids underflow without rounding.
    """
    scaled = [math.frexp(weight) for weight in prior]
    for row in factors:
        scaled = [_times(weight, factor) for weight, factor in zip(scaled, row, strict=True)]
        if not any(mantissa for mantissa, _ in scaled):
            found = ", ".join(label(finding) for finding in _findings(observed)) or "the finding"
            raise ImpossibleEvidence(
                f"No hypothesis with a prior above 0 allows {found}: its probability is 0."
            )
    top = max(power for mantissa, power in scaled if mantissa)
    weights = [math.ldexp(mantissa, power - top) for mantissa, power in scaled]
    total = math.fsum(weights)
    likelihoods = [math.prod(column) for column in zip(*factors, strict=True)]
    return likelihoods, [weight / total for weight in weights], math.log(total) + top * math.log(2)


def _times(scaled: tuple[float, int], factor: float) -> tuple[float, int]:
    """A product of a number m · 2^power, given as (m, power), in the same form: nothing underflows."""
    first, second = math.frexp(factor), scaled
    mantissa, power = math.frexp(first[0] * second[0])
    return mantissa, power + first[1] + second[1]
