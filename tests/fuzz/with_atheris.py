"""Damage that finds its way: every reader under atheris, which keeps the inputs that reach new code.

For local use; no test runs it. atheris needs an environment of its own with bayou in it:

    pip install atheris
    python -m tests.fuzz.with_atheris                                           (lists the readers)
    python -m tests.fuzz.with_atheris "network: BIF" -max_total_time=600

The inputs are those of ``tests/fuzz/readers.py``. Texts and networks are bytes, which libFuzzer changes by
itself; for files and models it chooses, in place of a random generator, what the damage of the tests does.
What it has found is kept in ``build/fuzz`` for the next run. Other arguments are libFuzzer's
(``-help=1`` lists them). An error that is not bayou's ends the run; its input is written there, too.
"""

from __future__ import annotations

import re
import sys
import tempfile
import warnings
from pathlib import Path
from random import Random
from typing import Any

KEPT = Path("build", "fuzz")
EXAMPLES = 50
"""The number of inputs from which a reader of bytes starts: examples with little damage."""


class ChosenNumbers(Random):
    """Random numbers that are the bytes of an input, one after the other; after its end they are 0."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._data, self._place = data, 0

    def getrandbits(self, k: int) -> int:
        """Return the next k bits."""
        size = (k + 7) // 8
        taken = self._data[self._place : self._place + size]
        self._place += size
        return int.from_bytes(taken, "little") % (1 << k)

    def random(self) -> float:
        """Return a number from 0 up to 1."""
        return self.getrandbits(53) / 2**53


def main(arguments: list[str]) -> None:
    """Damage the inputs of the reader that is named first, until libFuzzer ends."""
    import atheris

    with atheris.instrument_imports(include=["bayou"]):
        from tests.fuzz.readers import READERS

        if not arguments or arguments[0] not in READERS:
            sys.exit("Name a reader:\n  " + "\n  ".join(READERS))
        name, *options = arguments
        reader, folder = READERS[name], Path(tempfile.mkdtemp(prefix="bayou-fuzz-"))
        kept = KEPT / re.sub(r"\W+", "-", name)
        kept.mkdir(parents=True, exist_ok=True)
        takes_bytes = isinstance(reader.damaged(Random(0), folder), bytes)
        if takes_bytes:
            for number in range(EXAMPLES):
                (kept / f"example-{number}").write_bytes(reader.damaged(Random(number), folder))

        def read(data: bytes) -> None:
            given: Any = data if takes_bytes else reader.damaged(ChosenNumbers(data), folder)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    reader.read(given)
                except reader.refusals:
                    return

        lengths = [] if any(option.startswith("-max_len=") for option in options) else ["-max_len=8192"]
        given_first = [sys.argv[0], f"-artifact_prefix={KEPT}/", *lengths]
        atheris.Setup([*given_first, *options, str(kept)], read)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
