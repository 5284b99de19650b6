"""Fixes for a table in text files: some say how the files are to be read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from bayou.data_checks.fixes import PandasFixes
from bayou.sources.files.file_kinds import open_file
from bayou.sources.files.file_options import DescribedFile
from bayou.typing import Name


class FileFixes(PandasFixes):
    """Fixes for a table in files, in pandas but for decimal commas: these are an option of ``from_file``."""

    def __init__(self, path: Any, columns: Sequence[Name] | None = None) -> None:
        self._path, self._columns = path, columns

    def number(self, name: Name, lossy: bool = False, comma: bool = False) -> str:
        return self._read_anew(comma) or super().number(name, lossy, comma)

    def amount(self, name: Name, percent: bool = False, comma: bool = False) -> str:
        return self._read_anew(comma) or super().amount(name, percent, comma)

    def _read_anew(self, comma: bool) -> str:
        """The line that reads the files with decimal commas; "" where that is not the remedy."""
        if not comma or not open_file(self._path, self._columns).takes_decimal_commas:
            return ""
        given, columns, options = "data", self._columns, []
        if isinstance(self._path, DescribedFile):
            paths = self._path.paths
            given = repr(paths[0] if len(paths) == 1 else list(paths))
            columns = self._path.columns if columns is None else columns
            said = self._path.options
            options = [f"{name}={getattr(said, name)!r}" for name in said.given]
            options += [f"ignore={list(self._path.ignored)!r}"] if self._path.ignored else []
        options += [] if columns is None else [f"columns={list(columns)!r}"]
        return f"data = bayou.from_file({', '.join([given, *options])}, decimal=',')"


def fixes_for_files(data: Any, columns: Sequence[Name] | None) -> FileFixes | None:
    """The fixes for data files; None for other data."""
    described = getattr(data, "described", data)
    is_file = isinstance(described, DescribedFile) or isinstance(data, str | os.PathLike)
    return FileFixes(described, columns) if is_file else None
