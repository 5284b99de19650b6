"""A network as a report to print: its picture, what follows from findings, and all its tables."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from bayou.errors import BayouError
from bayou.models.answers.printing import states_text, summary_lines
from bayou.models.nodes.node_views import node_view
from bayou.models.set_findings import Not
from bayou.schema import label
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.models.network import Network

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; break-after: avoid; }
figure { margin: 1rem 0; overflow-x: auto; }
svg { max-width: 100%; height: auto; }
section, table { break-inside: avoid; }
table { border-collapse: collapse; min-width: 24rem; margin: 0.5rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0.2rem 0; }
th, td { text-align: left; padding: 0.15rem 0.8rem 0.15rem 0; border-bottom: 1px solid #8886; }
td:has(> div) { min-width: 8rem; }
@media print { body { margin: 0; max-width: none; } :root { color-scheme: light; } }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def report_of(net: Network, known: dict[str, Any]) -> str:
    """Return the report as HTML; ``known`` has the findings as :meth:`Network.query` takes them."""
    title = net.appearance.title or "Network"
    lines = "".join(f"<p>{escape(line)}</p>" for line in (net.appearance.description, *_summary(net)) if line)
    parts = [f"<h1>{escape(title)}</h1>{lines}", f"<figure>{_picture(net, known)}</figure>"]
    if any(known.values()):
        parts.append(f"<h2>Findings</h2><p>{escape(_findings(known))}</p>")
    parts += [*_beliefs(net, known), "<h2>Variables</h2>", *(_variable(net, name) for name in net.names)]
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
    )
    text = head + "<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    return text.encode("utf-8", "replace").decode()


def _summary(net: Network) -> list[str]:
    return summary_lines(net.structure, net.frozen)


def _picture(net: Network, known: dict[str, Any]) -> str:
    """The picture with beliefs, or without where they cannot be computed."""
    try:
        return net.to_svg(beliefs=True, **known)
    except BayouError:
        if any(known.values()):
            raise
        return net.to_svg()


def _findings(known: dict[str, Any]) -> str:
    words = {"given": "", "likelihood": "likelihood of ", "do": "do: "}
    return "; ".join(
        f"{words[kind]}{label(name)} {_value(value)}"
        for kind, findings in known.items()
        for name, value in (findings or {}).items()
    )


def _value(value: Any) -> str:
    """What a finding says, after the name of its variable.

    >>> _value("yes"), _value(Not("low", "high")), _value(frozenset({"low"}))
    ('= yes', 'is not low, high', 'is one of low')
    """
    if isinstance(value, Not):
        return f"is not {', '.join(label(state) for state in value.states)}"
    if isinstance(value, set | frozenset):
        return f"is one of {', '.join(sorted(label(state) for state in value))}"
    return f"= {label(value) if isinstance(value, str | int | float | bool) else value}"


def _beliefs(net: Network, known: dict[str, Any]) -> list[str]:
    try:
        parts = ["<h2>Beliefs</h2>", net.marginals(**known)._repr_html_()]
        if any(known.values()):
            parts += ["<h2>Most probable explanation</h2>", net.most_probable(**known)._repr_html_()]
    except BayouError as problem:  # numbers of every kind have a report, but not all have beliefs
        if any(known.values()):
            raise
        return [f"<h2>Beliefs</h2><p>{escape(str(problem))}</p>"]
    return parts


def _variable(net: Network, name: Name) -> str:
    shown, frozen = net.appearance.node(name), net.frozen
    parts = [f"<h3>{escape(shown.title or label(name))}</h3>"]
    parents = ", ".join(label(parent) for parent in net.parents(name))
    facts = [
        shown.description,
        f"States: {states_text(net.structure, frozen, name)}",
        f"Parents: {parents}" if parents else "",
        shown.table_note,
    ]
    parts += [f"<p>{escape(fact)}</p>" for fact in facts if fact]
    if frozen.slots[name] in frozen.blocks:
        parts.append(node_view(frozen, name).to_table()._repr_html_())
    return f"<section>{''.join(parts)}</section>"
