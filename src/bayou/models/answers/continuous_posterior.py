"""The posterior of a continuous variable: a mixture of Gaussians."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import real_number
from bayou.errors import BadQuestion, MissingPackage
from bayou.frames import pandas_frame
from bayou.models.answers.interval_texts import interval_headings, mean_ends, records_text
from bayou.models.findings import Findings
from bayou.schema import label
from bayou.special_functions import ndtr, ndtri
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    import pandas

    from bayou.explain import CredibleInterval
    from bayou.inference import Mixture

_SHARE = "give a share of the probability, from 0 to 1"


class ContinuousPosterior(PrintedTable):
    """The posterior of a continuous variable: an exact mixture of Gaussians.

    >>> import bayou
    >>> net = bayou.Network("a -> b").fit({"a": [0.1, 1.2, 1.9, 3.2], "b": [0.0, 2.5, 4.1, 6.2]})
    >>> found = net.query("b", given={"a": 2})
    >>> round(found.mean, 3), [round(end, 2) for end in found.interval(0.9)]
    (4.002, [3.65, 4.35])
    """

    def __init__(
        self,
        name: Name,
        title: str,
        mixture: Mixture,
        log_evidence: float,
        mean_interval: CredibleInterval | None = None,
    ) -> None:
        self.name = name
        self.title = title
        self.mixture = mixture
        self.log_evidence = log_evidence
        self.mean_interval = mean_interval
        """How far the learned parameters leave the mean uncertain, if the query had ``interval=``."""

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
        """The density at the given points; a component of variance 0 has infinite density at its mean.

        ``x`` is a number or an array.

        Raises ``BadQuestion`` for points that are no numbers.

        >>> import bayou
        >>> posterior = bayou.Network("x").fit({"x": [1.0, 3.0, 2.0]}).query("x")
        >>> posterior.density([2.0, 5.0]).round(4).tolist()
        [0.4886, 0.0006]
        """
        try:
            points = np.asarray("" if x is None else x, dtype=np.float64)[..., None]
        except (TypeError, ValueError):
            raise BadQuestion(f"The density of {self.name!r} needs numbers, not {x!r}.") from None
        mixture = self.mixture
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            bumps = np.exp(-0.5 * self._units(points) ** 2) / np.sqrt(2 * np.pi * mixture.variances)
        bumps = np.where((mixture.variances == 0) & (points != mixture.means), 0.0, bumps)
        density: FloatArray = np.where(mixture.weights > 0, bumps * mixture.weights, 0.0).sum(axis=-1)
        return density

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """The ends of the central interval with this probability inside.

        Raises ``BadQuestion`` for a ``mass`` that is not between 0 and 1.

        >>> import bayou
        >>> posterior = bayou.Network("x").fit({"x": [1.0, 3.0, 2.0]}).query("x")
        >>> [round(end, 3) for end in posterior.interval(0.9)]
        [0.657, 3.343]
        """
        share = real_number("mass", mass, 0, 1, expected=_SHARE)
        return self.quantile((1 - share) / 2), self.quantile((1 + share) / 2)

    def quantile(self, q: float) -> float:
        """The value with probability ``q`` at or below it (-inf for q=0, inf for q=1).

        Raises ``BadQuestion`` for a ``q`` that is not between 0 and 1.

        >>> import bayou
        >>> posterior = bayou.Network("x").fit({"x": [1.0, 3.0, 2.0]}).query("x")
        >>> round(posterior.quantile(0.5), 3)
        2.0
        """
        share = real_number("q", q, 0, 1, expected=_SHARE)
        if share in (0.0, 1.0):
            return -np.inf if share == 0 else np.inf
        return _mixture_quantile(self.mixture, share)

    def _units(self, points: FloatArray) -> FloatArray:
        """Distance from each component's mean in standard deviations; for variance 0 it is 0 or infinite."""
        gap = points - self.mixture.means
        widths = np.sqrt(self.mixture.variances)
        far = np.where(gap == 0, 0.0, np.copysign(np.inf, gap))
        result: FloatArray = np.where(widths > 0, gap / np.where(widths > 0, widths, 1.0), far)
        return result

    def to_dict(self) -> dict[str, float]:
        """Mean, standard deviation and the ends of the central 95 % interval.

        With a credible interval of the mean also its ends, ``mean_low`` and ``mean_high``.

        >>> from bayou.models.network import Network
        >>> Network("x").fit({"x": [1.0, 3.0]}).query("x").to_dict()["mean"]
        2.0
        """
        low, high = self.interval()
        found = {"mean": self.mean, "std": self.std, "low": low, "high": high}
        if self.mean_interval is not None:
            found["mean_low"] = float(self.mean_interval.lower)
            found["mean_high"] = float(self.mean_interval.upper)
        return found

    def to_series(self) -> pandas.Series[float]:
        """The dict of :meth:`to_dict` as a pandas Series.

        >>> import bayou
        >>> posterior = bayou.Network("x").fit({"x": [1.0, 3.0, 2.0]}).query("x")
        >>> round(float(posterior.to_series()["mean"]), 3)
        2.0
        """
        try:
            import pandas
        except ImportError:
            raise MissingPackage.needed("pandas", "ContinuousPosterior.to_series") from None
        return pandas.Series(self.to_dict(), name=self.title)

    def to_frame(self) -> pandas.DataFrame:
        """The components of the mixture as a pandas DataFrame: weight, mean, standard deviation.

        >>> import bayou
        >>> posterior = bayou.Network("x").fit({"x": [1.0, 3.0, 2.0]}).query("x")
        >>> posterior.to_frame().round(3).to_dict("list")
        {'weight': [1.0], 'mean': [2.0], 'std': [0.816]}
        """
        parts = self.mixture
        columns = {"weight": parts.weights, "mean": parts.means, "std": np.sqrt(parts.variances)}
        return pandas_frame(columns, "ContinuousPosterior.to_frame")

    def to_table(self) -> TextTable:
        """Mean (with its credible interval, if there is one), standard deviation and a central interval.

        >>> import bayou
        >>> posterior = bayou.Network("x").fit({"x": [1.0, 3.0, 2.0]}).query("x")
        >>> print(posterior.to_table())
        P(x)
        mean  std       95 % within        components
        2     0.816497  0.399696 … 3.6003  1
        """
        low, high = self.interval()
        row = [
            f"{self.mean:.6g}",
            *mean_ends(self.mean_interval),
            f"{self.std:.6g}",
            f"{low:.6g} … {high:.6g}",
            str(len(self.mixture.weights)),
        ]
        header = ["mean", *interval_headings(self.mean_interval, "mean "), "std", "95 % within", "components"]
        return TextTable(header, [row], title=self.title)

    def _remarks(self) -> list[str]:
        return [remark] if (remark := records_text(self.mean_interval)) else []


def _mixture_quantile(mixture: Mixture, share: float) -> float:
    """Return the smallest x with Σ weight · Φ((x − mean) / std) ≥ share, by bisection.

    It lies between the smallest and the largest quantile of the components. Bisection continues to
    neighbouring floats, so that no tolerance in the unit of the variable is needed.
    """
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


def continuous_posterior(
    name: Name,
    mixture: Mixture,
    findings: Findings,
    log_evidence: float,
    interval: CredibleInterval | None = None,
) -> ContinuousPosterior:
    """The posterior of one continuous variable, with its title (and the interval of its mean)."""
    title = posterior_title([name], findings)
    return ContinuousPosterior(name, title, mixture, log_evidence, interval)


def posterior_title(targets: Iterable[Name], findings: Findings) -> str:
    """The notation of the blackboard: ``P(height | sex=f)``."""
    left, right = ", ".join(map(label, targets)), findings.text
    return f"P({left} | {right})" if right else f"P({left})"
