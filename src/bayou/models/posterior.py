"""What a query returns: a table that knows its evidence, or the Gaussian mixture of a continuous variable."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.errors import BadQuestion
from bayou.inference import Answer, Mixture, Question, Verification
from bayou.models.probability_table import ProbabilityTable
from bayou.models.table_algebra import LabelledArray
from bayou.models.text_table import TextTable
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, label
from bayou.typing import FloatArray, Name, State


class Posterior(ProbabilityTable):
    """P(targets | evidence): a :class:`ProbabilityTable` with the evidence and log P(evidence).

    >>> from bayou.models.network import Network
    >>> posterior = Network("R", tables={"R": {"no": 0.8, "yes": 0.2}}).query("R")
    >>> posterior["yes"], posterior.to_dict(), posterior.log_evidence
    (0.2, {'no': 0.8, 'yes': 0.2}, 0.0)
    """

    __slots__ = ("evidence", "log_evidence", "verified")

    evidence: dict[Name, State]
    log_evidence: float
    verified: Verification | None
    """The second engine and the largest gap, where the query was asked with ``verify=True``."""

    def __str__(self) -> str:
        verified = getattr(self, "verified", None)
        return f"{self.to_table()}\n{verified}" if verified else str(self.to_table())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        verified = getattr(self, "verified", None)
        return self.to_table()._repr_html_() + (f"<p>{verified}</p>" if verified else "")


class ContinuousPosterior:
    """The posterior of a continuous variable: a mixture of Gaussians, exact."""

    def __init__(self, name: Name, title: str, mixture: Mixture, log_evidence: float) -> None:
        self.name = name
        self.title = title
        self.mixture = mixture
        self.log_evidence = log_evidence

    @property
    def mean(self) -> float:
        """The posterior mean."""
        return self.mixture.mean

    @property
    def variance(self) -> float:
        """The posterior variance."""
        return self.mixture.variance

    @property
    def std(self) -> float:
        """The posterior standard deviation."""
        return float(np.sqrt(self.variance))

    def density(self, x: Any) -> FloatArray:
        """The density at some points; a component that has no width is infinite at its own value."""
        try:
            points = np.asarray("" if x is None else x, dtype=np.float64)[..., None]
        except (TypeError, ValueError):
            raise BadQuestion(f"The density of {self.name!r} is asked at numbers, not at {x!r}.") from None
        mixture = self.mixture
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            bumps = np.exp(-0.5 * self._units(points) ** 2) / np.sqrt(2 * np.pi * mixture.variances)
        bumps = np.where((mixture.variances == 0) & (points != mixture.means), 0.0, bumps)
        density: FloatArray = np.where(mixture.weights > 0, bumps * mixture.weights, 0.0).sum(axis=-1)
        return density

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """The central interval that holds this much of the probability."""
        share = _share(mass, "interval(mass)")
        return self.quantile((1 - share) / 2), self.quantile((1 + share) / 2)

    def quantile(self, q: float) -> float:
        """The value below which a share ``q`` of the probability lies (at 0 and 1 without bound)."""
        share = _share(q, "quantile(q)")
        if share in (0.0, 1.0):
            return -np.inf if share == 0 else np.inf
        return _mixture_quantile(self.mixture, share)

    def _units(self, points: FloatArray) -> FloatArray:
        """How many standard deviations points are from each component's mean; no width: 0 or infinite."""
        gap = points - self.mixture.means
        widths = np.sqrt(self.mixture.variances)
        far = np.where(gap == 0, 0.0, np.copysign(np.inf, gap))
        result: FloatArray = np.where(widths > 0, gap / np.where(widths > 0, widths, 1.0), far)
        return result

    def to_table(self) -> TextTable:
        """Mean, standard deviation and a central interval."""
        low, high = self.interval()
        row = [
            f"{self.mean:.6g}",
            f"{self.std:.6g}",
            f"{low:.6g} … {high:.6g}",
            str(len(self.mixture.weights)),
        ]
        return TextTable(["mean", "std", "95 % within", "components"], [row], title=self.title)

    def __str__(self) -> str:
        return str(self.to_table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()


def _mixture_quantile(mixture: Mixture, share: float) -> float:
    """The smallest x with this share of the mixture at or below it.

    It lies between the quantiles of the components; halving goes on to neighbouring floats, so that no
    tolerance has to know the unit of the variable.
    """
    from scipy.special import ndtr, ndtri

    widths = np.sqrt(mixture.variances)

    def reached(x: float) -> bool:
        gap = x - mixture.means
        step = np.where(gap >= 0, np.inf, -np.inf)
        units = np.where(widths > 0, gap / np.where(widths > 0, widths, 1.0), step)
        return float(mixture.weights @ ndtr(units)) >= share

    own = mixture.means + widths * ndtri(share)
    low, high = float(own.min()), float(own.max())
    if reached(low):
        return low
    while True:
        middle = low / 2 + high / 2
        if not low < middle < high:
            return high
        low, high = (low, middle) if reached(middle) else (middle, high)


def _share(given: Any, what: str) -> float:
    """A share of the probability, from 0 to 1."""
    is_number = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
    if is_number and 0 <= given <= 1:
        return float(given)
    raise BadQuestion(f"{what} takes a share of the probability, from 0 to 1, not {given!r}.")


def posterior_from(
    network: FrozenNetwork, question: Question, answer: Answer, verified: Verification | None = None
) -> Posterior | ContinuousPosterior:
    """An answer with its names put back."""
    if not question.targets:
        raise BadQuestion("Name at least one variable to ask for; log_evidence gives P(findings) alone.")
    evidence: dict[Name, State] = {
        name: _told(network, name, value) for name, value in question.evidence.items()
    }
    set_by_hand: dict[Name, State] = {
        f"do({label(name)})": _told(network, name, v) for name, v in question.do.items()
    }
    soft: dict[Name, State] = {f"likelihood of {label(name)}": "…" for name in question.likelihood}
    findings = tuple({**evidence, **set_by_hand, **soft}.items())
    if answer.mixture is not None:
        name = question.targets[0]
        shown = ", ".join(f"{label(key)}={label(value)}" for key, value in findings)
        title = f"P({label(name)} | {shown})" if shown else f"P({label(name)})"
        return ContinuousPosterior(name, title, answer.mixture, answer.log_evidence)
    assert answer.table is not None
    schema = Schema(network.schema[name] for name in question.targets)
    posterior = Posterior.of(LabelledArray(schema, answer.table, (), findings))
    assert isinstance(posterior, Posterior)
    posterior.evidence = evidence
    posterior.log_evidence = answer.log_evidence
    posterior.verified = verified
    return posterior


def _told(network: FrozenNetwork, name: Name, value: float) -> State:
    variable = network.schema[name]
    return float(value) if variable.is_continuous else variable.states[int(value)]
