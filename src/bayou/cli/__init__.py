"""Floor 12: the ``bayou`` command, one file a command."""

from __future__ import annotations
