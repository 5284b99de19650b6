"""A look at a table before learning that may be long: what could not be saved, what is hardly meant."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bayou.cli.terminal.reporting import tell_note
from bayou.cli.terminal.wording import word
from bayou.errors import BadVariable, listed

if TYPE_CHECKING:
    from bayou.models.network import Network
    from bayou.schema import Variable

_OF_THE_DATA = ("states", "continuous", "weights", "ignore")


def check_before_search(table: str, chosen: Mapping[str, Any], output: str | None) -> None:
    """Refuse an output that can not hold the variables, and note states that look like gaps."""
    from bayou.fitting.structure_data import open_structure_data

    with warnings.catch_warnings():
        # The search opens the table again, and says then what there is to say.
        warnings.simplefilter("ignore")
        opened = open_structure_data(table, **{key: chosen[key] for key in _OF_THE_DATA if key in chosen})
    _refuse_numbers(opened.variables, output)
    note_gap_words(variable for variable in opened.variables if variable.name not in opened.declared)


def check_before_fit(table: str, net: Network, output: str | None) -> None:
    """Refuse an output that can not hold the variables: learning with gaps may take its time, too."""
    if output is None or output.lower().endswith(".bayou"):
        return
    from bayou.schema import text_names
    from bayou.sources import open_source

    declared = net.structure.declared
    source = open_source(table, as_text=text_names(declared.values()))
    inferred = [source.variable(name) for name in source.names if name in net.names and name not in declared]
    _refuse_numbers([*declared.values(), *inferred], output)


def _refuse_numbers(variables: Sequence[Variable], output: str | None) -> None:
    """Only bayou's own files hold continuous variables: better said before than after the learning."""
    numbers = [variable.name for variable in variables if variable.is_continuous]
    if numbers and output is not None and not output.lower().endswith(".bayou"):
        raise BadVariable(
            f"{output}: this format can not hold continuous variables, such as {listed(numbers[:3])}. Save "
            f"as .bayou, or cut them into ranges (--cuts {word(str(numbers[0]))}=1,2)."
        )


def note_gap_words(variables: Iterable[Variable]) -> None:
    """Among numbers ``NA`` is read as a gap, among words it is one more state: most people mean a gap."""
    from bayou.sources.tables.number_text import GAP_WORDS

    # "None" is often meant: no such thing, not nothing known.
    words = GAP_WORDS - {"none"}
    found = {
        variable.name: [state for state in variable.states if str(state).strip().lower() in words]
        for variable in variables
        if not variable.is_continuous
    }
    told = "; ".join(f"{name!r} has {listed(states)}" for name, states in found.items() if states)
    if told:
        tell_note(f"Taken as states, not as gaps: {told}. Where nothing is known leave the field empty.")
