"""Small files that unpack to gigabytes are refused; what bayou itself packs is always read."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadFile
from bayou.formats import unpacking
from bayou.formats.bundle import read_bundle, write_bundle
from bayou.formats.file_content import read_bytes

MIB = 2**20


def document(state: Any) -> str:
    return json.dumps({"format": "bayou", "version": 1, "kind": "network", "state": state})


def packed_array(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def model_file(path: Path, text: str, *arrays: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr("model.json", text)
        for number, array in enumerate(arrays):
            archive.writestr(f"arrays/{number}.npy", array)
    return path


def refused(path: Path, told: str) -> None:
    """The file is refused by name and what it would fill is never allocated."""
    tracemalloc.start()
    try:
        with pytest.raises(BadFile, match=told) as raised:
            bayou.load(path)
        assert tracemalloc.get_traced_memory()[1] < 700 * MIB
    finally:
        tracemalloc.stop()
    assert path.name in str(raised.value)


def test_an_array_is_named_once(tmp_path: Path) -> None:
    array = packed_array(np.zeros(MIB))
    path = model_file(tmp_path / "echo.bayou", document({"x": [{"$array": 0}] * 1000}), array)
    assert path.stat().st_size < 20_000
    refused(path, r"arrays/0\.npy is named twice")


def test_arrays_that_unpack_to_more_than_the_file_allows_are_refused(tmp_path: Path) -> None:
    arrays = [packed_array(np.zeros(8 * MIB))] * 5
    path = model_file(tmp_path / "wide.bayou", document({"x": [{"$array": k} for k in range(5)]}), *arrays)
    refused(path, r"unpacks to more than 256 MiB from [\d,]+ bytes.*zip -0")


def test_a_document_that_unpacks_to_more_than_the_file_allows_is_refused(tmp_path: Path) -> None:
    refused(
        model_file(tmp_path / "long.bayou", document([0]) + " " * 17 * MIB), "unpacks to more than 16 MiB"
    )


def test_a_network_text_that_unpacks_to_more_than_the_file_allows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.bif.gz"
    path.write_bytes(gzip.compress(b" " * 260 * MIB, 6))
    refused(path, r"unpacks to more than 256 MiB from .*gunzip")


def test_one_packing_inside_another_is_measured_by_the_file_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bayou.formats.bundle.NUMBERS", unpacking.Allowance(256, 0, 2))
    inner = model_file(tmp_path / "inner.bayou", document({"x": {"$array": 0}}), packed_array(np.zeros(MIB)))
    outer = tmp_path / "outer.bayou"
    outer.write_bytes(gzip.compress(inner.read_bytes()))
    refused(outer, f"from {outer.stat().st_size:,} bytes")


def test_what_memory_cannot_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = model_file(tmp_path / "net.bayou", document({"x": {"$array": 0}}), packed_array(np.ones(MIB)))
    monkeypatch.setattr(unpacking, "available_memory", lambda: 10 * MIB)
    refused(path, r"needs 16 MiB of memory, or more, to be read; 10 MiB are left")


def test_what_bayou_packs_is_far_from_the_limits(tmp_path: Path) -> None:
    # Nothing packs better than zeros.
    write_bundle(tmp_path / "zeros.bayou", "network", {"x": np.zeros(4 * MIB)}, "test")
    size = (tmp_path / "zeros.bayou").stat().st_size
    assert 32 * MIB / size < unpacking.NUMBERS.times
    assert read_bundle(tmp_path / "zeros.bayou")[1]["x"].shape == (4 * MIB,)


@pytest.mark.parametrize("pieces", [1, 3])
def test_gzip_of_several_pieces_is_read(tmp_path: Path, pieces: int) -> None:
    text = bytes(range(256)) * 40_000
    (tmp_path / "net.gz").write_bytes(gzip.compress(text) * pieces)
    assert read_bytes(tmp_path / "net.gz") == text * pieces


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (((((",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (,,,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 1), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0," + "1," * 80 + "), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (" + "9" * 5000 + ",), }",
        "",
    ],
)
def test_the_header_of_an_array_is_matched_not_evaluated(tmp_path: Path, header: str) -> None:
    text = header.encode() + b"\n"
    array = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + b"\0" * 8
    refused(model_file(tmp_path / "odd.bayou", document({"x": {"$array": 0}}), array), "array")


def test_arrays_of_every_shape_come_back(tmp_path: Path) -> None:
    shapes: list[tuple[int, ...]] = [(), (1,), (0,), (2, 0, 3), (2, 3), (1,) * 20]
    state = {str(k): np.ones(shape) for k, shape in enumerate(shapes)}
    state |= {kind: np.zeros(3, dtype=kind) for kind in ("<f8", "<i8", "<u1", "<u2", "<u4", "|b1")}
    write_bundle(tmp_path / "arrays.bayou", "network", state, "test")
    for key, array in read_bundle(tmp_path / "arrays.bayou")[1].items():
        assert (array.dtype, array.shape) == (state[key].dtype, state[key].shape)
        np.testing.assert_array_equal(array, state[key])
