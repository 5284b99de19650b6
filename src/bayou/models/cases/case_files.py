"""Files of cases: Netica's ``.cas``, and CSV, which holds findings of every kind."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bayou.errors import BadData, BadFile, UnknownState, UnknownVariable, listed, warn_user
from bayou.formats.file_content import FilePath, path_text, read_bytes, write_bytes
from bayou.models.cases.case import Case, Cases
from bayou.models.cases.case_cells import CaseColumn
from bayou.schema import state_labels
from bayou.sources.files.case_text import FIRST_LINE, NUMBER, UNKNOWN, WEIGHT, CaseRow, CaseTable, case_table
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.models.network import Network

NAME, COUNT = "case", "weight"
ENDINGS = (".cas", ".csv")
_MOST_REMARKS = 50


def read_cases(path: FilePath, net: Network) -> Cases:
    """Read named findings about the variables of a network: a ``.cas`` file of Netica, or a CSV file.

    A cell has a state or a number, several states that are possible (``{a, b}``), or states that are
    excluded (``~a``, ``~{a, b}``); ``*``, ``?`` and an empty cell say nothing. A CSV file may also have
    ``do(a)`` and a list of weights, ``[1, 0.5]``, in the order of the states. Columns that are no variables
    of the network and values that are none of its states are left out with a warning, and listed in
    ``remarks``.

    Raises ``BadFile`` if the file is not there or of another kind.

    >>> import bayou, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "patients.cas")
    >>> _ = path.write_text("// ~->[CASE-1]->~\\nIDnum smoke xray\\n1 yes *\\n2 ~yes {yes, no}\\n")
    >>> print(bayou.read_cases(path, bayou.examples.asia()))
    case  weight  findings
    1          1  smoke=yes
    2          1  smoke≠yes, xray in {no, yes}
    >>> folder.cleanup()
    """
    content = read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    found = cases_in(text, net, is_netica=_is_netica(path), path=path)
    if found.remarks:
        warn_user(f"{path}: {' '.join(found.remarks)}")
    return found


def write_cases(path: FilePath, cases: Iterable[Case], net: Network) -> None:
    """Write named findings about the variables of a network: for Netica (``.cas``), or as CSV.

    CSV holds findings of every kind. A ``.cas`` file has no place for likelihoods, do() and names (cases are
    numbered); what is lost is told by a warning. Names and states are written as in Netica's ``.dne`` files.

    ``cases`` are objects of :class:`bayou.Case`. Raises ``BadFile`` if the ending of the name is of no
    known kind.

    >>> import bayou, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "patients.csv")
    >>> ann = bayou.Case("Ann", {"smoke": "yes"}, {"dysp": [1, 0.5]})
    >>> bayou.write_cases(path, [ann], bayou.examples.asia())
    >>> print(path.read_text().strip())
    case,smoke,dysp
    Ann,yes,"[1.0, 0.5]"
    >>> folder.cleanup()
    """
    text, losses = cases_text(list(cases), net, is_netica=_is_netica(path))
    write_bytes(path, text.encode("utf-8"))
    if losses:
        warn_user(f"{path}: {' '.join(losses)}")


def cases_in(text: str, net: Network, *, is_netica: bool, path: Any = "the file") -> Cases:
    """The cases in the text of a file, with remarks on what was left out."""
    if is_netica:
        table = case_table(iter(text.splitlines()), path)
        name, weight = table.place(NUMBER), table.place(WEIGHT)
    else:
        table = _csv_table(text, path)
        name, weight = table.place(NAME), table.place(COUNT)
    columns, remarks = _matched(table, net, {name, weight}, is_netica)
    cases = []
    for number, row in enumerate(table.rows, 1):
        called = row.cells[name] if name is not None else ""
        kinds: dict[str, dict[Name, Any]] = {"given": {}, "likelihood": {}, "do": {}}
        for place, column in columns.items():
            try:
                said = column.finding(row.cells[place])
            except (BadData, UnknownState) as problem:
                told = str(problem).rstrip(".")
                remarks.append(f"Line {row.line}, {column.name}: {told}; this finding was left out.")
                continue
            if said is not None:
                kinds[said[0]][column.variable.name] = said[1]
        counted = 1.0 if weight is None else _weight(row.cells[weight], row.line, path)
        cases.append(Case(str(number) if called in UNKNOWN else called, **kinds, weight=counted))
    return Cases(cases, _few(remarks))


def cases_text(cases: list[Case], net: Network, *, is_netica: bool) -> tuple[str, list[str]]:
    """The text of a file of cases, and what it cannot hold, in sentences."""
    used = [
        name for name in net.names if any(name in kind for one in cases for kind in one.findings.values())
    ]
    known = [name for one in cases for kind in one.findings.values() for name in kind]
    for name in known:
        if name not in net.variables:
            raise UnknownVariable.named(name, net.names)
    columns = _columns(net, is_netica)
    chosen = [columns[name] for name in used]
    losses: list[str] = []
    if is_netica:
        return _netica_text(cases, chosen, losses), losses
    weighted = any(one.weight != 1 for one in cases)
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow([NAME, *([COUNT] if weighted else []), *(column.name for column in chosen)])
    for one in cases:
        own = [f"{one.weight:.17g}"] if weighted else []
        writer.writerow([one.name, *own, *(_csv_cell(one, column) for column in chosen)])
    return target.getvalue(), losses


def _netica_text(cases: list[Case], columns: list[CaseColumn], losses: list[str]) -> str:
    weighted = any(one.weight != 1 for one in cases)
    lines = [FIRST_LINE, "", "\t".join([NUMBER, *([WEIGHT] if weighted else []), *(c.name for c in columns)])]
    for number, one in enumerate(cases, 1):
        cells = [str(number), *([f"{one.weight:.17g}"] if weighted else [])]
        for column in columns:
            name = column.variable.name
            cells.append(column.cell(one.given[name]) if name in one.given else "*")
        lost = [f"the likelihood of {name!r}" for name in one.likelihood]
        lost += [f"do({name!r})" for name in one.do]
        if lost:
            losses.append(f"Case {one.name!r}: a .cas file has no place for {', '.join(lost)}.")
        said = "" if one.name == str(number) else f"\t// {' '.join(one.name.split())}"
        lines.append("\t".join(cells) + said)
    if any(one.name != str(number) for number, one in enumerate(cases, 1)):
        losses.append("The names of the cases are comments: Netica numbers its cases.")
    return "\n".join([*lines, ""])


def _csv_cell(case: Case, column: CaseColumn) -> str:
    name = column.variable.name
    if name in case.do:
        return f"do({column.cell(case.do[name])})"
    if name in case.given:
        return column.cell(case.given[name])
    return str([float(one) for one in case.likelihood[name]]) if name in case.likelihood else ""


def _columns(net: Network, is_netica: bool) -> dict[Name, CaseColumn]:
    """How each variable is written in files of this kind."""
    variables = [net.variables[name] for name in net.names]
    names = state_labels(net.names)
    if not is_netica:
        return {v.name: CaseColumn.plain(v, name) for v, name in zip(variables, names, strict=True)}
    from bayou.formats.netica.dne_appearance import DNE
    from bayou.formats.spelling import spelt_names

    spelling = spelt_names(variables, net.appearance, DNE)
    return {v.name: CaseColumn(v, spelling.names[v.name], spelling.states[v.name], False) for v in variables}


def _matched(
    table: CaseTable, net: Network, own: set[int | None], is_netica: bool
) -> tuple[dict[int, CaseColumn], list[str]]:
    """The variable of each column, and remarks on columns that are none."""
    columns = _columns(net, is_netica)
    by_text: Mapping[str, CaseColumn] = {
        **{column.name: column for column in columns.values()},
        **dict(zip(state_labels(net.names), columns.values(), strict=True)),
    }
    places = [place for place in range(len(table.names)) if place not in own]
    unknown = [table.names[place] for place in places if table.names[place] not in by_text]
    remarks = [f"No variables of the network, left out: {listed(unknown)}."] if unknown else []
    return {p: by_text[table.names[p]] for p in places if table.names[p] in by_text}, remarks


def _csv_table(text: str, path: Any) -> CaseTable:
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        names = [name.strip() for name in next(reader, [])]
    except csv.Error as problem:
        raise BadFile.at(path, f"line {reader.line_num}: {problem}.") from None
    if not any(names):
        raise BadFile.at(path, "the file has no line with the names of the columns.")
    return CaseTable(names, _csv_rows(reader, len(names), path))


def _csv_rows(reader: Any, width: int, path: Any) -> Iterator[CaseRow]:
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as problem:
            raise BadFile.at(path, f"line {reader.line_num}: {problem}.") from None
        if cells is None:
            return
        if not any(cells):
            continue
        if len(cells) > width:
            raise BadFile.at(path, f"line {reader.line_num} has {len(cells)} values; expected {width}.")
        yield CaseRow(reader.line_num, [*(cell.strip() for cell in cells), *[""] * (width - len(cells))])


def _weight(cell: str, line: int, path: Any) -> float:
    if cell in UNKNOWN:
        return 1.0
    try:
        weight = float(cell)
    except ValueError:
        weight = -1.0
    if not 0 <= weight < float("inf"):
        raise BadFile.at(path, f"line {line}: {cell!r} is no number of cases; expected one from 0 upwards.")
    return weight


def _few(remarks: list[str]) -> list[str]:
    """The remarks, not more than people read."""
    more = len(remarks) - _MOST_REMARKS
    return remarks if more <= 0 else [*remarks[:_MOST_REMARKS], f"There are {more} more such lines."]


def _is_netica(path: FilePath) -> bool:
    name = path_text(path).lower().removesuffix(".gz")
    if not name.endswith(ENDINGS):
        raise BadFile.at(path, f"the ending of the name chooses the format; use one of {', '.join(ENDINGS)}.")
    return name.endswith(".cas")
