"""JSON lines whose keys duckdb cannot have as columns: keys that differ only in case, and the empty key.

SQL ignores case, so that duckdb renames the second of ``a`` and ``A``, and then looks for the new name in the
lines. Such files are read as whole objects, and each key is taken from them as it is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from bayou.errors import BadFile
from bayou.sources.files.duckdb_reading import sql_name, sql_text
from bayou.typing import Name

_RENAMED = re.compile(r"(.*)_[0-9]+", re.DOTALL)


def may_be_renamed(columns: Sequence[str]) -> bool:
    """Whether duckdb may have renamed one of these columns, as it does where only case tells two apart.

    >>> may_be_renamed(["a", "A_1"]), may_be_renamed(["a", "b_1"])
    (True, False)
    """
    known = {name.casefold() for name in columns}
    stems = (_RENAMED.fullmatch(name) for name in columns)
    return any(stem is not None and stem[1].casefold() in known for stem in stems)


class JsonObjects:
    """The lines of JSON files as objects; ``source`` is the SQL of the table with the one column ``json``."""

    def __init__(self, connection: Any, source: str, path: object) -> None:
        self._connection, self._source, self._path = connection, source, path

    def keys(self) -> list[str]:
        """All keys of all lines, in the order in which they are first met."""
        found = self._connection.execute(
            "select key from (select unnest(keys) as key, row, generate_subscripts(keys, 1) as place from "
            f"(select json_keys(json) as keys, row_number() over () as row from {self._source})) "
            "group by key order by min((row, place))"
        ).fetchall()
        return [key for (key,) in found]

    def types(self) -> dict[str, str]:
        """The type of each key's values over all lines, as SQL has it."""
        lines, objects, structure = self._connection.execute(
            "select count(*), count(*) filter (where json_type(json) = 'OBJECT'), json_group_structure(json) "
            f"from {self._source}"
        ).fetchone()
        if lines != objects:
            raise BadFile.at(self._path, 'one JSON object per line was expected, such as {"age": 41}.')
        held = json.loads(structure)
        return {key: _sql_type(held[key]) for key in self.keys()}

    def table(self, columns: Mapping[str, tuple[str, str]], others: Sequence[Name] = ()) -> str:
        """The SQL of a table with these columns by their SQL names (a key and its type) and some others."""
        parts = [f"{_value(key, kind)} as {sql_name(name)}" for name, (key, kind) in columns.items()]
        parts += [sql_name(str(name)) for name in others]
        return f"(select {', '.join(parts)} from {self._source})"


def _value(key: str, kind: str) -> str:
    place = sql_text("/" + key.replace("~", "~0").replace("/", "~1"))
    return f"(json->>{place})" if kind == "VARCHAR" else f"(json->{place})::{kind}"


def _sql_type(held: Any) -> str:
    """The SQL type of values as duckdb's json_group_structure describes them."""
    if isinstance(held, list):
        return "JSON[]"
    if isinstance(held, dict):
        return "STRUCT(value JSON)"
    return {"UBIGINT": "HUGEINT", "NULL": "JSON"}.get(held, str(held))
