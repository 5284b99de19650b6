"""Files are known by their first bytes, as the programs that pack them write these."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import polars
import pytest

import bayou
from bayou.errors import BadFile
from bayou.files.first_bytes import LONGEST_START, packed_kind

TABLE = b"a,b\n" + b"x,\xff\n" * 50  # not UTF-8 either


def packed() -> dict[str, bytes]:
    archive, parquet = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.csv", TABLE)
    polars.DataFrame({"a": [1, 2]}).write_parquet(parquet)
    return {
        "gzip": gzip.compress(TABLE),
        "bzip2": bz2.compress(TABLE),
        "xz": lzma.compress(TABLE),
        "zip": archive.getvalue(),
        "Parquet": parquet.getvalue(),
    }


def test_packed_files_are_known() -> None:
    for kind, content in packed().items():
        assert packed_kind(content) == packed_kind(content[:LONGEST_START]) == kind
    assert packed_kind(TABLE) == packed_kind(b"") == ""


@pytest.mark.parametrize("kind", ["bzip2", "xz", "zip"])
def test_a_packed_file_with_the_name_of_a_text_file_is_told(kind: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(packed()[kind])
    with pytest.raises(BadFile, match=f"this is an? {kind} file: "):
        bayou.Network("a").fit(tmp_path / "t.csv")
