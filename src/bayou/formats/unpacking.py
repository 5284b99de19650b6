"""How much a packed file may become: a small file must not fill the memory."""

from __future__ import annotations

from typing import NamedTuple

from bayou.errors import BadFile
from bayou.memory import amount_text, available_memory


class Allowance(NamedTuple):
    """What a file may become: ``always`` this many bytes, and more up to so many ``times`` its size.

    What is made of each unpacked byte takes ``footprint`` bytes of memory, which must be there.
    """

    times: int
    always: int
    footprint: int


NUMBERS = Allowance(256, 2**28, 2)
"""Arrays, and the text of networks. What bayou packs itself becomes at most 230 times its size."""
DOCUMENT = Allowance(100, 2**24, 20)
"""JSON, which becomes objects: a pair of brackets takes 64 bytes."""


class UnpackingLimit:
    """Counts the bytes that a file has been unpacked to, and refuses more than its size or memory allows.

    >>> UnpackingLimit("small.bif.gz", 1000, NUMBERS, "unpack it first").add(2**30)
    Traceback (most recent call last):
    bayou.errors.BadFile: small.bif.gz: unpacks to more than 256 MiB from 1,000 bytes, ...
    """

    def __init__(self, path: object, size: int, allowance: Allowance, remedy: str) -> None:
        self._path, self._size, self._remedy = path, size, remedy
        self._footprint = allowance.footprint
        self._allowed = max(allowance.always, allowance.times * size)
        self._memory = available_memory()
        self._unpacked = 0

    def add(self, number: int) -> None:
        """Count that many more bytes: those that will be unpacked next, or have just been."""
        self._unpacked += number
        if self._unpacked > self._allowed:
            raise BadFile.at(
                self._path,
                f"unpacks to more than {amount_text(self._allowed)} from {self._size:,} bytes, as files do "
                f"that are made to fill the memory. If you trust it, {self._remedy}.",
            )
        if self._unpacked * self._footprint > self._memory:
            raise BadFile.at(
                self._path,
                f"needs {amount_text(self._unpacked * self._footprint)} of memory, or more, to be read; "
                f"{amount_text(self._memory)} are left for this process. Open it where there is more memory.",
            )
