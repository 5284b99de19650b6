"""The E-step of EM as a kernel over batches of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bayou.inference.expectation.barren_cells import barren_columns
from bayou.inference.expectation.barren_moments import moments_without_barren
from bayou.inference.expectation.expected_counts import expected_counts
from bayou.inference.expectation.expected_moments import expected_moments
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch
from bayou.typing import CodeArray, Name


@dataclass(frozen=True)
class ExpectationKernel:
    """Computes the expected statistics of a batch of rows under this network.

    >>> import bayou, numpy as np
    >>> from bayou.statistics import CountTable
    >>> net = bayou.Network("A", tables={"A": {"x": 0.25, "y": 0.75}})
    >>> kernel = ExpectationKernel(net.frozen, fill_all=True)
    >>> expected = kernel(Batch(3, {"A": np.array([0, 1, 255], dtype=np.uint8)}, {}))
    >>> expected.statistics[CountTable(("A",))].values.tolist()
    [1.25, 1.75]
    >>> expected = ExpectationKernel(net.frozen)(Batch(3, {"A": np.array([0, 1, 255], dtype=np.uint8)}, {}))
    >>> expected.statistics[CountTable(("A",))].values.tolist()
    [1.0, 1.0]
    """

    network: FrozenNetwork
    fill_all: bool = False
    """Whether rows that tell nothing about a variable are filled in too, as textbooks have it."""
    barren: Mapping[Name, CodeArray] | None = None
    """The result of :func:`barren_columns` for the batch, if it is known already."""

    def __call__(self, batch: Batch) -> Expectation:
        if any(variable.is_continuous for variable in self.network.schema):
            expected = expected_moments if self.fill_all else moments_without_barren
            return expected(self.network, batch)
        if self.fill_all:
            return expected_counts(self.network, batch)
        barren = self.barren if self.barren is not None else barren_columns(self.network, batch)
        return expected_counts(self.network, batch, barren=barren)
