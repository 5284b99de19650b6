"""How files begin: by its first bytes the kind of a packed file is known, whatever its name is."""

from __future__ import annotations

_STARTS = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"\xd0\xcf\x11\xe0": "Excel",
}
LONGEST_START = max(map(len, _STARTS))
"""So many bytes of a file are enough."""


def packed_kind(start: bytes) -> str:
    """Return the kind of a packed file by its first bytes; empty for any other file, such as text.

    >>> packed_kind(b"PAR1..."), packed_kind(b"age,ill")
    ('Parquet', '')
    """
    return next((kind for magic, kind in _STARTS.items() if start.startswith(magic)), "")
