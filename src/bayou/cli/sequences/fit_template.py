"""``bayou fit --template "Rain -> Rain'"``: learn a dynamic network from a table of sequences."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bayou.cli.argument_parsing import declared_from_text, prior_from_text
from bayou.cli.sequences.learning import SequenceFit, learn_and_tell
from bayou.cli.terminal.paths import is_dynamic, load_any_model, require_file
from bayou.documents.sequence_documents import dynamic_document
from bayou.errors import BadFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayou.models.dynamic.dynamic_network import DynamicNetwork

TEMPLATE_OPTIONS = ("template", "constant", "first", "last", "particles")
"""The options of ``bayou fit`` that only dynamic networks have."""
_ROLES = ("constant", "first", "last")
_METHODS = ("em", "count")
_FOREIGN = (
    "structure",
    "target",
    "model",
    "features",
    "share",
    "weights",
    "emissions",
    "covariance",
    "label",
    "ignore",
)
"""Options of ``bayou fit`` for other models."""
_LEARNING = ("method", "restarts", "seed", "max_iterations", "checkpoint", "particles")
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
    command = click.option(
        "--particles",
        type=click.IntRange(1),
        help="With --template: how many estimate numbers that unknown states switch.  [default: 100]",
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
    for name in (*_ROLES, "particles"):
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
    fit = SequenceFit(
        lambda table, keys: _unfitted(options), lambda: _learning(options), dynamic_document, gaps=True
    )
    learn_and_tell(data, output, as_json, started_from, options, fit)


def _refuse(options: Mapping[str, Any]) -> None:
    for name in ("template", *_ROLES, "states", "continuous", "cuts", "prior", *_LEARNING):
        if options[name]:
            flag = name.replace("_", "-")
            raise click.UsageError(f"With --add the network keeps its own settings: omit --{flag}.")


def _unfitted(options: Mapping[str, Any]) -> DynamicNetwork:
    """The network that the options describe."""
    from bayou.cli.network_text import names_a_file
    from bayou.models.dynamic.dynamic_network import DynamicNetwork

    bare = [text for text in options["states"] if "=" not in text]
    if bare:
        raise click.UsageError(f"--states {bare[0]}: name the variable, for example --states Rain=no,yes.")
    states = declared_from_text(options["states"], options["cuts"])
    template = options["template"]
    roles: dict[str, Any] = {name: list(options[name]) for name in (*_ROLES, "continuous")}
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
