"""Dynamic networks in bayou's own files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayou.errors import BadFile
from bayou.fitting.fitted_parameters import FittedParameters
from bayou.fitting.sequences.template_fit import FittedTemplate
from bayou.formats.bundle import write_bundle
from bayou.formats.file_content import FilePath, path_text, write_bytes
from bayou.formats.format_registry import OWN_ENDINGS
from bayou.networks import FrozenNetwork
from bayou.schema.json_values import decode_value, encode_value
from bayou.temporal.templates.template import DynamicTemplate
from bayou.temporal.templates.template_text import LaggedArc

if TYPE_CHECKING:
    from bayou.models.dynamic.dynamic_network import DynamicNetwork


def write_dynamic_network(path: FilePath, net: DynamicNetwork) -> None:
    """Write a network to a ``.bayou`` or ``.json`` file, or to an XDSL file of GeNIe, as the ending says."""
    name = path_text(path).lower()
    if name.endswith(OWN_ENDINGS):
        write_bundle(path, "dynamic network", net.state())
    elif name.endswith((".xdsl", ".xdsl.gz")):
        from bayou.formats.dynamic.xdsl_slices import dynamic_xdsl_text
        from bayou.models.dynamic.dynamic_drafts import draft_of_dynamic

        write_bytes(path, dynamic_xdsl_text(draft_of_dynamic(net)).encode("utf-8"))
    else:
        raise BadFile.at(
            path,
            "a dynamic network is saved in bayou's own format or in GeNIe's: use a name that ends in .bayou, "
            ".json (a text) or .xdsl.",
        )


def template_state(template: DynamicTemplate) -> dict[str, Any]:
    """A template as plain values; variables are positions."""
    place = {name: k for k, name in enumerate(template.names)}
    return {
        "names": [encode_value(name) for name in template.names],
        "arcs": [[place[arc.parent], place[arc.child], arc.lag] for arc in template.arcs],
        "constant": sorted(place[name] for name in template.constant),
        "first": sorted(place[name] for name in template.first),
        "last": sorted(place[name] for name in template.last),
    }


def template_from_state(state: Mapping[str, Any]) -> DynamicTemplate:
    """The template that :func:`template_state` described."""
    names = [decode_value(name) for name in state["names"]]
    if len(set(names)) != len(names):
        raise BadFile("two variables of the template have the same name.")
    arcs = []
    for parent, child, lag in state["arcs"]:
        if not all(isinstance(k, int) and k >= 0 for k in (parent, child, lag)) or lag > 255:
            raise BadFile("an arc of the template is not made of positions and a lag.")
        arcs.append(LaggedArc(names[parent], names[child], lag))
    groups = [frozenset(names[k] for k in state[word]) for word in ("constant", "first", "last")]
    return DynamicTemplate(tuple(names), tuple(arcs), *groups)


def learned_state(learned: FittedTemplate | None) -> dict[str, Any] | None:
    """The statistics and priors of a fit, as plain values."""
    if learned is None:
        return None
    return FittedParameters(learned.network, learned.statistics, learned.priors, learned.expected).state()


def learned_from_state(network: FrozenNetwork, state: Mapping[str, Any] | None) -> FittedTemplate | None:
    """Read :func:`learned_state`."""
    if state is None:
        return None
    read = FittedParameters.from_state(state, network)
    return FittedTemplate(network, read.statistics, read.priors, read.expected)
