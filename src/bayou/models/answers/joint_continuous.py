"""The joint posterior of several continuous variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayou.errors import UnknownVariable
from bayou.models.answers.interval_texts import interval_headings, mean_ends, records_text
from bayou.schema import label
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.explain import CredibleInterval
    from bayou.inference import JointMixture, Mixture


class JointContinuousPosterior(PrintedTable):
    """The joint posterior of several continuous variables: an exact mixture of multivariate Gaussians.

    >>> import bayou
    >>> net = bayou.Network("x -> y", continuous=["x", "y"]).set_gaussian("x", (1, 4))
    >>> net = net.set_gaussian("y", {"mean": 0, "variance": 1, "coefficients": {"x": 0.5}})
    >>> both = net.query(["x", "y"])
    >>> both.mean, both.covariance.tolist()
    ({'x': 1.0, 'y': 0.5}, [[4.0, 2.0], [2.0, 2.0]])
    """

    def __init__(
        self,
        title: str,
        mixture: JointMixture,
        log_evidence: float,
        mean_interval: CredibleInterval | None = None,
    ) -> None:
        self.names = mixture.names
        self.title = title
        self.mixture = mixture
        self.log_evidence = log_evidence
        self.mean_interval = mean_interval
        """How far the learned parameters leave the means uncertain (in the order of ``names``), if the query
        had ``interval=``."""

    @property
    def mean(self) -> dict[Name, float]:
        """The posterior mean of each variable."""
        return dict(zip(self.names, self.mixture.mean.tolist(), strict=True))

    @property
    def covariance(self) -> FloatArray:
        """The posterior covariance matrix; rows and columns are in the order of ``names``."""
        return self.mixture.covariance

    @property
    def std(self) -> dict[Name, float]:
        """The posterior standard deviation of each variable."""
        return dict(zip(self.names, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    def marginal(self, name: Name) -> Mixture:
        """The mixture of one of the variables.

        Raises ``UnknownVariable`` for a name that is not among the targets.

        >>> import bayou
        >>> net = bayou.Network("x -> y").fit({"x": [1.0, 3.0, 2.0], "y": [1.0, 2.5, 2.0]})
        >>> posterior = net.query(["x", "y"])
        >>> round(posterior.marginal("y").mean, 3)
        1.833
        """
        if name not in self.names:
            raise UnknownVariable.named(name, self.names, f"in {self.title}")
        return self.mixture.single(name)

    def to_table(self) -> TextTable:
        """One row per variable: mean, standard deviation, and its covariance with each variable.

        >>> import bayou
        >>> net = bayou.Network("x -> y").fit({"x": [1.0, 3.0, 2.0], "y": [1.0, 2.5, 2.0]})
        >>> posterior = net.query(["x", "y"])
        >>> print(posterior.to_table())
        P(x, y)
           mean     std       cov(x)    cov(y)
        x  2        0.816497  0.666667  0.5
        y  1.83333  0.62361   0.5       0.388889
        """
        covariance, mean, std = self.covariance, self.mean, self.std
        rows = [
            [
                label(name),
                f"{mean[name]:.6g}",
                *mean_ends(self.mean_interval, k),
                f"{std[name]:.6g}",
                *(f"{c:.6g}" for c in covariance[k]),
            ]
            for k, name in enumerate(self.names)
        ]
        ends = interval_headings(self.mean_interval, "mean ")
        header = ["", "mean", *ends, "std", *(f"cov({label(name)})" for name in self.names)]
        return TextTable(header, rows, title=self.title)

    def _remarks(self) -> list[str]:
        return [remark] if (remark := records_text(self.mean_interval)) else []
