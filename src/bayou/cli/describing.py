"""Print networks and posteriors as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bayou.cli.terminal.rendering import Screen
from bayou.errors import counted

if TYPE_CHECKING:
    from bayou.models.answers.posterior import AnyPosterior
    from bayou.models.network import Network
    from bayou.text.tables import TextTable
    from bayou.typing import Name

SHOWN_CELLS = 64
"""Tables with more cells are shown only if they are named."""
SHOWN_NODES = 40
SHOWN_STATES = 6


def show_network(screen: Screen, net: Network) -> None:
    """Print the size, the variables and the small tables of a network."""
    screen.text(*summary(net))
    screen.text("")
    screen.table(overview(net))
    if len(net.names) <= SHOWN_NODES:
        small = small_tables(net)
        if small:
            screen.text("")
            screen.tables(small)


def summary(net: Network) -> list[str]:
    """Describe the size and the sharing of a network in a few lines."""
    from bayou.networks import describe

    return [f"Network of {network_size(net)}", str(net.parameter_count()), *describe(net.sharing)]


def network_size(net: Network) -> str:
    """``8 variables and 8 arcs``."""
    return f"{counted(len(net.names), 'variable')} and {counted(len(net.arcs), 'arc')}"


def overview(net: Network) -> TextTable:
    """One row per variable: its states and its parents."""
    from bayou.schema import label
    from bayou.text.tables import TextTable

    rows = []
    for variable in net.variables:
        states = ", ".join(label(state) for state in variable.states[:SHOWN_STATES])
        if variable.is_continuous:
            states = "(texts)" if variable.is_text else "(continuous)"
        elif variable.cardinality > SHOWN_STATES:
            states = f"{states}, … ({variable.cardinality} in all)"
        parents = ", ".join(label(parent) for parent in net.parents(variable.name))
        rows.append([label(variable.name), states, parents])
    return TextTable(["variable", "states", "parents"], rows, most_rows=SHOWN_NODES)


def small_tables(net: Network) -> list[TextTable]:
    """The tables that fit a screen; a shared table is listed once."""
    shown, done = [], set()
    for name in net.names:
        block = net.frozen.slots[name]
        if block in done or block not in net.frozen.blocks:
            continue
        done.add(block)
        if _cells(net, name) <= SHOWN_CELLS:
            shown.append(parameter_table(net, name))
    return shown


def parameter_table(net: Network, name: Name) -> TextTable:
    """The table of a discrete variable, or the parameters of another one."""
    table: TextTable = (net.node(name) if net.variables[name].is_continuous else net.cpt(name)).to_table()
    return table


def _cells(net: Network, name: Name) -> int:
    """The number of cells in the table of a variable."""
    cells = max(1, net.variables[name].cardinality)
    for parent in net.frozen.discrete_parents(name):
        cells *= parent.cardinality
    return cells


def posterior_rows(posteriors: Iterable[tuple[Name, AnyPosterior]]) -> TextTable:
    """The marginals of several variables in one table, with bars, and with their errors if they have any."""
    from bayou.models.answers.continuous_posterior import ContinuousPosterior
    from bayou.models.answers.estimate_texts import error_cells, error_headings
    from bayou.models.answers.posterior import Posterior
    from bayou.schema import label
    from bayou.text.tables import Bar, TextTable

    rows: list[list[Any]] = []
    headings: list[str] = []
    for name, posterior in posteriors:
        if isinstance(posterior, ContinuousPosterior):
            low, high = posterior.interval()
            within = f"95 % within {low:.6g} … {high:.6g}"
            rows.append([label(name), f"mean {posterior.mean:.6g}", "", *([""] * len(headings)), within])
        elif isinstance(posterior, Posterior):
            error = posterior.estimate
            headings = error_headings(error) if error else headings
            ends: list[list[Any]] = error_cells(error) if error else [[] for _ in posterior.to_array()]
            for number, ((state, p), end) in enumerate(zip(posterior, ends, strict=True)):
                rows.append(["" if number else label(name), label(state), float(p), *end, Bar(float(p))])
    return TextTable(["variable", "state", "P", *headings, ""], rows, most_rows=len(rows))
