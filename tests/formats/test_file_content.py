"""Files are read through gzip and written whole or not at all."""

from __future__ import annotations

import gzip
import os
import stat
from pathlib import Path

import pytest

from bayou.errors import BadFile
from bayou.formats.file_content import read_bytes, write_bytes


def test_a_missing_file_and_a_folder_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"nothing here\.bif: cannot be read: No such file"):
        read_bytes(tmp_path / "nothing here.bif")
    with pytest.raises(BadFile, match="cannot be read"):
        read_bytes(tmp_path)
    with pytest.raises(BadFile, match="cannot be written: it is a directory"):
        write_bytes(tmp_path, b"x")


def test_a_path_with_a_null_character_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="is not a path"):
        read_bytes("a\0b")
    with pytest.raises(BadFile, match="is not a path"):
        write_bytes(f"{tmp_path}/a\0b", b"x")


@pytest.mark.parametrize("damage", [slice(0, 12), slice(0, -4), slice(0, 2)])
def test_a_damaged_gzip_file_is_refused(tmp_path: Path, damage: slice) -> None:
    path = tmp_path / "net.bif.gz"
    path.write_bytes(gzip.compress(b"network n { }" * 100)[damage])
    with pytest.raises(BadFile, match="is damaged, gzip cannot unpack it"):
        read_bytes(path)


def test_a_gzip_file_with_a_wrong_checksum_is_refused(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"network n { }"))
    packed[-6] ^= 1
    path = tmp_path / "net.gz"
    path.write_bytes(packed)
    with pytest.raises(BadFile, match="damaged"):
        read_bytes(path)


def test_a_file_is_replaced_with_its_mode_kept_and_a_link_followed(tmp_path: Path) -> None:
    target = tmp_path / "target.bif"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link = tmp_path / "link.bif"
    link.symlink_to(target)
    write_bytes(link, b"new")
    assert target.read_bytes() == b"new"
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.bif", "target.bif"]


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be written: No such file or directory"):
        write_bytes(tmp_path / "absent" / "net.bif", b"x")


def test_the_same_bytes_are_packed_alike(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_bytes(tmp_path / name, b"network")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_a_failure_half_way_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.bif"
    path.write_bytes(b"old")

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(BadFile, match="No space left on device"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["net.bif"]
