"""``bayou.from_file``: data files with what must be said about them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from bayou.arguments import names_given
from bayou.errors import BadQuestion
from bayou.sources.files.file_options import DescribedFile, FileOptions
from bayou.sources.files.file_source import FileSource
from bayou.typing import Name


def from_file(
    path: Any,
    *,
    sep: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    na: Any = None,
    columns: Sequence[Name] | None = None,
    ignore: Sequence[Name] = (),
) -> FileSource:
    """Return data files as a source, which goes wherever data go.

    ``path`` is a file, a pattern (``"data/*.parquet"``), a folder (its folders ``year=2024`` become
    a column), an address that duckdb reads (``"s3://bucket/table.parquet"``), or a list of such: files with
    the same columns are one table. A path alone goes wherever data go, too; the options say how text
    files are written:

    - ``sep``: the character between the columns, if it is not recognised.
    - ``encoding``: Python's name of the encoding, if it is not UTF-8, such as ``"cp1252"``.
    - ``decimal=","``: numbers are written as ``1.234,50``.
    - ``na``: a word, or several, that stand for a missing value, such as ``["-", "-99"]``.
    - ``columns``: the names of the columns, if the file has no header.

    ``ignore`` lists columns (of any kind of file) that are no data, such as an identifier: they are not read.

    Raises ``BadFile`` if there is no such file.

    >>> import bayou, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "wages.txt")
    >>> _ = path.write_text("who;wage\\nAnn;1,5\\nBob;-\\nEve;2,5\\n", encoding="cp1252")
    >>> wages = bayou.from_file(path, sep=";", encoding="cp1252", decimal=",", na="-")
    >>> bayou.Network("wage", continuous=["wage"]).fit(wages).query("wage").mean
    2.0
    >>> folder.cleanup()
    """
    given = [path] if isinstance(path, str | os.PathLike) else path
    if not isinstance(given, Sequence) or not all(isinstance(each, str | os.PathLike) for each in given):
        raise BadQuestion(f"from_file({path!r}): give a path, a pattern, a folder, or a list of them.")
    options = FileOptions.checked(sep, encoding, decimal, na)
    ignored = names_given("ignore", ignore)
    described = DescribedFile(tuple(os.fspath(each) for each in given), options, columns, ignored)
    return FileSource(described).opened()  # a wrong path or option is an error here
