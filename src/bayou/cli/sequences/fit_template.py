"""``bayou fit --template "Rain -> Rain'"``: learn a dynamic network from a table of sequences."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bayou.cli.argument_parsing import declared_from_text, prior_from_text
from bayou.cli.sequences.sequence_options import keys_of
from bayou.cli.terminal.paths import is_dynamic, load_any_model, require_file
from bayou.cli.terminal.piped_tables import table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import print_json
from bayou.cli.terminal.stopping import stopped_code
from bayou.errors import BadFile, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayou.models.dynamic.dynamic_network import DynamicNetwork

TEMPLATE_OPTIONS = ("template", "constant", "first", "last")
"""The options of ``bayou fit`` that only dynamic networks have."""
_ROLES = ("constant", "first", "last")
_METHODS = ("em", "count")
_FOREIGN = (
    "structure",
    "target",
    "model",
    "features",
    "continuous",
    "share",
    "weights",
    "emissions",
    "covariance",
    "label",
    "ignore",
)
"""Options of ``bayou fit`` for other models."""
_LEARNING = ("method", "restarts", "seed", "max_iterations", "checkpoint")
Command = TypeVar("Command", bound="Callable[..., Any]")


def template_options(command: Command) -> Command:
    """Give a command the options that say what a dynamic network is made of."""
    for name, what in (
        ("last", "exists in the last slice only"),
        ("first", "exists in the first slice only"),
        ("constant", "has one value for a whole sequence"),
    ):
        command = click.option(
            f"--{name}", multiple=True, metavar="NAME", help=f"With --template: a variable that {what}."
        )(command)
    return click.option(
        "--template",
        metavar="ARROWS|FILE",
        help="Learn a dynamic network from sequences: arrow text in which a prime is the next slice "
        "(\"Rain -> Rain'; Rain -> Umbrella\"), a .txt file with such text, or a dynamic network's file.",
    )(command)


def learns_template(options: Mapping[str, Any], started_from: Any) -> bool:
    """Whether the options ask for a dynamic network."""
    if options["template"] is not None or is_dynamic(started_from):
        return True
    for name in _ROLES:
        if options[name]:
            raise click.UsageError(f"--{name} is for dynamic networks: say which one with --template.")
    return False


def fit_template(
    data: str, output: str | None, as_json: bool, started_from: Any, options: dict[str, Any]
) -> None:
    """Learn a dynamic network, or add to that of --add; save and describe it."""
    for name in _FOREIGN:
        if options[name]:
            flag = {"structure": "network"}.get(name, name)
            raise click.UsageError(f"--{flag} cannot be combined with a dynamic network (--template).")
    if started_from is not None:
        _refuse(options)
    started = time.perf_counter()
    with progress(f"Learning from {data}"), table_file(data) as table:
        keys_of(table, options["sequence"], options["time"])
        net = started_from if started_from is not None else _unfitted(options)
        how = {"sequence": options["sequence"], "time": options["time"]}
        if started_from is not None:
            net.partial_fit(table, **how)
        else:
            net.fit(table, **how, **_learning(options))
        seconds = time.perf_counter() - started
        if output is not None:
            net.save(output)
    _show(net, "Learned from" if started_from is None else "Added", seconds, output, as_json)
    if net.learning.verdict == "interrupted":
        click.get_current_context().exit(stopped_code())


def _refuse(options: Mapping[str, Any]) -> None:
    for name in ("template", *_ROLES, "states", "cuts", "prior", *_LEARNING):
        if options[name]:
            flag = name.replace("_", "-")
            raise click.UsageError(f"With --add the network keeps its own settings: omit --{flag}.")


def _unfitted(options: Mapping[str, Any]) -> DynamicNetwork:
    """The network that the options describe."""
    from bayou.cli.fit import names_a_file
    from bayou.models.dynamic.dynamic_network import DynamicNetwork

    bare = [text for text in options["states"] if "=" not in text]
    if bare:
        raise click.UsageError(f"--states {bare[0]}: name the variable, for example --states Rain=no,yes.")
    states = declared_from_text(options["states"], options["cuts"])
    template = options["template"]
    roles: dict[str, Any] = {name: list(options[name]) for name in _ROLES}
    if not names_a_file(template):
        return DynamicNetwork(template, states=states, **roles)
    require_file(template)
    if template.lower().endswith(".txt"):
        return DynamicNetwork(Path(template).read_text(encoding="utf-8"), states=states, **roles)
    found = load_any_model(template)
    if not is_dynamic(found):
        raise BadFile.at(template, "holds no dynamic network, so it is no --template.")
    for name, given in roles.items():
        if given:
            raise click.UsageError(f"--{name}: the network in {template} says that itself.")
    known = {str(name): variable for name, variable in found.variables.items()}
    made: DynamicNetwork = found.blank({**known, **states})
    return made


def _learning(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of learning that were given."""
    method = options["method"]
    if method is not None and method not in _METHODS:
        raise click.UsageError(f"--method {method}: a dynamic network is learned by {' or '.join(_METHODS)}.")
    chosen = {name: options[name] for name in _LEARNING if options[name] is not None}
    return chosen if options["prior"] is None else {**chosen, "prior": prior_from_text(options["prior"])}


def _show(net: DynamicNetwork, done: str, seconds: float, output: str | None, as_json: bool) -> None:
    trace = net.learning
    if as_json:
        from bayou.documents.sequence_documents import dynamic_document

        learning = {"method": trace.method, "verdict": trace.verdict, "iterations": trace.iterations}
        document: dict[str, Any] = {"rows": trace.rows, "seconds": seconds, "saved": output}
        document["learning"] = {**learning, "log_likelihood": trace.log_likelihood}
        print_json({**document, "model": dynamic_document(net)})
        return
    screen = Screen()
    took = f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
    screen.text(f"{done} {counted(int(trace.rows), 'row')} in {took}.", style="bold green")
    if trace.objectives:
        screen.text(f"{counted(trace.gaps, 'gap')}. {trace.summary}")
    screen.text(str(net))
    screen.text("", f"Saved to {output}" if output else "Not saved: name a file with -o model.bayou")
