"""bayou's own file: nothing lost, nothing executed, nothing half written, old files load for ever."""

from __future__ import annotations

import datetime
import io
import json
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayou
from bayou.errors import BadFile, BadVariable
from bayou.formats.bundle import VERSION, read_bundle, write_bundle
from bayou.schema.json_values import decode_value, encode_value

GOLDEN = Path(__file__).parent / "golden"


def golden_network() -> bayou.Network:
    """What every golden file holds; `python -m tests.formats.test_bundle` writes the current version's."""
    net = bayou.Network(
        "Größe -> R1, R2; Größe -> height; height -> weight",
        share={"p_R": ["R1", "R2"]},
        continuous=["height", "weight"],
    )
    heights = [170.5, 180.25, 165.0, 172.0, 168.75, 177.5, 169.0, 174.0]
    return net.fit(
        {
            "Größe": [1, "1", 1, "1", 1, "1", 1, "1"],
            "R1": [True, "a, b", True, None, "a, b", True, True, "a, b"],
            "R2": ["a, b", "a, b", True, True, None, True, "a, b", True],
            "height": heights,
            "weight": [h / 2 - 15 + (k % 3) for k, h in enumerate(heights)],
        },
        prior={"p_R": bayou.MEstimate(3, {True: 0.25, "a, b": 0.75})},
        weights=[1, 2, 1, 1, 3, 1, 1, 1],
        method="count",
    )


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.bayou")), ids=lambda path: path.name)
def test_golden_files_load_for_ever(path: Path) -> None:
    net = bayou.load(path)
    assert net.same_as(golden_network())
    assert net.sharing == {"p_R": ("R1", "R2")}
    more = {"Größe": [1], "R1": [True], "R2": ["a, b"], "height": [171.0], "weight": [70.0]}
    assert net.partial_fit(more).same_as(golden_network().partial_fit(more))


def test_there_is_a_golden_file_of_this_version() -> None:
    assert (GOLDEN / f"network-v{VERSION}.bayou").exists()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "net.bayou"
    golden_network().save(path)
    return path


def test_the_same_network_gives_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    golden_network().save(tmp_path / "again.bayou")
    assert saved.read_bytes() == (tmp_path / "again.bayou").read_bytes()


@given(st.integers(0, 10**6), st.integers(0, 255))
def test_a_damaged_file_is_refused_or_the_same(position: int, value: int) -> None:
    data = bytearray((GOLDEN / f"network-v{VERSION}.bayou").read_bytes())
    data[position % len(data)] = value
    path = io.BytesIO(bytes(data))
    _load_or_refuse(path.getvalue())


@given(st.integers(0, 10**6))
def test_a_truncated_file_is_refused(length: int) -> None:
    data = (GOLDEN / f"network-v{VERSION}.bayou").read_bytes()
    with pytest.raises(BadFile):
        _load(data[: length % len(data)])


def _load(data: bytes) -> bayou.Network:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.bayou"
        path.write_bytes(data)
        return bayou.load(path)


def _load_or_refuse(data: bytes) -> None:
    try:
        net = _load(data)
    except BadFile:
        return
    assert net.same_as(golden_network())


def _with_document(path: Path, change: Any) -> bytes:
    """The file with its model.json changed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "model.json":
                document = json.loads(data)
                change(document)
                data = json.dumps(document).encode()
            new.writestr(name, data)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: d.update(version=VERSION + 1), "newer bayou"),
        (lambda d: d.update(version="one"), "version"),
        (lambda d: d.update(format="other"), "does not say"),
        (lambda d: d.pop("state"), "lacks its kind or its state"),
        (lambda d: d.update(kind="oracle"), "holds a 'oracle'"),
        (lambda d: d["state"].pop("blocks"), "incomplete"),
        (lambda d: d["state"]["parents"].__setitem__(0, [3]), "damaged"),
        (lambda d: d["state"]["variables"].__setitem__(0, 5), "damaged"),
        (lambda d: d["state"]["blocks"][0].update(values={"$array": 999}), "lacks arrays/999.npy"),
        (lambda d: d["state"]["blocks"][0].update(kind="magic"), "no distribution of the kind 'magic'"),
    ],
)
def test_files_that_say_something_else(saved: Path, change: Any, told: str) -> None:
    with pytest.raises(BadFile, match=told):
        _load(_with_document(saved, change))


def test_an_array_that_claims_more_than_it_has_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    path = tmp_path / "huge.bayou"
    with zipfile.ZipFile(path, "w") as archive:
        document = {"format": "bayou", "version": 1, "kind": "network", "state": {"x": {"$array": 0}}}
        archive.writestr("model.json", json.dumps(document))
        archive.writestr("arrays/0.npy", buffer.getvalue() + b"\0" * 8)
    with pytest.raises(BadFile, match="does not fit its 8 bytes"):
        bayou.load(path)


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"evil": 1}], dtype=object), allow_pickle=True)
    path = tmp_path / "pickle.bayou"
    with zipfile.ZipFile(path, "w") as archive:
        document = {"format": "bayou", "version": 1, "kind": "network", "state": {"x": {"$array": 0}}}
        archive.writestr("model.json", json.dumps(document))
        archive.writestr("arrays/0.npy", buffer.getvalue())
    with pytest.raises(BadFile, match="unexpected array"):
        bayou.load(path)


VALUES = st.recursive(
    st.one_of(
        st.text(),
        st.integers(),
        st.booleans(),
        st.floats(allow_nan=False),
        st.dates(),
        st.datetimes(),
        st.times(),
        st.timedeltas(),
        st.binary(),
        st.fractions(),
        st.decimals(allow_nan=False),
    ),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
)


@given(VALUES)
def test_typed_values_come_back_with_their_type(value: Any) -> None:
    back = decode_value(json.loads(json.dumps(encode_value(value))))
    assert (type(back), back) == (type(value), value)


def test_values_that_a_file_can_not_hold_are_named(tmp_path: Path) -> None:
    odd = complex(1, 2)
    net = bayou.Network("x", states={"x": [odd, 1]}, tables={"x": [0.5, 0.5]})
    with pytest.raises(BadVariable, match="complex"):
        net.save(tmp_path / "odd.bayou")
    assert not (tmp_path / "odd.bayou").exists()


def test_unusual_states_survive(tmp_path: Path) -> None:
    states = [datetime.date(2026, 11, 15), Decimal("1.50"), ("a", 1), 10**30, 0.1, True, "", "\ud800 lone"]
    net = bayou.Network("x", states={"x": states}, tables={"x": [1 / 8] * 8})
    net.save(tmp_path / "odd.bayou")
    assert bayou.load(tmp_path / "odd.bayou").same_as(net)


def test_the_ending_chooses_the_format(tmp_path: Path) -> None:
    net = bayou.Network("x", tables={"x": {"a": 0.25, "b": 0.75}})
    with pytest.raises(BadFile, match=r"\.bayou, \.json, \.json\.gz, \.bif, \.bif\.gz"):
        net.save(tmp_path / "net.txt")
    for name in ("net.bayou", "net.bif", "net.bif.gz"):
        net.save(tmp_path / name)
        assert bayou.load(tmp_path / name).same_as(net)


def test_bundles_hold_any_state(tmp_path: Path) -> None:
    state = {"a": [1, None, {"b": np.arange(6).reshape(2, 3)}], "c": np.zeros((0, 2))}
    write_bundle(tmp_path / "s.bayou", "thing", state, "test")
    kind, back = read_bundle(tmp_path / "s.bayou")
    assert kind == "thing"
    assert back["a"][:2] == [1, None]
    assert back["a"][2]["b"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert back["c"].shape == (0, 2)


if __name__ == "__main__":
    golden_network().save(GOLDEN / f"network-v{VERSION}.bayou")
