"""The public names and signatures are those of the last release, but for what was changed knowingly.

``public_signatures.txt`` has a line for each public name, method and property: how it is called, without
types (mypy is for those). After a change that is meant, write it anew, look at the difference, and commit it
with a line in the changelog:

    PYTHONPATH=src python -m tests.test_public_signatures
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

from docs.builder.reference.public_names import Public, public_names

STORED = Path(__file__).with_name("public_signatures.txt")
HOW = (
    "docs/understand/stability.md says what each change asks for; "
    "then: python -m tests.test_public_signatures"
)


def signatures() -> list[str]:
    """One line for each public name and member, sorted."""
    lines = {
        line for public in public_names().values() for line in (told(public), *map(told, public.members))
    }
    return sorted(lines)


def told(public: Public) -> str:
    if public.signature is None:
        return f"{public.name}: {public.kind}"
    return f"{public.name}({', '.join(parameters(public.signature))})"


def parameters(signature: inspect.Signature) -> Iterator[str]:
    """The parameters as Python writes them, without types."""
    kinds = [one.kind for one in signature.parameters.values()]
    for at, one in enumerate(signature.parameters.values()):
        if (
            one.kind == one.KEYWORD_ONLY
            and one.KEYWORD_ONLY not in kinds[:at]
            and one.VAR_POSITIONAL not in kinds
        ):
            yield "*"
        mark = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        yield f"{mark}{one.name}" + ("" if one.default is one.empty else f"={default_text(one.default)}")
        if one.kind == one.POSITIONAL_ONLY and one.POSITIONAL_ONLY not in kinds[at + 1 :]:
            yield "/"


def default_text(value: object) -> str:
    """The default as it is written, or its type where its text differs from process to process."""
    text = repr(value)
    return f"<{type(value).__name__}>" if " at 0x" in text or "\n" in text else text


def stored() -> list[str]:
    return [line for line in STORED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def test_nothing_of_the_last_release_is_gone_or_called_otherwise() -> None:
    gone = sorted({*stored()} - {*signatures()})
    assert gone == [], f"Users call these. {HOW}"


def test_what_is_new_is_written_down() -> None:
    new = sorted({*signatures()} - {*stored()})
    assert new == [], f"New, or called otherwise. {HOW}"


def test_signatures_are_told_as_python_writes_them() -> None:
    def called(a, /, b, *, c=1, **d):  # type: ignore[no-untyped-def]
        pass

    def gathered(*rows, seed=None):  # type: ignore[no-untyped-def]
        pass

    assert told(Public("x", called, "function")) == "x(a, /, b, *, c=1, **d)"
    assert told(Public("y", gathered, "function")) == "y(*rows, seed=None)"
    assert default_text(object()) == "<object>"


def test_the_list_has_functions_methods_and_properties() -> None:
    assert len(stored()) > 500
    names = {line.partition("(")[0].partition(":")[0] for line in stored()}
    assert {"Network", "Network.query", "NaiveBayes.predict_proba", "decisions.brier"} <= names


if __name__ == "__main__":
    head = "# The public names and signatures; written by `python -m tests.test_public_signatures`.\n"
    STORED.write_text(head + "".join(f"{line}\n" for line in signatures()), encoding="utf-8")
