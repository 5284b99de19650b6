"""A sample of rows in a file keeps its hashes; one of an earlier file gives later rows their fair share."""

from __future__ import annotations

import numpy as np

from bayou.sources import open_source
from bayou.statistics import RowSample
from bayou.statistics.rows.row_sample import SampledRows


def sample_of(first: int, last: int, size: int) -> SampledRows:
    request = RowSample(("x", "y"), size)
    rows = {"x": [f"row {k}" for k in range(first, last)], "y": [k % 3 for k in range(first, last)]}
    return open_source(rows).collect([request])[request]


def test_a_sample_comes_back_from_its_state() -> None:
    sample = sample_of(0, 500, 100)
    again = SampledRows.from_state(sample.state())
    assert np.array_equal(again.hashes, sample.hashes)
    assert {**again.values} == {**sample.values}
    both, apart = sample + sample_of(500, 900, 100), again + sample_of(500, 900, 100)
    assert np.array_equal(both.hashes, apart.hashes)


def test_rows_added_to_the_sample_of_an_earlier_file_are_not_preferred() -> None:
    whole = sample_of(0, 8000, 8000)
    state = {key: value for key, value in whole.state().items() if key != "hashes"}
    earlier = SampledRows.from_state(state)  # all rows, ordered by the hashes of that time
    full = SampledRows(400, earlier.hashes[:400], earlier.weights[:400], earlier._first(400).values)
    loaded = SampledRows.from_state({key: value for key, value in full.state().items() if key != "hashes"})
    assert np.array_equal(loaded.hashes, full.hashes)
    added = loaded + sample_of(8000, 16000, 400)
    new = sum(int(name.split()[1]) >= 8000 for name in map(str, added.values["x"]))
    assert 140 < new < 260  # half of 400, within six standard deviations
