"""Bodies of requests made from the forms in openapi.json, so that new questions are tried, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

FORMS = "#/components/schemas/"
NAMES = ("variable", "target", "one", "other", "parent", "child", "targets", "among")


class FilledForms:
    """Fills every text of a form with ``text``, and what names a variable with ``name``, if that is given."""

    def __init__(self, description: dict[str, Any], text: str, name: str | None = None) -> None:
        self._description, self._text, self._name = description, text, name

    def requests(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """The method, the path and the body of a request for each address that takes JSON."""
        for path, methods in self._description["paths"].items():
            for method, operation in methods.items():
                content = operation.get("requestBody", {}).get("content", {})
                if "application/json" in content:
                    for body in self.bodies(content["application/json"]["schema"]):
                        yield method, path, body

    def bodies(self, schema: dict[str, Any]) -> Iterator[Any]:
        """A value for the form itself, or for each of its alternatives."""
        resolved = self._resolved(schema)
        lists = [
            (name, each["items"])
            for name, each in resolved.get("properties", {}).items()
            if len(self._alternatives(each.get("items", {}))) > 4
        ]
        for name, items in lists:  # a list of one of many forms, as that of edits
            for one in self._alternatives(items):
                yield {name: [self.value(one)]}
        if not lists:
            yield self.value(schema)

    def value(self, schema: dict[str, Any], key: str = "") -> Any:
        """A value that has the form."""
        schema = self._resolved(schema)
        choices = self._alternatives(schema)
        if choices:
            plain = [one for one in choices if one.get("type") == "string"]
            return self.value((plain or choices)[0], key)
        if "enum" in schema or "const" in schema:
            return schema["enum"][0] if "enum" in schema else schema["const"]
        kind = schema.get("type", "string")
        if kind == "object":
            return {name: self.value(one, name) for name, one in schema.get("properties", {}).items()}
        if kind == "array":
            items = schema.get("prefixItems") or [schema.get("items", {})]
            return [self.value(one, key) for one in items]
        if kind == "string":
            return self._name if self._name is not None and key in NAMES else self._text
        return {"integer": 1, "number": 0.5, "boolean": True}.get(kind)

    def _alternatives(self, schema: dict[str, Any]) -> list[dict[str, Any]]:
        schema = self._resolved(schema)
        return schema.get("anyOf") or schema.get("oneOf") or []

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            found = self._description["components"]["schemas"][schema["$ref"].removeprefix(FORMS)]
            schema = found
        return schema
