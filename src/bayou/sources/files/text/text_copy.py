"""Text files in other encodings than UTF-8, converted once to temporary files."""

from __future__ import annotations

import codecs
import gzip
import os
import shutil
import tempfile
import weakref
from functools import lru_cache
from typing import IO

from bayou.errors import BadFile
from bayou.progress import tracked

_BLOCK = 1 << 22


class TextCopy:
    """A copy of a text file in UTF-8, not compressed; it is deleted with this object."""

    def __init__(self, path: str, encoding: str, compression: str) -> None:
        folder = tempfile.mkdtemp(prefix="bayou-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = os.path.join(folder, "table" + (".tsv" if ".tsv" in path.lower() else ".csv"))
        decoder, read = codecs.getincrementaldecoder(encoding)(), 0
        try:
            with _opened(path, compression) as source, open(self.path, "wb") as target:
                blocks = iter(lambda: source.read(_BLOCK), b"")
                for block in tracked(blocks, f"Converting {path}"):
                    target.write(decoder.decode(block).encode())
                    read += len(block)
                target.write(decoder.decode(b"", final=True).encode())
        except UnicodeError as problem:
            where = getattr(problem, "start", 0)
            raise BadFile.at(
                path, f"the file is not {encoding} text: {problem.args[-1]} near byte {read + where:,}."
            ) from None
        except (OSError, EOFError) as problem:
            raise BadFile.at(path, f"the file cannot be converted to UTF-8: {problem}.") from None


def _opened(path: str, compression: str) -> gzip.GzipFile | IO[bytes]:
    if compression == "gzip":
        return gzip.GzipFile(path)
    if compression == "zstd":
        raise BadFile.at(path, "encoding= is not for zstd files; unpack it first (unzstd).")
    return open(path, "rb")


def utf8_copy(path: str, encoding: str, compression: str) -> TextCopy:
    """Return a copy of a file in UTF-8; the last ones are kept, because a file is often opened again."""
    status = os.stat(path)
    return _kept_copy(path, encoding, compression, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=4)
def _kept_copy(path: str, encoding: str, compression: str, size: int, changed: int) -> TextCopy:
    return TextCopy(path, encoding, compression)
