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
        """The density at some points."""
        points = np.asarray(x, dtype=np.float64)[..., None]
        mixture = self.mixture
        scale = np.sqrt(2 * np.pi * mixture.variances)
        bumps = np.exp(-0.5 * (points - mixture.means) ** 2 / mixture.variances) / scale
        density: FloatArray = bumps @ mixture.weights
        return density

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """The central interval that holds this much of the probability."""
        return self.quantile((1 - mass) / 2), self.quantile((1 + mass) / 2)

    def quantile(self, q: float) -> float:
        """The value below which a share ``q`` of the probability lies."""
        from scipy.optimize import brentq
        from scipy.special import ndtr

        mixture = self.mixture
        spread = np.sqrt(mixture.variances)
        low = float((mixture.means - 40 * spread).min())
        high = float((mixture.means + 40 * spread).max())
        return float(
            brentq(lambda x: float(mixture.weights @ ndtr((x - mixture.means) / spread)) - q, low, high)
        )

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
