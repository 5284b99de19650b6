"""Fixes for a table in files: columns, gaps and decimal commas are a matter of how the files are read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from bayou.data_checks.fixes import PandasFixes
from bayou.sources.files.data_file import DataFile
from bayou.sources.files.file_kinds import open_file
from bayou.sources.files.file_options import DescribedFile
from bayou.typing import Name

_COUNTS_ELSEWHERE = 99
"""A number nearer to 0 is a value in other columns, where ``na=`` would make it a gap, too."""


class FileFixes(PandasFixes):
    """Fixes for a table in files: options of ``from_file`` where there is one, else in pandas.

    What was said of each is remembered, so that one line (``together``) reads the files with all of them.
    """

    def __init__(self, path: Any, columns: Sequence[Name] | None = None) -> None:
        self._described = DescribedFile.of(path)
        self._columns = self._described.columns if columns is None else columns
        self._words: dict[str, None] = {}
        self._left_out: dict[Name, None] = {}
        self._commas = False

    def drop(self, name: Name) -> str:
        self._left_out[name] = None
        return self._read(ignored=[name])

    def gaps(self, name: Name, values: Sequence[Any]) -> str:
        words = [_word(value) for value in values]
        if not self._file.is_text or any(not word or word in self._described.options.na for word in words):
            return super().gaps(name, values)
        self._words.update(dict.fromkeys(words))
        return self._read(words=words)

    def number(self, name: Name, lossy: bool = False, comma: bool = False) -> str:
        return self._with_commas(comma) or super().number(name, lossy, comma)

    def amount(self, name: Name, percent: bool = False, comma: bool = False) -> str:
        return self._with_commas(comma) or super().amount(name, percent, comma)

    @property
    def together(self) -> str:
        """The line that reads the files with all that was said of columns, gaps and commas; or ""."""
        if not (self._words or self._left_out or self._commas):
            return ""
        return self._read(list(self._words), list(self._left_out), self._commas)

    @cached_property
    def _file(self) -> DataFile:
        return open_file(replace(self._described, ignored=()), self._columns)

    def _with_commas(self, comma: bool) -> str:
        """The line that reads the files with decimal commas; "" where that is not the remedy."""
        if not comma or not self._file.takes_decimal_commas:
            return ""
        self._commas = True
        return self._read(comma=True)

    def _read(self, words: Sequence[str] = (), ignored: Sequence[Name] = (), comma: bool = False) -> str:
        """The line that reads the files as they were, and with these options."""
        paths, said = self._described.paths, self._described.options
        given = repr(paths[0] if len(paths) == 1 else list(paths))
        options = [f"{name}={getattr(said, name)!r}" for name in ("sep", "encoding") if name in said.given]
        decimal = "," if comma else said.decimal
        options += [f"decimal={decimal!r}"] if decimal else []
        options += _listed("na", [*said.na, *words])
        options += _listed("ignore", [*self._described.ignored, *ignored])
        options += [] if self._columns is None else [f"columns={list(self._columns)!r}"]
        return f"data = bayou.from_file({', '.join([given, *options])})"


def _word(value: Any) -> str:
    """How a file spells a value that stands for a gap; "" for a number that is a value in other columns."""
    if isinstance(value, str):
        return value
    if abs(value) < _COUNTS_ELSEWHERE:
        return ""
    return str(int(value)) if float(value).is_integer() else str(value)


def _listed(option: str, values: Sequence[Any]) -> list[str]:
    if not values:
        return []
    alone = len(values) == 1 and isinstance(values[0], str)
    return [f"{option}={values[0]!r}" if alone else f"{option}={list(values)!r}"]


def fixes_for_files(data: Any, columns: Sequence[Name] | None) -> FileFixes | None:
    """The fixes for data files; None for other data."""
    described = getattr(data, "described", data)
    is_file = isinstance(described, DescribedFile) or isinstance(data, str | os.PathLike)
    return FileFixes(described, columns) if is_file else None
