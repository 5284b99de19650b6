"""The E-step of EM as a kernel over batches of rows."""

from __future__ import annotations

from dataclasses import dataclass

from bayou.inference.expectation.expected_counts import expected_counts
from bayou.inference.expectation.expected_moments import expected_moments
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch


@dataclass(frozen=True)
class ExpectationKernel:
    """Computes the expected statistics of a batch of rows under this network.

    >>> import bayou, numpy as np
    >>> from bayou.statistics import CountTable
    >>> net = bayou.Network("A", tables={"A": {"x": 0.25, "y": 0.75}})
    >>> kernel = ExpectationKernel(net.frozen)
    >>> expected = kernel(Batch(3, {"A": np.array([0, 1, 255], dtype=np.uint8)}, {}))
    >>> expected.statistics[CountTable(("A",))].values.tolist()
    [1.25, 1.75]
    """

    network: FrozenNetwork

    def __call__(self, batch: Batch) -> Expectation:
        mixed = any(variable.is_continuous for variable in self.network.schema)
        return expected_moments(self.network, batch) if mixed else expected_counts(self.network, batch)
