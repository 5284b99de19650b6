"""Programs as one JavaScript module without dependencies; networks with the engine of the explorer's page."""

from __future__ import annotations

import base64
import re
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bayou.exporting.documents import chain_document, judged_part, question_part, score_document
from bayou.exporting.language import Language
from bayou.exporting.literals import javascript_value, literal
from bayou.exporting.programs import ChainProgram, Limit, Program, ScoreProgram, TreeProgram
from bayou.exporting.python_language import refuse_days
from bayou.pages.bundle import bundled
from bayou.pages.one_file import PAGE
from bayou.version import __version__

_PARTS = Path(__file__).parent / "javascript_parts"
_ENGINE = "offline/"
_END = """
/** P(target | row), an array in the order of `states`; gaps are null or absent. Rows are objects or Maps. */
export const predictProba = (row) => answer.probabilities(MODEL, row);
"""
_ROW = """
/** P(target | row), a Map from the target's states. */
export function posterior(row) {
  const shares = predictProba(row);
  return new Map(states.map((state, place) => [state, shares[place]]));
}

/** The most probable state of the target (of ties the first). */
export function predict(row) {
  const shares = predictProba(row);
  return states[shares.indexOf(Math.max(...shares))];
}
"""
_ROWS = """
/** P(state) of each row of a sequence, Maps from the states. */
export function posterior(rows) {
  return predictProba(rows).map((shares) => new Map(states.map((state, place) => [state, shares[place]])));
}
"""


class JavaScriptLanguage(Language):
    """One ES module that exports ``posterior(row)``, ``predictProba(row)``, ``predict(row)``, ``states``."""

    name: ClassVar[str] = "javascript"
    limit: ClassVar[Limit] = Limit(1_000_000, "ask the library itself, whose core is compiled.")

    def of_scores(self, program: ScoreProgram) -> str:
        """Write sums of terms by class."""
        return _module(program, score_document(program), "scores.js", _ROW)

    def of_tree(self, program: TreeProgram) -> str:
        """Write the clique tree as the page reads it."""
        return _module(program, _page_tree(program), "tree.js", _ROW)

    def of_chain(self, program: ChainProgram) -> str:
        """Write a hidden Markov model."""
        return _module(program, chain_document(program), "chain.js", _ROWS)


def _page_tree(program: TreeProgram) -> dict[str, Any]:
    flat = np.concatenate([np.ravel(table) for table in program.tables]).astype("<f8")
    tree = {
        "cards": list(program.cards),
        "cliques": [list(clique.variables) for clique in program.cliques],
        "parents": [clique.parent for clique in program.cliques],
        "scopes": [list(scope) for scope in program.scopes],
        "homes": list(program.homes),
        "numbers": base64.b64encode(flat.tobytes()).decode("ascii"),
    }
    return {
        **question_part(program),
        "aim": program.aim,
        "numbers": list(program.numbers),
        "tree": tree,
        **judged_part(program),
    }


def _module(program: Program, document: dict[str, Any], start: str, end: str) -> str:
    refuse_days(program.inputs, "JavaScript")
    content = literal(document, javascript_value)
    return (
        f"/** A model of bayou {__version__} as plain JavaScript: it needs nothing but this file. */\n"
        f"const MODEL = {content};\n\n{_script(start)}"
        f"export const states = MODEL.states;\n{_END}{end}"
    )


@cache
def _script(start: str) -> str:
    """The arithmetic as one script, whose last value is ``answer``."""
    text = bundled(start, _text)
    last = max(int(number) for number in re.findall(r"^const module([0-9]+) =", text, flags=re.M))
    return f"{text}const answer = module{last};\n\n"


def _text(path: str) -> str:
    folder = PAGE / "logic" if path.startswith(_ENGINE) else _PARTS
    return (folder / path).read_text(encoding="utf-8")
