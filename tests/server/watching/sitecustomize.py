"""Loaded by Python before everything else: notes what is opened, connected to, started or imported.

An event is noted if its arguments have the mark of the environment's BAYOU_WATCHED in them, in the file that
BAYOU_WATCH_LOG names. Worker processes inherit both.
"""

from __future__ import annotations

import os
import sys

MARK = os.environ.get("BAYOU_WATCHED", "")
LOG = os.environ.get("BAYOU_WATCH_LOG", "")
KINDS = ("open", "socket.", "subprocess.", "os.", "sqlite3.", "glob.", "import", "exec", "compile", "urllib.")

if MARK and LOG:
    descriptor = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(KINDS) and MARK in repr(arguments):
            os.write(descriptor, f"{event} {arguments!r}\n".encode("utf-8", "backslashreplace"))

    sys.addaudithook(note)
