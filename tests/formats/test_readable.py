"""The text form of models has the content of the packed form to the last bit, in lines to compare."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conformance.states.example_models import MODELS

import bayou
from bayou.errors import BadFile
from bayou.formats.bundle import parse_bundle, read_bundle, write_bundle
from bayou.formats.file_content import FileContent
from bayou.formats.readable import readable_text


def same(one: Any, other: Any) -> bool:
    """Whether two states have the same values of the same types, in the same order, to the last bit."""
    if isinstance(one, np.ndarray):
        alike = isinstance(other, np.ndarray) and one.dtype == other.dtype and one.shape == other.shape
        return bool(alike and one.tobytes() == other.tobytes())
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
def test_every_model_is_the_same_to_the_last_bit(kind: str, tmp_path: Path) -> None:
    model = MODELS[kind][0]()
    packed = tmp_path / "model.bayou"
    model.save(packed)
    name, state = read_bundle(packed)
    text, again = tmp_path / "model.json", tmp_path / "again.json"
    write_bundle(text, name, state)
    assert same(list(read_bundle(text)), [name, state])
    bayou.load(text).save(packed)
    assert same(list(read_bundle(packed)), [name, state])
    write_bundle(again, *read_bundle(text))
    assert again.read_bytes() == text.read_bytes()


@pytest.mark.parametrize(
    "array",
    [
        np.array([0.1, -0.0, 5e-324, 1.7976931348623157e308, np.nan, np.inf, -np.inf, 1 / 3]),
        np.random.default_rng(1).normal(size=(3, 4, 5)),
        np.zeros((0, 3)),
        np.array(2.5),
        np.array([2**63 - 1, -(2**63)]),
        np.arange(40, dtype=np.uint8),
        np.array([[2**32 - 1]], dtype=np.uint32),
        np.array([True, False]),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_arrays_are_exact(array: Any, tmp_path: Path) -> None:
    state = {"one": array, "nested": [{"two": array}, "\u2028\ud800\x85'\"\\"]}
    for name in ("state.json", "state.json.gz", "STATE.JSON"):
        write_bundle(tmp_path / name, "test", state)
        assert same(read_bundle(tmp_path / name)[1], state)


def test_a_change_of_one_number_changes_one_line(tmp_path: Path) -> None:
    net = bayou.examples.asia()
    net.save(tmp_path / "before.json")
    net.set_cpt("bronc", [[0.625, 0.375], [0.3, 0.7]])
    net.save(tmp_path / "after.json")
    before, after = ((tmp_path / name).read_text().splitlines() for name in ("before.json", "after.json"))
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert [b.strip() for _, b in changed] == ["[0.625, 0.375],"]
    assert json.loads("\n".join(after))["format"] == "bayou"


def test_typed_states_and_hostile_names_survive(tmp_path: Path) -> None:
    states: list[Any] = [1, "1", True, 2.5, "</script>", "\u2028", "a\nb", (1, "x")]
    net = bayou.Network('"quoted"', states={"quoted": states}, tables={"quoted": [1 / 8] * 8})
    net.save(tmp_path / "net.json")
    text = (tmp_path / "net.json").read_text(encoding="utf-8")
    assert "\u2028" not in text
    found = bayou.load(tmp_path / "net.json").states("quoted")
    assert [(type(state), state) for state in found] == [(type(state), state) for state in states]


def text_of(change: str, to: str) -> bytes:
    state = {"cpt": np.array([[0.5, 0.5], [0.25, 0.75]]), "codes": np.array([1, 2], np.uint8)}
    text = readable_text({"format": "bayou", "version": 1, "kind": "test", "state": state})
    assert change in text
    return text.replace(change, to).encode()


@pytest.mark.parametrize(
    ("change", "to", "message"),
    [
        ("[2, 2]", "[2, 3]", "does not fit its 4 numbers"),
        ("[2, 2]", "[-2, -2]", "not a list of sizes"),
        ('"f8"', '"O"', "the type 'O'"),
        ("0.25", '"a"', "has 'a' in an array of the type f8"),
        ("0.25", "NaN", "without quotes"),
        ("0.25", "1e999", "too large"),
        ("0.25", "null", "has None in an array"),
        ("[1, 2]", "[1, 256]", "has 256 in an array of the type u1"),
        ("[1, 2]", "[1, true]", "has True in an array"),
        ('"kind"', '"version"', "'version' twice"),
        ('"version": 1', '"version": 99', "newer bayou"),
        ('"shape"', '"size"', "without its type, shape and rows"),
        ("0.25", "", "cannot be read as JSON"),
        ("0.25", "[" * 100_000, "cannot be read as JSON"),
    ],
)
def test_damage_is_named(change: str, to: str, message: str) -> None:
    data = text_of(change, to)
    with pytest.raises(BadFile, match=message):
        parse_bundle(FileContent(data, len(data)), "model.json")


def test_a_packed_text_is_read_whatever_its_name(tmp_path: Path) -> None:
    file = tmp_path / "model.txt"
    bayou.examples.asia().save(tmp_path / "asia.json")
    file.write_bytes(gzip.compress((tmp_path / "asia.json").read_bytes()))
    assert bayou.load(file).names == bayou.examples.asia().names
