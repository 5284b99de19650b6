"""JavaScript modules in one script: each becomes a function that returns what the module exports.

The modules of the page import names in braces or all at once (``* as name``), and export declarations;
anything else is refused, so that nothing is bundled that means something different afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from posixpath import dirname, join, normpath

_IMPORT = re.compile(r'^import (\{[^}]*\}|\* as \w+) from "([^"]+)";\n', flags=re.M)
_EXPORT = re.compile(r"^export (const|function\*?|class|async function) (\w+)", flags=re.M)
_OTHER = re.compile(r"^(?:import|export)\b.*|\bimport\(.*|\bimport\.meta\b.*", flags=re.M)


def bundled(start: str, read: Callable[[str], str]) -> str:
    """Return one script of a module and all that it imports; ``read(path)`` gives the text of a module.

    >>> files = {"main.js": 'import { one } from "./logic/one.js";\\none();\\n',
    ...          "logic/one.js": "export function one() {}\\n"}
    >>> print(bundled("main.js", files.get))
    const module0 = (() => {
    function one() {}
    return { one };
    })();
    const module1 = (() => {
    const { one } = module0;
    one();
    return {  };
    })();
    <BLANKLINE>
    """
    numbers: dict[str, int] = {}
    parts: list[str] = []
    _add(start, read, numbers, parts, ())
    return "".join(parts)


def _add(
    path: str, read: Callable[[str], str], numbers: dict[str, int], parts: list[str], above: tuple[str, ...]
) -> None:
    if path in numbers:
        return
    if path in above:
        raise ValueError(f"The modules {' → '.join((*above, path))} import each other.")
    text = read(path)
    heads = []
    for names, source in _IMPORT.findall(text):
        target = normpath(join(dirname(path), source))
        _add(target, read, numbers, parts, (*above, path))
        heads.append(f"const {_bound(names)} = module{numbers[target]};\n")
    exports = ", ".join(name for _, name in _EXPORT.findall(text))
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub("", text))
    strange = _OTHER.search(body)
    if strange is not None:
        raise ValueError(f"{path} has a form of import or export that is not bundled: {strange[0]}")
    numbers[path] = len(numbers)
    parts.append(
        f"const module{numbers[path]} = (() => {{\n{''.join(heads)}{body}return {{ {exports} }};\n}})();\n"
    )


def _bound(names: str) -> str:
    """The names of an import as the left side of an assignment.

    >>> _bound("{ one, two as other }"), _bound("* as all")
    ('{ one, two: other }', 'all')
    """
    return " ".join(names.split()).removeprefix("* as ").replace(" as ", ": ")
