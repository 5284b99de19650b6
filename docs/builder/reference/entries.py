"""One entry of the reference: signature, docstring, links to what is told elsewhere, attributes."""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from docs.builder.markdown import slug
from docs.builder.page import DOCS, url_of
from docs.builder.reference.alone import alone
from docs.builder.reference.docstrings import markdown
from docs.builder.reference.parameters import shared, told_elsewhere
from docs.builder.reference.public_names import Public, attributes
from docs.builder.reference.uses import uses

_FIRST_PAGES = {DOCS / "README.md", DOCS / "learn" / "first-steps.md"}


def entry(public: Public, link: Callable[[str], str], level: int, of_class: str = "") -> str:
    """The Markdown of a name without its members; ``link`` turns a name into its place, or into nothing."""
    parts = ["#" * level + f" {public.name}"]
    if public.signature is not None and not public.made:
        parts.append(signature(public, public.signature))
    elif public.kind == "property":
        parts.append(_property(public))
    parts.append(markdown(public.doc, link, lambda code: alone(code, public)))
    parts += _shared_parameters(public, of_class)
    parts += _pages_that_use(public)
    if public.kind == "class":
        parts += _fields(public, link)
    return "\n\n".join(part for part in parts if part)


def _shared_parameters(public: Public, of_class: str) -> list[str]:
    """Links to the parameters that are told once for all calls."""
    told, _ = told_elsewhere(public, of_class)
    if not told or public.made:
        return []
    headings = shared()
    links = [f"[`{name}`](site:lookup/parameters.html#{slug(headings[name], set())})" for name in told]
    are = "is a parameter" if len(links) == 1 else "are parameters"
    return [f"{', '.join(links)} {are} that many calls share."]


def _pages_that_use(public: Public) -> list[str]:
    """Links to pages whose examples use it, where these are few enough to tell something."""
    name = public.name.rpartition(".")[2]
    pages = [page for page in uses().get(name, ()) if page not in _FIRST_PAGES]
    if not 0 < len(pages) <= 4 or public.kind == "module":
        return []
    links = [f"[{page.stem.replace('-', ' ')}](site:{url_of(page)})" for page in pages]
    return ["Used in: " + ", ".join(links) + "."]


def signature(public: Public, found: inspect.Signature) -> str:
    """How it is called, one parameter a line where there are many."""
    words = list(_parameters(public, found))
    result = "" if public.kind == "class" else _kind(public, found.return_annotation)
    name = public.name.rpartition(".")[2] if public.kind == "method" else f"bayou.{public.name}"
    inside = ", ".join(words)
    if len(name) + len(inside) > 76:
        inside = "\n    " + ",\n    ".join(words) + ",\n"
    after = f" → {result}" if result else ""
    return f'<pre class="signature"><code>{html.escape(f"{name}({inside}){after}")}</code></pre>'


def _parameters(public: Public, found: inspect.Signature) -> Iterator[str]:
    star = False
    for one in found.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not star:
            star = True
            yield "*"
        star = star or one.kind is one.VAR_POSITIONAL
        kind = _kind(public, one.annotation)
        words = str(one.replace(annotation=one.empty, default=one.empty))
        words += f": {kind}" if kind else ""
        equals = " = " if kind else "="
        yield words + (f"{equals}{one.default!r}" if one.default is not one.empty else "")


def _kind(public: Public, annotation: object) -> str:
    """An annotation as readers know it: "the class of this object" is the name of the class."""
    text = _annotation(annotation)
    around = getattr(inspect.unwrap(public.thing), "__globals__", {})
    own = isinstance(around.get(text), TypeVar) and around[text].__bound__ is not None
    return public.name.split(".")[-2] if own else text


def _annotation(of: object) -> str:
    if of is inspect.Parameter.empty:
        return ""
    text = of if isinstance(of, str) else inspect.formatannotation(of)
    return "" if text == "Any" else re.sub(r"\bbayou\.(?:\w+\.)+(?=[A-Z])", "", text).replace("'", "")


def _property(public: Public) -> str:
    getter = public.thing.fget if isinstance(public.thing, property) else public.thing
    kind = _annotation(getter.__annotations__.get("return", inspect.Parameter.empty))
    return f"*Property*: `{kind}`" if kind else "*Property*"


def _fields(public: Public, link: Callable[[str], str]) -> list[str]:
    lines = [
        f"- `{name}`: `{kind}`" + (f". {markdown(told, link)}".replace("\n", " ") if told else "")
        for name, (kind, told) in attributes(public.thing).items()
    ]
    return ["**Attributes**", "\n".join(lines)] if lines else []
