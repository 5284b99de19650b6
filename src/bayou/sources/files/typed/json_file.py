"""JSON lines as columns, read by duckdb: one object per line, whose keys are the columns."""

from __future__ import annotations

from bayou.errors import BadFile
from bayou.progress import tracked
from bayou.sources.files.column_widths import ColumnWidth
from bayou.sources.files.compression import compression_of
from bayou.sources.files.duckdb_reading import sql_name, sql_paths, sql_text
from bayou.sources.files.typed.json_keys import JsonObjects, may_be_renamed
from bayou.sources.files.typed.typed_file import TypedFile
from bayou.typing import Name

_AS_THEY_ARE = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN")
_FILE = "bayou_file_of_row"
_NESTED = ("STRUCT", "MAP")


class JsonFile(TypedFile):
    """JSON lines; an absent key and null are missing values, and values keep their types.

    All rows are looked through first, because the type of a column is that of all its values.
    """

    endings = (".jsonl", ".ndjson")
    kind = "a file of JSON lines"

    def _table(self) -> str:
        packed, paths = compression_of(self.files), sql_paths(self.files.paths)
        hive = str(bool(self.files.partitions)).lower()
        self._options = (
            f"format='newline_delimited', records=true, compression='{packed}', hive_partitioning={hive}, "
            "union_by_name=true"
        )
        self._objects = JsonObjects(
            self._connection,
            f"read_json_objects({paths}, format='newline_delimited', compression='{packed}', "
            f"hive_partitioning={hive}, filename='{_FILE}')",
            self.path,
        )
        for step in tracked(("opening", "looking"), f"Looking through {self.path}"):
            if step == "looking":
                types = self._found_types(paths)
        self._types = {name: self._type(name, kind) for name, kind in types.items()}
        if self._by_keys:
            keys = {f"c{place}": key for place, key in enumerate(self._types.items())}
            return self._objects.table(keys, self.files.partitions)
        typed = ", ".join(
            f"{sql_text(name)}: {sql_text(kind)}"
            for name, kind in self._types.items()
            if name not in self.files.partitions
        )
        return f"read_json({paths}, {self._options}, columns={{{typed}}})"

    def _found_types(self, paths: str) -> dict[str, str]:
        """The SQL type of each column over all rows."""
        self._by_keys = False
        try:
            found = self._connection.sql(
                f"select * from read_json({paths}, {self._options}, sample_size=-1, maximum_depth=2, "
                "map_inference_threshold=-1)"
            )
        except Exception as problem:
            if "non-record JSON" not in str(problem):
                raise
            found = None  # lines that are no objects, or that have an empty key
        if found is None or may_be_renamed(found.columns):
            types = self._objects.types()
            self._by_keys = found is None or set(types) != set(found.columns) - set(self.files.partitions)
            if self._by_keys:
                return types
        return dict(zip(found.columns, map(str, found.types), strict=True))

    def _only(self, name: str, kind: str, file: str = "") -> str:
        """The SQL for the rows with one column, read as a type, and perhaps the name of the file."""
        if self._by_keys:
            return self._objects.table({name: (name, kind)}, [file] if file else [])
        named = f"filename={sql_text(file)}, " if file else ""
        return (
            f"read_json({sql_paths(self.files.paths)}, {self._options}, {named}"
            f"columns={{{sql_text(name)}: {sql_text(kind)}}})"
        )

    def _type(self, name: str, kind: str) -> str:
        """The SQL type to read a column as; texts that duckdb takes for dates or ids stay text.

        Lists and objects keep theirs: the reader of rows refuses them by name, as in every kind of table.
        """
        if kind in _AS_THEY_ARE or kind.endswith("[]") or kind.startswith(_NESTED):
            return self._integers(name) if kind == "HUGEINT" else kind
        if kind == "JSON":
            self._refuse_mixed(name)
        return "VARCHAR"

    def _integers(self, name: str) -> str:
        """The SQL type of integers that duckdb takes for wide ones, as it does for large negative ones."""
        column = sql_name(name)
        least, most = self._connection.execute(
            f"select min({column}), max({column}) from {self._only(name, 'HUGEINT')}"
        ).fetchone()
        if least >= -(2**63) and most < 2**63:
            return "BIGINT"
        return "UBIGINT" if least >= 0 and most < 2**64 else "HUGEINT"

    def _refuse_mixed(self, name: str) -> None:
        """Raise if a column has values of several types; name them, and the first row of the second type."""
        column = sql_name(name)
        rows = self._connection.execute(
            f"select json_type({column}) as kind, min(row), arg_min({column}, row)::varchar, "
            f"arg_min(file, row) from (select {column}, {_FILE} as file, row_number() over () as row from "
            f"{self._only(name, 'JSON', _FILE)}) "
            f"where {column} is not null group by kind order by 2"
        ).fetchall()
        kinds = [row for row in rows if row[0] != "NULL"]
        if len(kinds) > 1:
            (_, _, before, first), (_, row, value, file) = kinds[:2]
            where = "" if self.files.is_one else f" in {first}"
            raise BadFile.at(
                file,
                f"column {name!r} has values of several types: {before} at first{where}, and {value} in row "
                f"{row - 1} (counting from 0). Write them all as text, or all as numbers.",
            )

    def _columns(self) -> list[tuple[Name, str, ColumnWidth]]:
        widths = [(name, ColumnWidth.of(kind)) for name, kind in self._types.items()]
        if not self._by_keys:
            return [(name, name, width) for name, width in widths]
        keys: list[tuple[Name, str, ColumnWidth]] = [
            (name, f"c{place}", width) for place, (name, width) in enumerate(widths)
        ]
        return [*keys, *((name, name, ColumnWidth.of("VARCHAR")) for name in self.files.partitions)]
