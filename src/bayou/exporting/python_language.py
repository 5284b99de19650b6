"""Programs as one file of Python that needs only the standard library."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from bayou.errors import BadQuestion
from bayou.exporting.documents import chain_document, score_document, tree_document
from bayou.exporting.language import Language
from bayou.exporting.literals import literal, python_value
from bayou.exporting.programs import ChainProgram, Input, Limit, Program, ScoreProgram, TreeProgram
from bayou.version import __version__

_PARTS = Path(__file__).parent / "python_parts"
_FROM = re.compile(r"^from bayou\..*\n", flags=re.M)
_HEAD = re.compile(r'\A""".*?"""\n', flags=re.S)
_IMPORTS = re.compile(r"^(?:from [\w.]+ import .*|import [\w.]+)\n", flags=re.M)
_ROW = '''

def predict_proba(row):
    """P(target | row), a list in the order of MODEL["states"]; gaps are None or absent."""
    return probabilities(MODEL, row)


def posterior(row):
    """P(target | row), as a mapping of the target's states."""
    return dict(zip(MODEL["states"], predict_proba(row)))


def predict(row):
    """The most probable state of the target (of ties the first)."""
    shares = predict_proba(row)
    return MODEL["states"][shares.index(max(shares))]
'''
_ROWS = '''

def predict_proba(rows):
    """P(state) of each row of a sequence, lists in the order of MODEL["states"]; gaps are None or absent."""
    return probabilities(MODEL, rows)


def posterior(rows):
    """P(state) of each row of a sequence, as mappings of the states."""
    return [dict(zip(MODEL["states"], shares)) for shares in predict_proba(rows)]
'''


class PythonLanguage(Language):
    """One file with ``posterior(row)``, ``predict_proba(row)`` and ``predict(row)``; rows are mappings."""

    name: ClassVar[str] = "python"
    limit: ClassVar[Limit] = Limit(1_000_000, "ask the library itself, whose core is compiled.")

    def of_scores(self, program: ScoreProgram) -> str:
        """Write sums of terms by class."""
        return _file(program, score_document(program), ("amounts", "cells", "terms", "scores"), _ROW)

    def of_tree(self, program: TreeProgram) -> str:
        """Write sums over a clique tree."""
        return _file(program, tree_document(program), ("amounts", "cells", "terms", "tree"), _ROW)

    def of_chain(self, program: ChainProgram) -> str:
        """Write a hidden Markov model."""
        return _file(program, chain_document(program), ("amounts", "cells", "terms", "chain"), _ROWS)


def _file(program: Program, document: dict[str, Any], parts: tuple[str, ...], end: str) -> str:
    refuse_days(program.inputs, "Python")
    _refuse_equal(program)
    imports: set[str] = set()
    texts = []
    for part in parts:
        own, text = _part(part)
        imports |= own
        texts.append(text)
    content = literal(document, python_value)
    if "datetime." in content:
        imports.add("import datetime")
    first = (
        f'"""A model of bayou {__version__} as plain Python: it needs the standard library, no more."""\n\n'
        "from __future__ import annotations\n\n"
    )
    return first + _joined(imports) + "\n\ninf = math.inf\nMODEL = " + content + "\n" + "".join(texts) + end


def _joined(lines: set[str]) -> str:
    """Lines of imports, with one for each module."""
    names: dict[str, set[str]] = {}
    for line in sorted(lines):
        if line.startswith("from "):
            module, own = line.removeprefix("from ").split(" import ")
            names.setdefault(module, set()).update(own.split(", "))
    whole = [line for line in sorted(lines) if line.startswith("import ")]
    return "\n".join([*whole, *[f"from {m} import {', '.join(sorted(own))}" for m, own in names.items()]])


@cache
def _part(name: str) -> tuple[frozenset[str], str]:
    """The imports of a part from the standard library, and the rest of it."""
    text = (_PARTS / f"{name}.py").read_text(encoding="utf-8")
    text = _FROM.sub("", _HEAD.sub("", text)).replace("from __future__ import annotations\n", "")
    imports = frozenset(line.strip() for line in _IMPORTS.findall(text))
    return imports, "\n\n" + _IMPORTS.sub("", text).strip() + "\n"


def refuse_days(inputs: tuple[Input, ...], language: str) -> None:
    """Refuse columns of dates, of which a model knows the days."""
    for each in inputs:
        if each.days:
            raise BadQuestion(
                f"{each.name!r} has dates, which are exported to SQL only. Make it a number of days before "
                f"you fit, or leave it out, for {language}."
            )


def _refuse_equal(program: Program) -> None:
    """Refuse states that are one key of a dictionary, such as 1 and True."""
    states = program.target.states
    if len(set(states)) < len(states):
        raise BadQuestion(
            f"{program.target.name!r} has states that Python's dictionaries hold for one, such as 1 and "
            "True. Rename one of them before the export."
        )
