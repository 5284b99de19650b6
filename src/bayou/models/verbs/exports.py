"""The method of a network that exports a question as code (``exporting``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayou.errors import BadQuestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayou.models.network import Network
    from bayou.typing import Name


class NetworkExports:
    """A question about a network as code; :class:`~bayou.Network` inherits it."""

    def export(  # type: ignore[misc]
        self: Network,
        target: Name,
        inputs: Iterable[Name] | None = None,
        language: str = "python",
        *,
        unknown: str = "error",
        table: str | None = None,
        dialect: str | None = None,
        keep: str | Sequence[str] | None = None,
    ) -> str:
        """Return P(target | any of the inputs) as code without dependencies.

        ``inputs`` are the variables that may be known (by default all others); any of them may be missing in
        a row. ``language`` is ``"python"`` or ``"javascript"`` (a file with the function ``posterior``), or
        ``"sql"`` (one statement about a ``table``, in a ``dialect``: postgres, duckdb or sqlite; ``keep``
        are columns that it repeats). A value that is no state is an error, or a gap with
        ``unknown="missing"`` (always in SQL). Rows that are impossible are an error, in SQL NULL.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadQuestion`` for a target among the
        inputs, or options that do not fit, and ``NotFitted`` without tables.

        >>> import bayou
        >>> exported = {}
        >>> exec(bayou.examples.asia().export("bronc", ["smoke", "dysp"]), exported)
        >>> {state: round(share, 4) for state, share in exported["posterior"]({"smoke": "yes"}).items()}
        {'yes': 0.6, 'no': 0.4}
        """
        from bayou.exporting.languages import written
        from bayou.exporting.network_program import network_program

        if unknown not in ("error", "missing"):
            raise BadQuestion.choice("unknown", unknown, ("error", "missing"))
        aim = self.dag.only(target)
        names = _names(self, inputs, aim)
        program = network_program(self.frozen, aim, names, unknown)
        options: dict[str, Any] = {"table": table, "dialect": dialect, "keep": keep}
        return written(program, language, **options)


def _names(net: Network, inputs: Iterable[Name] | None, target: Name) -> list[Name]:
    """The inputs in the network's order, each once."""
    if inputs is None:
        return [v.name for v in net.variables if v.name != target and not v.is_continuous]
    given = [inputs] if isinstance(inputs, str) else inputs
    chosen = {net.dag.only(name) for name in given}
    if target in chosen:
        raise BadQuestion(f"{target!r} is asked for, so it cannot be an input: leave it out of inputs=[…].")
    return [name for name in net.names if name in chosen]
