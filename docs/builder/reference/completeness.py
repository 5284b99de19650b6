"""What an entry of the reference must tell, and what is missing.

Each name and each member has a sentence; each parameter is told (in the docstring, in that of its class, or
on the page of shared parameters); what a call returns is annotated or told; each name and each method has an
example of its own, in its docstring or in the one that it inherits; each function and each method that takes
something says which errors it raises, in a paragraph that begins with *Raises*. What raises nothing is
listed in ``never_fail.py``, with the reason.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from docs.builder.reference.docstrings import example
from docs.builder.reference.never_fail import never_fails
from docs.builder.reference.parameters import told_elsewhere
from docs.builder.reference.public_names import Public, attributes, public_names

FOR_FILES = ("state", "from_state", "from_parts", "from_draft", "parts", "write")
"""Members that files need: their example is that of ``save``."""
FOR_EXTENSIONS = ("sources", "statistics")
"""Namespaces for those who extend bayou: of these only the sentence is asked."""


def missing() -> list[str]:
    """All that is missing, one line each, sorted."""
    found: set[str] = set()
    seen: set[int] = set()
    for name, public in public_names().items():
        if id(public.thing) not in seen:
            seen.add(id(public.thing))
            found |= {f"{name}: {what}" for what in _of_name(public)}
            for member in public.members:
                found |= {f"{member.name}: {what}" for what in _of_member(member, public)}
    return sorted(found)


def _space(public: Public) -> str:
    return public.name.partition(".")[0]


def _of_name(public: Public) -> Iterator[str]:
    if public.kind == "value":
        return
    if not public.doc:
        yield "sentence"
    if _space(public) in FOR_EXTENSIONS or public.kind == "module":
        return
    if not example(public.doc) and not _made_by_an_example(public):
        yield "example"
    yield from _call(public, "")
    if not public.made and not hasattr(public.thing, "get_params"):  # an estimator refuses settings in fit
        yield from _errors(public)


def _made_by_an_example(public: Public) -> bool:
    """Whether bayou makes it, and a call that returns it has an example."""
    name = public.name.rpartition(".")[2]
    return public.made and any(
        call.signature and str(call.signature.return_annotation).strip("'") == name and example(call.doc)
        for top in public_names().values()
        for call in (top, *top.members)
    )


def _of_member(member: Public, owner: Public) -> Iterator[str]:
    if not member.doc:
        yield "sentence"
    if _space(member) in FOR_EXTENSIONS or member.name.rpartition(".")[2] in FOR_FILES:
        return
    yield from _call(member, owner.doc)
    if member.kind == "method":
        if not example(member.doc):
            yield "example"
        yield from _errors(member)


def errors_named(doc: str) -> set[str]:
    """The errors that the paragraphs name which begin with *Raises*."""
    paragraphs = re.findall(r"^Raises .*?(?=\n\n|\Z)", doc, re.DOTALL | re.MULTILINE)
    inline = re.findall(r"(?<=[.] )Raises [^>]*?[.](?=\s|\Z)", doc)
    return set(re.findall(r"``([A-Z]\w+)``", " ".join([*paragraphs, *inline])))


def _takes(public: Public) -> bool:
    return bool(public.signature and public.signature.parameters)


def _errors(call: Public) -> Iterator[str]:
    if _takes(call) and not errors_named(call.doc) and not never_fails(call):
        yield "errors"


def _call(public: Public, of_class: str) -> Iterator[str]:
    """What is missing of the parameters and of the result."""
    fields = attributes(public.thing) if public.kind == "class" else {}
    if not public.made:
        _, untold = told_elsewhere(public, of_class)
        yield from (f"parameter {name}" for name in untold if not fields.get(name, ("", ""))[1])
    found = public.signature
    if found and public.kind != "class" and not _result_told(found, public.doc):
        yield "result"


def _result_told(found: inspect.Signature, doc: str) -> bool:
    """Whether the result is annotated with more than Any, or told."""
    annotated = found.return_annotation not in (inspect.Signature.empty, "Any")
    return annotated or "eturn" in doc or doc.startswith(("The ", "A ", "What ", "P("))
