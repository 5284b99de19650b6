"""The kinds of data files, and which of them a path stands for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bayou.errors import BadFile
from bayou.files.first_bytes import packed_kind
from bayou.sources.files.case_file import CaseFile
from bayou.sources.files.compression import start_of
from bayou.sources.files.data_file import DataFile
from bayou.sources.files.fewer_columns import FewerColumns
from bayou.sources.files.file_options import DescribedFile, FileOptions
from bayou.sources.files.file_part import FilePart
from bayou.sources.files.found_files import PACKED, FoundFiles, found_files, is_remote
from bayou.sources.files.text.text_file import TextFile
from bayou.sources.files.typed.arrow_file import ArrowFile, ArrowStreamFile
from bayou.sources.files.typed.json_file import JsonFile
from bayou.sources.files.typed.parquet_file import ParquetFile
from bayou.typing import Name

BATCH_ROWS = 1 << 18
"""Number of rows in memory at a time while a file is streamed."""
KINDS: tuple[type[DataFile], ...] = (
    TextFile,
    ParquetFile,
    JsonFile,
    ArrowFile,
    ArrowStreamFile,
    CaseFile,
)
"""Every kind of data file; a kind of one's own is one more class."""


def data_endings() -> tuple[str, ...]:
    """The endings of all kinds of data files, without those of compression."""
    return tuple(ending for kind in KINDS for ending in kind.endings)


def open_file(path: Any, columns: Sequence[Name] | None = None) -> DataFile:
    """Open a data file, or all files that a pattern or folder stands for, by their content and endings.

    ``columns`` names the columns of a text file without a header.
    """
    described = DescribedFile.of(path)
    if described.stored is not None:
        return _part(described.stored, described)
    files = found_files(described.paths, data_endings())
    kinds = [(file, kind_of_file(file, described.options)) for file in files.paths]
    first, kind = kinds[0]
    for other, its_kind in kinds:
        if its_kind is not kind:
            raise BadFile.at(
                other,
                f"this is {its_kind.kind}, but {first} is {kind.kind}; one table needs files of one kind.",
            )
    file = kind(files, described.options, described.columns if columns is None else columns)
    return _part(file, described)


def _part(file: DataFile, described: DescribedFile) -> DataFile:
    """The chosen columns and rows of a file, or all."""
    file = FewerColumns(file, described.ignored) if described.ignored else file
    return file if described.chosen is None else FilePart(file, described.chosen)


def kind_of_file(path: str, options: FileOptions) -> type[DataFile]:
    """The kind of a file: by its first and last bytes, else by its ending; options of text make it text."""
    if not is_remote(path):
        for kind in KINDS:
            if kind.recognises(path):
                return kind
    name = Path(path.partition("?")[0] if is_remote(path) else path).name.lower()
    for packed in PACKED:
        name = name.removesuffix(packed)
    for kind in KINDS:
        if name.endswith(kind.endings):
            _refuse_other_content(path, kind)
            return kind
    if options.given:
        return TextFile
    known = ", ".join(data_endings())
    raise BadFile.at(
        path,
        f"unknown kind of file; expected {known} (text also .gz or .zst). Give sep= for another text file.",
    )


def _refuse_other_content(path: str, kind: type[DataFile]) -> None:
    """Refuse a file whose name is that of a kind that its bytes do not begin and end as."""
    if not kind.magic or is_remote(path):
        return
    packed = packed_kind(start_of(path))
    if packed in ("gzip", "zstd"):
        raise BadFile.at(
            path,
            f"this is a {packed} file, not {kind.kind}: unpack it, or name it by what is in it (such as "
            f"{Path(path).name.partition('.')[0]}.csv).",
        )
    raise BadFile.at(
        path, f"this is not {kind.kind}, or not a whole one: it does not begin and end as such files do."
    )


def is_data_file(path: str) -> bool:
    """Whether the name of a file is that of a data file.

    >>> is_data_file("a.csv.gz"), is_data_file("net.bif")
    (True, False)
    """
    endings = tuple(f"{ending}{packed}" for ending in data_endings() for packed in ("", *PACKED))
    return path.lower().endswith(endings)


def files_of(path: Any) -> FoundFiles:
    """The files that a path, pattern or folder stands for."""
    return found_files(DescribedFile.of(path).paths, data_endings())


def weights_of_file(path: Any) -> Name | None:
    """The column with the weights of the rows, if files of this kind say so themselves; else None."""
    described = DescribedFile.of(path)
    if described.stored is not None:
        return None
    first, *_ = found_files(described.paths, data_endings()).paths
    return open_file(described).weights if kind_of_file(first, described.options).may_have_weights else None
