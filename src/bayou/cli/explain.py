"""``bayou explain``: explain the decision of a classifier for one row, or an answer of a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayou.cli.terminal.paths import load_model, require_table
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.cli.terminal.table_options import table_options
from bayou.cli.terminal.wording import shell_word
from bayou.documents.predictors import ClassifierPredictor, row_stretches
from bayou.errors import BadQuestion, TooWide, UnknownState, UnknownVariable, counted
from bayou.text.quotes import split_unquoted, unquoted

if TYPE_CHECKING:
    from bayou.models.answers.answer_explanation import AnswerExplanation
    from bayou.models.network import Network
    from bayou.sources import Columns
    from bayou.typing import Name, State

EXAMPLES = """\b
Examples:
  bayou explain ill.bayou patients.csv --row 3
  bayou explain ill.bayou --given age=61 --given smoker=yes
  bayou explain ill.bayou patients.csv --row 0 --of yes --against no --json
  bayou explain asia.bif lung --given 'xray!=no' --given smoke=yes    (a network, in words)
  bayou explain asia.bif "lung | dysp=yes, do(smoke=no)" --of no --shares
"""
FEW = 8
"""Of a network, shares of up to so many findings are shown unasked: 256 posteriors."""


@click.command(short_help="Show why a row gets its class, or why a network says so.", epilog=EXAMPLES)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="[DATA|TARGET]", required=False)
@click.option("--row", type=click.IntRange(min=0), help="The row of DATA, counting from 0.")
@click.option(
    "--given",
    multiple=True,
    metavar="NAME=VALUE",
    help="A finding, instead of a row; of a network also NAME!=STATE, 'NAME in {A, B}' or do(NAME=STATE). "
    "Repeatable.",
)
@click.option("--of", metavar="CLASS", help="The class (or state) to explain.  [default: the most probable]")
@click.option("--against", metavar="CLASS", help="The class to compare it with.  [default: the next best]")
@click.option(
    "--shares/--no-shares",
    default=None,
    help="Of a network: with the share of each finding in the change (Shapley), or without.  [default: with "
    f"them, for 2 to {FEW} findings]",
)
@table_options
@json_option
def explain(
    model: str,
    data: str | None,
    row: int | None,
    given: tuple[str, ...],
    of: str | None,
    against: str | None,
    shares: bool | None,
    as_json: bool,
) -> None:
    """Explain the decision of MODEL (a classifier) for one row, or an answer of MODEL (a network).

    A classifier shows the ledger of log-odds, what each finding adds for one class against another, and the
    working: the calculation in numbers, for models that are a product of one factor per finding (naive
    Bayes). Name a row of a table (DATA and --row) or give the findings (--given).

    A network tells in words why a state of TARGET became more or less likely: which findings moved it, along
    which trail, and which do not matter. Without --of it is the state whose probability rose most. The table
    has what leaving each finding out changes (its weight) and its share: what it adds to the log odds, on
    average over all orders in which the findings could have come; the shares add up to the whole change.
    """
    fitted = load_model(model)
    if not hasattr(fitted, "classes_"):
        if row is not None or against is not None:
            raise click.UsageError("--row and --against are for classifiers; this is a network.")
        _explain_network(fitted, model, data, given, of, shares, as_json)
        return
    if shares is not None:
        raise click.UsageError("--shares is for networks; a classifier shows what each finding adds.")
    if (data is None) == (not given) or (data is None) != (row is None):
        raise click.UsageError("Name a row: DATA with --row 3, or findings with --given NAME=VALUE.")
    if data is not None and not is_piped(data):
        require_table(data)
    predictor = ClassifierPredictor(fitted)
    findings = findings_of(predictor, given) if data is None else _row_of(predictor, data, row or 0)
    _explain_row(predictor, findings, of, against, as_json)


def _explain_row(
    predictor: ClassifierPredictor,
    findings: dict[Name, State],
    of: str | None,
    against: str | None,
    as_json: bool,
) -> None:
    """Print the ledger of one row, and the working where the classifier has one."""
    fitted = predictor.model
    chosen = [None if text is None else _class_of(predictor, text) for text in (of, against)]
    ledger = fitted.explain(findings, of=chosen[0], against=chosen[1])
    working = _working(fitted, findings)
    if as_json:
        steps = None if working is None else working.to_dict()
        print_json({"row": findings, "ledger": ledger.to_dict(), "working": steps})
        return
    screen = Screen()
    screen.text(*str(ledger).splitlines())
    if working is not None:
        screen.heading("Working")
        screen.board(str(working))


def _explain_network(
    net: Network,
    model: str,
    question: str | None,
    given: tuple[str, ...],
    of: str | None,
    shares: bool | None,
    as_json: bool,
) -> None:
    """Explain P(target=state | findings) of a network in words, then in tables."""
    from bayou.cli.argument_parsing import add_findings, findings_from_text
    from bayou.models.query_parser import parse_question, typed_state

    if question is None:
        raise BadQuestion(
            f"{model} is a network: name the variable to explain, "
            f"bayou explain {shell_word(model)} {shell_word(str(net.names[0]))} --given NAME=STATE."
        )
    asked, findings = parse_question(net.frozen, question), findings_from_text(net, given)
    add_findings(findings, asked)
    parsed: Any = findings._replace(targets=asked.targets)
    state = None if of is None else typed_state(net.variables[asked.targets[0]], of)
    found = _explained(net, parsed, state, shares)
    if as_json:
        print_json(found.to_dict())
        return
    screen = Screen()
    screen.wrapped(found.title, *found.first)
    for table in found.tables():
        screen.text("")
        screen.table(table)
    if found.remarks:
        screen.text("")
        screen.wrapped(*found.remarks)


def _explained(net: Network, parsed: Any, state: State | None, shares: bool | None) -> AnswerExplanation:
    """The explanation, unasked with the shares of a few findings where these are not too hard."""
    unasked = shares is None and 2 <= len({*parsed.given, *parsed.sets}) <= FEW
    if not unasked:
        return net.explain(parsed, state=state, shares=bool(shares))
    try:
        return net.explain(parsed, state=state, shares=True)
    except TooWide:
        return net.explain(parsed, state=state)


def _working(fitted: Any, findings: dict[Name, State]) -> Any:
    """Return the calculation, one line per class; None if the classifier is not a product of factors."""
    try:
        return fitted.working(findings)
    except BadQuestion:
        return None


def findings_of(predictor: ClassifierPredictor, texts: tuple[str, ...]) -> dict[Name, State]:
    """Parse options ``age=61`` to a row with values of the types that the classifier learned from."""
    findings: dict[Name, State] = {}
    names = {str(name): name for name in predictor.features}
    for text in texts:
        sides = split_unquoted(text, "=")
        if len(sides) != 2 or not unquoted(sides[0]):
            raise click.BadParameter(f"{text!r}: write NAME=VALUE.", param_hint="--given")
        name = unquoted(sides[0])
        if name not in names:
            raise UnknownVariable.named(name, predictor.features, "among the features")
        if names[name] in findings:
            raise BadQuestion(f"{name!r} is given twice.")
        findings[names[name]] = _value_of(predictor, names[name], sides[1])
    return findings


def _value_of(predictor: ClassifierPredictor, name: Name, text: str) -> State:
    """Parse a value: a state of the column, a text, or a number or date in any form that a table may have."""
    from bayou.estimators.input.row_input import known_states
    from bayou.models.query_parser import typed_state
    from bayou.schema.spelled_values import quantity_spelled

    bare = unquoted(text)
    variable = known_states(predictor.model).get(name)
    number = quantity_spelled(bare)
    if variable is not None and variable.states:
        in_other_form = variable.cuts is not None or variable.find(bare) is None
        if number is not None and in_other_form and variable.find(number) is not None:
            return _plain(bare)  # a number in a range, or the date of a state that is a number of days
        return typed_state(variable, text)
    if name in predictor.text:
        return bare
    if number is None:
        raise BadQuestion(f"{name!r} holds numbers: give a number, not {bare!r}.")
    return _plain(bare)


def _plain(text: str) -> State:
    """A plain number as a number; a text that spells one in another way (money, a date) as it is."""
    from bayou.schema.spelled_values import plain_number

    if not plain_number(text):
        return text
    number = float(text)
    return int(number) if number.is_integer() and "." not in text else number


def _row_of(predictor: ClassifierPredictor, data: str, row: int) -> dict[Name, State]:
    """Read one row of a table; raise if it has fewer rows."""
    rows = 0
    with table_file(data) as path:
        for first, part in row_stretches(path, list(predictor.features), predictor.text):
            if first <= row < first + part.rows:
                return {name: _cell(part, name, row - first) for name in part.names}
            rows = first + part.rows
    raise BadQuestion(f"--row {row}: {data} has {counted(rows, 'row')}, counting from 0.")


def _cell(part: Columns, name: Name, row: int) -> State:
    """Return a cell as a Python value, None if it is missing."""
    from bayou.sources import NumberColumn

    column = part[name]
    if not isinstance(column, NumberColumn):
        code = int(column.codes[row])
        return None if code == column.missing_code else column.labels[code]
    value = float(column.values[row])
    if value != value:
        return None
    return int(value) if column.kind == "int" else value


def _class_of(predictor: ClassifierPredictor, text: str) -> State:
    """Return the class that a text names, or raise."""
    for state in predictor.classes:
        if str(state) == unquoted(text):
            return state
    raise UnknownState.of(predictor.target, unquoted(text), predictor.classes)
