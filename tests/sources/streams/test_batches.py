"""Any iterator of batches is data: the same counts as one table, in one pass where one pass is enough."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayou
from bayou.errors import BadData, UnknownVariable

ROWS = 900


def table() -> pd.DataFrame:
    random = np.random.default_rng(1)
    sky = random.choice(["blue", "grey", "white"], ROWS)
    wind = random.integers(0, 4, ROWS)
    return pd.DataFrame({"sky": sky, "wind": wind, "heat": random.normal(wind, 1.0)})


def parts(size: int = 70) -> Iterator[pd.DataFrame]:
    whole = table()
    yield from (whole[start : start + size] for start in range(0, ROWS, size))


def net() -> bayou.Network:
    return bayou.Network("sky -> wind; sky -> heat")


KINDS: dict[str, Callable[[], Any]] = {
    "generator": parts,
    "list": lambda: list(parts()),
    "function": lambda: parts,
    "dicts": lambda: (part.to_dict("list") for part in parts()),
    "rows": lambda: (part.to_dict("records") for part in parts()),
    "polars": lambda: (pl.from_pandas(part) for part in parts()),
    "Arrow batches": lambda: pa.Table.from_pandas(table()).to_batches(max_chunksize=64),
}
READERS: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.read_csv(io.StringIO(table().to_csv(index=False)), chunksize=70),
    "Arrow": lambda: pa.Table.from_pandas(table()).to_reader(max_chunksize=64),
}


def same(found: bayou.Network, expected: bayou.Network) -> None:
    for name in ("sky", "wind"):
        assert found.statistics[name] == expected.statistics[name]
    one, other = found.statistics["heat"], expected.statistics["heat"]
    np.testing.assert_allclose(one.mean, other.mean, rtol=1e-10)
    np.testing.assert_allclose(one.scatter, other.scatter, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_batches_of_every_kind_give_the_counts_of_the_whole(kind: str) -> None:
    same(net().fit(bayou.from_batches(KINDS[kind]())), net().fit(table()))


@pytest.mark.parametrize("kind", READERS)
def test_readers_are_data_as_they_are(kind: str) -> None:
    same(net().fit(READERS[kind]()), net().fit(table()))


def with_gaps() -> Iterator[pd.DataFrame]:
    for part in parts():
        changed = part.astype({"wind": float})
        changed.iloc[3, 1] = np.nan
        yield changed


def test_an_iterator_is_read_once_and_the_error_tells_the_remedy() -> None:
    with pytest.raises(BadData, match=r"only once.*from_batches\(lambda: …\).*keep=True"):
        net().fit(bayou.from_batches(with_gaps()))
    expected = net().fit(pd.concat(with_gaps()))
    for data in (bayou.from_batches(with_gaps), bayou.from_batches(with_gaps(), keep=True)):
        found = net().fit(data)
        np.testing.assert_allclose(found.frozen.table("wind"), expected.frozen.table("wind"), atol=1e-9)


def test_the_same_iterator_is_not_read_twice_by_mistake() -> None:
    data = bayou.from_batches(parts())
    net().fit(data)
    with pytest.raises(BadData, match="only once"):
        net().fit(data)
    kept = bayou.from_batches(parts(), keep=True)
    same(net().fit(kept), net().fit(kept))


def test_new_states_in_later_batches() -> None:
    batches = [{"A": ["x", "y"]}, {"A": ["z", "x"]}]
    found = bayou.Network("A").fit(bayou.from_batches(iter(batches)))
    assert found.same_as(bayou.Network("A").fit({"A": ["x", "y", "z", "x"]}))


def test_a_column_that_begins_with_gaps() -> None:
    batches = [
        {"A": [None, None], "B": ["u", "v"]},
        {"A": [1.5, 2.5], "B": ["u", "v"]},
        {"A": [0.5, 3.5], "B": ["u", "v"]},
    ]
    whole = {name: [value for part in batches for value in part[name]] for name in "AB"}
    found = bayou.Network("B -> A").fit(bayou.from_batches(iter(batches)), method="count")
    np.testing.assert_allclose(
        found.statistics["A"].mean, bayou.Network("B -> A").fit(whole, method="count").statistics["A"].mean
    )


def test_weights_in_a_column() -> None:
    batches = [{"A": ["x", "y"], "w": [2, 1]}, {"A": ["x", "x"], "w": [0, 5]}]
    found = bayou.Network("A").fit(bayou.from_batches(iter(batches)), weights="w")
    assert found.statistics["A"].values.tolist() == [7, 1]
    stream = bayou.from_batches(iter(batches), weights="w")
    assert bayou.Network("A").fit(stream).statistics["A"].values.tolist() == [7, 1]
    with pytest.raises(BadData, match="name of a column"):
        bayou.Network("A").fit(bayou.from_batches(iter(batches)), weights=[1, 2, 3, 4])


def test_a_type_that_changes_is_an_error_that_says_where() -> None:
    batches = [
        {"A": [1, 2], "B": ["u", "v"]},
        {"A": [3, 4], "B": ["u", "v"]},
        {"A": ["five", "six"], "B": ["u", "v"]},
    ]
    with pytest.raises(
        BadData, match=r"'A' had numbers in earlier batches, but batch 2 .* has 'five'.*dtype"
    ):
        bayou.Network("B -> A").fit(bayou.from_batches(iter(batches)))
    with pytest.raises(BadData, match=r"'A' had text in earlier batches, but batch 1 .* the number 3"):
        bayou.Network("A").fit(bayou.from_batches([batches[2], batches[1]]))
    with pytest.raises(UnknownVariable, match=r"Batch 1 \(counting from 0\).* 'B'"):
        bayou.Network("A -> B").fit(bayou.from_batches([batches[0], {"A": [1]}]))


def test_what_is_no_iterable_of_batches() -> None:
    for wrong in (3, "days.csv", {"A": [1]}):
        with pytest.raises(BadData, match="iterable"):
            bayou.from_batches(wrong)
    with pytest.raises(BadData, match="no batch"):
        bayou.Network("A").fit(bayou.from_batches(iter([])))
    with pytest.raises(BadData, match="returned a int"):
        bayou.Network("A").fit(bayou.from_batches(lambda: 3))
    with pytest.raises(BadData, match="cannot be stored"):
        bayou.Network("A").fit(bayou.from_batches(iter([{"A": (lambda: 0, 1)}] * 3), keep=True))


def test_a_full_disk_while_batches_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with pytest.raises(MemoryError, match=r"No space left on device.*TMPDIR"):
        net().fit(bayou.from_batches(parts(), keep=True))


def test_iterators_and_lists_of_frames_are_data_as_they_are() -> None:
    frame = pd.DataFrame({"sky": list("gbgw"), "rain": list("ynny")})
    parts = [frame[:2], frame[2:]]
    expected = bayou.Network("sky -> rain").fit(frame)
    arrow = [pa.Table.from_pandas(part) for part in parts]
    for data in (parts, tuple(parts), iter(parts), (part for part in parts), map(dict, parts), arrow):
        assert bayou.Network("sky -> rain").fit(data).same_as(expected)
    model = bayou.NaiveBayes().fit(iter(parts), "rain")
    np.testing.assert_array_equal(
        model.predict_proba(iter(parts)), bayou.NaiveBayes().fit(frame, "rain").predict_proba(frame)
    )

    class Loader:
        def __iter__(self) -> Any:
            return iter(parts)

    assert bayou.Network("sky -> rain").fit(bayou.from_batches(Loader())).same_as(expected)
    with pytest.raises(BadData, match=r"A Loader cannot be read as a table.*from_batches"):
        bayou.Network("sky -> rain").fit(Loader())
    with pytest.raises(BadData, match="the iterator is empty"):
        bayou.Network("sky -> rain").fit(iter([]))


def test_a_function_must_make_a_fresh_iterator() -> None:
    days = iter([{"sky": ["g", "b"], "rain": ["y", "n"]}, {"sky": ["g", "g"], "rain": ["y", "n"]}])
    with pytest.raises(BadData, match="returned the same iterator again"):
        bayou.learn_structure(bayou.from_batches(lambda: days))


def test_batches_that_are_kept_survive_a_pass_that_stops_early() -> None:
    kept = bayou.from_batches(({"A": [k, k]} for k in range(4)), keep=True)
    tables = kept.tables()
    next(tables), next(tables)
    tables.close()
    again = [table.columns.rows for table in kept.tables()]
    assert again == [2, 2, 2, 2]
    assert bayou.Network("A").fit(kept).statistics["A"].total == 8


def test_kept_batches_that_ended_with_an_error_are_not_taken_for_all() -> None:
    def lost() -> Iterator[Any]:
        yield {"A": [1, 2]}
        yield {"A": [1, 2]}
        raise ConnectionError("the line is dead")

    kept = bayou.from_batches(lost(), keep=True)
    with pytest.raises(ConnectionError):
        bayou.Network("A").fit(kept)
    with pytest.raises(BadData, match=r"ended with an error \(the line is dead\).*from_batches\(lambda: …\)"):
        bayou.Network("A").fit(kept)
