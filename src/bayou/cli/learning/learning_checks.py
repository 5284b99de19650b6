"""Checks made before a search or a fit that may take long: of the output format, and of odd states."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bayou.cli.network_text import OWN_ENDINGS
from bayou.cli.terminal.reporting import tell_note
from bayou.cli.terminal.wording import option_item, shell_word
from bayou.documents.data_notes import gap_word_note
from bayou.errors import BadVariable, listed

if TYPE_CHECKING:
    from bayou.models.network import Network
    from bayou.schema import Variable

_DATA_OPTIONS = ("states", "continuous", "weights", "ignore", "share")
"""The options of ``bayou structure`` that say how the table is read."""


def check_before_search(table: str, chosen: Mapping[str, Any], output: str | None) -> None:
    """Refuse an output format that cannot hold the variables, and note states that look like gaps."""
    from bayou.fitting.structure_data import open_structure_data

    with warnings.catch_warnings():
        # The search opens the table again and gives these warnings then.
        warnings.simplefilter("ignore")
        opened = open_structure_data(table, **{key: chosen[key] for key in _DATA_OPTIONS if key in chosen})
    _refuse_continuous(opened.variables, output)
    note_gap_words(variable for variable in opened.variables if variable.name not in opened.declared)


def check_before_fit(table: str, net: Network, output: str | None) -> None:
    """Refuse an output format that cannot hold the variables, because learning with gaps may take long."""
    if output is None or output.lower().endswith(OWN_ENDINGS):
        return
    from bayou.schema import text_names
    from bayou.sources import open_source

    declared = net.structure.declared
    source = open_source(table, as_text=text_names(declared.values()))
    inferred = [source.variable(name) for name in source.names if name in net.names and name not in declared]
    _refuse_continuous([*declared.values(), *inferred], output)


def _refuse_continuous(variables: Sequence[Variable], output: str | None) -> None:
    """Raise if the output is a format other than bayou's own, which alone can hold continuous variables."""
    continuous = [variable.name for variable in variables if variable.is_continuous]
    if continuous and output is not None and not output.lower().endswith(OWN_ENDINGS):
        raise BadVariable(
            f"{output}: this format cannot hold continuous variables, such as {listed(continuous[:3])}. Save "
            f"as .bayou, or cut them into ranges (--cuts {shell_word(f'{option_item(continuous[0])}=1,2')})."
        )


def note_gap_words(variables: Iterable[Variable]) -> None:
    """Print a note on standard error if states look like missing values (``NA``)."""
    note = gap_word_note(variables)
    if note is not None:
        tell_note(note)
