"""Statistics of 500 MB come to the driver in pieces: no message and no memory of Spark is too small."""

from __future__ import annotations

import numpy as np
from tests.spark.java import session

from bayou.sources import open_source

PARTITIONS = 5
CELLS = 12_500_000
"""Of 8 bytes: 100 MB for each partition."""
STEP = CELLS // 97


def test_half_a_gigabyte_of_statistics() -> None:
    frame = session().range(0, 1000, 1, PARTITIONS).selectExpr("cast(id % 97 as int) as a").cache()
    source = open_source(frame)
    (variable,) = source.with_all_states(["a"])
    assert variable.states == tuple(range(97))
    found = source.map_batches(
        lambda batch: np.bincount(batch.codes["a"].astype(np.int64) * STEP, minlength=CELLS).astype(float),
        [variable],
    )
    expected = np.bincount(np.arange(1000) % 97 * STEP, minlength=CELLS)
    assert found.nbytes * PARTITIONS == 500_000_000
    assert np.array_equal(found, expected)
    frame.unpersist()
