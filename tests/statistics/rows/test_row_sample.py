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


def test_after_a_subtraction_it_is_a_sample_of_the_rows_that_are_left() -> None:
    first, later = sample_of(0, 4000, 400), sample_of(4000, 8000, 400)
    left = first - sample_of(0, 2000, 4000)
    assert 150 < len(left.hashes) < 250
    again = SampledRows.from_state(left.state())
    places = np.searchsorted(sample_of(4000, 8000, 4000).hashes, first.hashes[-1])
    for one in (left, again):
        for both in (one + later, later + one):
            assert (both.hashes <= first.hashes[-1]).all()
            assert len(both.hashes) == min(400, len(left.hashes) + places)
    request = RowSample(("x", "y"), 400)
    batch = open_source({"x": ["row 1"], "y": [1]})
    assert (left + batch.collect([request])[request]).largest == left.largest == int(first.hashes[-1])


def test_sums_and_splits_give_the_same_sample_and_the_same_limit() -> None:
    whole = sample_of(0, 3000, 200)
    for cut in (100, 200, 2900):
        one, other = sample_of(0, cut, 200), sample_of(cut, 3000, 200)
        for both in (one + other, other + one):
            assert np.array_equal(both.hashes, whole.hashes)
            assert both.largest == whole.largest
