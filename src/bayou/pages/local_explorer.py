"""The explorer's server in a process of its own, which ends with this one."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayou.errors import BadQuestion, MissingPackage

if TYPE_CHECKING:
    from bayou.models.network import Network

_STOP_SECONDS = 10
_RUNNING: set[LocalExplorer] = set()


def can_serve() -> bool:
    """Whether the packages of the extra ``explore`` are there."""
    return _absent_package() is None


def _absent_package() -> str | None:
    return next(
        (package for package in ("msgspec", "starlette", "uvicorn") if find_spec(package) is None), None
    )


class LocalExplorer:
    """A server that shows one network, to a browser (which it opens) or in a frame of a notebook.

    It ends when the program ends: it reads from a pipe that this process holds.
    """

    def __init__(self, net: Network, in_frame: bool) -> None:
        absent = _absent_package()
        if absent is not None:
            raise MissingPackage.needed(absent, "The explorer")
        with tempfile.TemporaryDirectory(prefix="bayou-explore-") as folder:
            file = Path(folder, "Network.bayou")
            net.save(file)
            self._errors = tempfile.TemporaryFile(mode="w+", encoding="utf-8")  # noqa: SIM115
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bayou", "explore", str(file), "--json", "--attached"]
                + (["--framed"] if in_frame else []),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=in_frame,  # a notebook that is interrupted does not end it
                text=True,
            )
            _RUNNING.add(self)
            self.address: str = self._printed()["address"]

    def _printed(self) -> Any:
        """The document that the server prints when it is about to answer."""
        assert self._process.stdout is not None
        text = ""
        while True:
            line = self._process.stdout.readline()
            text += line
            try:
                return json.loads(text)
            except ValueError:
                if line:
                    continue
            self._process.wait()
            self._errors.seek(0)
            reason = self._errors.read().strip() or "it gave no reason."
            self.close()
            raise BadQuestion(f"The explorer did not start: {reason}")

    def wait(self) -> None:
        """Wait until the server ends, as by Ctrl-C."""
        try:
            self._process.wait()
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """End the server."""
        if self not in _RUNNING:
            return
        _RUNNING.discard(self)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        self._errors.close()


@atexit.register
def _close_all() -> None:
    for explorer in list(_RUNNING):
        explorer.close()
