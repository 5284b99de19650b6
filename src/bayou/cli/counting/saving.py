"""Counted statistics saved where they are wanted; where that fails, the work of counting is not lost."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

from bayou.cli.terminal.reporting import tell_note
from bayou.errors import BadFile

if TYPE_CHECKING:
    from bayou.counting.model_statistics import ModelStatistics


def save_counted(found: ModelStatistics, output: str) -> None:
    """Save statistics; after a full disk or Ctrl-C they are kept in the folder for temporary files."""
    try:
        found.save(output)
    except (BadFile, KeyboardInterrupt):
        _keep_elsewhere(found, output)
        raise


def _keep_elsewhere(found: ModelStatistics, output: str) -> None:
    """Save statistics in a new folder for temporary files and say where; or say that there is no room."""
    folder = ""
    try:
        folder = tempfile.mkdtemp(prefix="bayou-")
        kept = os.path.join(folder, os.path.basename(output))
        found.save(kept)
    except (BadFile, OSError, KeyboardInterrupt):
        with suppress(OSError):
            os.rmdir(folder)
        tell_note(
            "The statistics found no room in the folder for temporary files either, and are lost; TMPDIR "
            "names another folder."
        )
        return
    tell_note(f"The statistics are complete and were kept in {kept}: move the file where it belongs.")
