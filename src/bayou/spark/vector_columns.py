"""Vectors of Spark ML as plain columns: an element each, under the name that Spark's attributes give it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bayou.errors import BadData
from bayou.sources.spark.frames import quoted

MOST_ELEMENTS = 10_000
"""The longest vector that is taken apart."""


@dataclass(frozen=True)
class VectorElement:
    """An element of a vector column: a number, or the place of a category in ``labels``."""

    column: str
    place: int
    name: str
    labels: list[str] | None = None

    def state(self) -> list[Any]:
        """Its fields, for a file."""
        return [self.column, self.place, self.name, self.labels]

    def cell(self, array: Any) -> Any:
        """The element as a column of its own, of an array of all elements; categories as text."""
        from pyspark.sql import functions

        value = array.getItem(self.place)
        if self.labels is None:
            return value.alias(self.name)
        known = functions.array(*(functions.lit(label) for label in self.labels))
        return functions.get(known, value.cast("int")).alias(self.name)


def vector_elements(frame: Any, names: Sequence[str]) -> list[VectorElement]:
    """The elements of all vectors among these columns of a DataFrame."""
    found: list[VectorElement] = []
    for name in names:
        field = frame.schema[name]
        if field.dataType.typeName() == "vectorudt" or type(field.dataType).__name__ == "VectorUDT":
            found += _elements(frame, name, field.metadata.get("ml_attr", {}))
    return found


def _elements(frame: Any, name: str, attributes: dict[str, Any]) -> list[VectorElement]:
    by_place = {
        entry["idx"]: (entry.get("name"), None if kind == "numeric" else _labels(kind, entry))
        for kind, entries in attributes.get("attrs", {}).items()
        for entry in entries
    }
    size = attributes.get("num_attrs") or _size(frame, name)
    if size > MOST_ELEMENTS:
        raise BadData(
            f"The vectors of {name!r} have {size:,} elements; at most {MOST_ELEMENTS:,} are read as columns. "
            "For words, let inputCols name the column of texts, and use bayou.TextNaiveBayes()."
        )
    parts = [by_place.get(place, (None, None)) for place in range(size)]
    return [
        VectorElement(name, place, f"{name}.{place if own is None else own}", labels)
        for place, (own, labels) in enumerate(parts)
    ]


def _labels(kind: str, attribute: dict[str, Any]) -> list[str] | None:
    """The labels of a category or a truth value by Spark's attribute; None: it is taken for a number."""
    if "vals" in attribute:
        return list(map(str, attribute["vals"]))
    count = 2 if kind == "binary" else attribute.get("num_vals")
    return None if count is None else [str(place) for place in range(count)]


def _size(frame: Any, name: str) -> int:
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql import functions

    vector = frame[quoted(name)]
    row = frame.where(vector.isNotNull()).select(functions.size(vector_to_array(vector))).first()
    if row is None:
        raise BadData(f"Column {name!r} has no vector at all, so its elements are unknown.")
    return int(row[0])


def with_elements(frame: Any, elements: Sequence[VectorElement]) -> Any:
    """The DataFrame and, behind its own columns, one for each element of its vectors."""
    if not elements:
        return frame
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql import functions

    columns = list(dict.fromkeys(element.column for element in elements))
    arrays = [
        vector_to_array(frame[quoted(name)]).alias(f"bayou array {k}") for k, name in enumerate(columns)
    ]
    wide = frame.select("*", *arrays)
    own = [functions.col(quoted(name)) for name in frame.columns]
    cells = [
        element.cell(functions.col(f"`bayou array {columns.index(element.column)}`")) for element in elements
    ]
    return wide.select(*own, *cells)
