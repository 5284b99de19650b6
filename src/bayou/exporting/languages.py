"""The languages that models are exported to, by name."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadQuestion
from bayou.exporting.programs import Program
from bayou.registry import loaded

_LANGUAGES = {
    "python": "bayou.exporting.python_language:PythonLanguage",
    "javascript": "bayou.exporting.javascript_language:JavaScriptLanguage",
    "sql": "bayou.exporting.sql_language:SqlLanguage",
}


def written(program: Program, language: str, **options: Any) -> str:
    """Return the text of a program in a language; options are those of the language's class."""
    if language not in _LANGUAGES:
        raise BadQuestion.choice("language", language, tuple(_LANGUAGES))
    given = {name: value for name, value in options.items() if value is not None}
    if given and language != "sql":
        raise BadQuestion(f"{next(iter(given))}= is for language='sql'; leave it out for {language}.")
    text: str = loaded(_LANGUAGES[language])(**given).text(program)
    return text
