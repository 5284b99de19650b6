"""What a user may say about data files, and files together with it."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bayou.errors import BadData, BadQuestion
from bayou.typing import Name


@dataclass(frozen=True)
class FileOptions:
    """How text files are written: the separator of columns, the encoding, the decimal mark, words for gaps.

    None means what is usual: a separator that is recognised, UTF-8, a decimal point.

    >>> FileOptions.checked(sep=";", decimal=",", na=["-", -99]).na
    ('-', '-99')
    """

    sep: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    na: tuple[str, ...] = ()

    @classmethod
    def checked(
        cls, sep: Any = None, encoding: Any = None, decimal: Any = None, na: Any = None
    ) -> FileOptions:
        """Return the options that a user gave; an error says what is wrong with one."""
        if sep is not None and (not isinstance(sep, str) or len(sep) != 1 or sep in '"\r\n'):
            raise BadQuestion(f'sep={sep!r}: give the one character between the columns, such as ";".')
        if decimal is not None and decimal not in (".", ","):
            raise BadQuestion(f'decimal={decimal!r}: give the decimal mark, "." or ",".')
        if decimal is not None and decimal == sep:
            raise BadQuestion(f"sep={sep!r} and decimal={decimal!r}: one character cannot be both.")
        if encoding is not None:
            try:
                codecs.lookup(encoding)
            except (LookupError, TypeError):
                raise BadQuestion(
                    f"encoding={encoding!r} is unknown; give Python's name of it, such as 'cp1252'."
                ) from None
        words = () if na is None else [na] if isinstance(na, str) or not isinstance(na, Iterable) else na
        return cls(sep, encoding, None if decimal == "." else decimal, tuple(str(word) for word in words))

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the options that are not the usual ones."""
        return tuple(name for name in ("sep", "encoding", "decimal", "na") if getattr(self, name))

    def refuse_for(self, path: object, kind: str) -> None:
        """Raise if any option is given for a file that is not text."""
        if self.given:
            raise BadData(f"{path}: {self.given[0]}= is for text files (.csv, .tsv); this is {kind}.")


@dataclass(frozen=True)
class DescribedFile(os.PathLike[str]):
    """Data files (paths, patterns, folders) with what the user says about them; it goes where a path goes."""

    paths: tuple[str, ...]
    options: FileOptions = field(default_factory=FileOptions)
    columns: Sequence[Name] | None = None
    ignored: tuple[Name, ...] = ()
    """Columns that are not read."""
    chosen: Any = None
    """Which rows are read (a ``RowChoice``); None: all."""
    stored: Any = None
    """The rows themselves if they are in a temporary file (a ``StoredFile``); None: the files have them."""

    def __fspath__(self) -> str:
        return self.paths[0]

    def __str__(self) -> str:
        others = len(self.paths) - 1
        return self.paths[0] if not others else f"{self.paths[0]} and {others} more"

    @classmethod
    def of(cls, path: Any) -> DescribedFile:
        """Return what is already described as it is, and any other path without options."""
        path = getattr(path, "described", path)
        return path if isinstance(path, DescribedFile) else cls((os.fspath(path),))
