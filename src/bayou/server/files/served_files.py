"""The files of served models: loaded when the server starts, read again on SIGHUP, with no request lost."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bayou.server.files.uploads import revision_of_file
from bayou.server.kept_objects import keep_what_is_there
from bayou.server.problems import problem_of

if TYPE_CHECKING:
    from bayou.server.service import Service


class ServedFiles:
    """Files by the names that their models are served under.

    ``load`` reads a file when the server starts; ``ready`` is called when all are there. Until then the
    server is alive, but not ready. A file that cannot be read ends the server, which raises ``error``.
    """

    def __init__(
        self, files: Mapping[str, str], load: Callable[[str], Any], ready: Callable[[], None]
    ) -> None:
        self._files, self._load, self._ready = dict(files), load, ready
        self._reading = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self.error: Exception | None = None

    def begin(self, service: Service) -> None:
        """Load the files, and listen to the signal that asks for reading them again."""
        self._task = asyncio.create_task(self._loaded(service))
        if hasattr(signal, "SIGHUP"):
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGHUP, lambda: self._read_again_soon(service))

    async def _loaded(self, service: Service) -> None:
        async with self._reading:
            try:
                for name, path in self._files.items():
                    await service.publish_soon(name, await asyncio.to_thread(self._load, path))
            except Exception as error:
                self.error = error
                service.end()
                return
            keep_what_is_there()
            service.state = "ready"
            self._ready()

    def _read_again_soon(self, service: Service) -> None:
        self._task = asyncio.create_task(self._read_again(service))

    async def _read_again(self, service: Service) -> None:
        """Replace the models whose files have changed; one that cannot be read stays as it was."""
        async with self._reading:
            for name, path in self._files.items():
                try:
                    now, _ = await revision_of_file(service.pool, service.revisions, path)
                    before = service.name(name, now)
                except Exception as error:
                    sys.stderr.write(f"{name} stays as it was: {problem_of(error).detail}\n")
                else:
                    told = "has not changed" if now is before else "was read again"
                    sys.stderr.write(f"{name} {told}.\n")
            keep_what_is_there()
            sys.stderr.flush()
