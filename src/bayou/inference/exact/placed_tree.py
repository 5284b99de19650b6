"""A compiled clique tree of a whole network, and where the marginals of its variables lie in an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from bayou.memory import current_limits
from bayou.schema import Schema
from bayou.typing import Name


class _Core(Protocol):
    """What both kinds of trees of the core tell of themselves."""

    @property
    def offsets(self) -> Sequence[int]: ...
    @property
    def bytes(self) -> float: ...
    @property
    def entries(self) -> float: ...


Core = TypeVar("Core", bound=_Core)


class PlacedTree(Generic[Core]):
    """A tree of the core; ``places`` says which part of an answer belongs to which variable."""

    def __init__(self, core: Core, schema: Schema) -> None:
        self.core, self.schema = core, schema
        ends = core.offsets
        self.places: Mapping[Name, slice] = {
            name: slice(ends[number], ends[number + 1]) for number, name in enumerate(schema.names)
        }

    @property
    def is_allowed(self) -> bool:
        """Whether a run stays within the current limits."""
        allowed = current_limits()
        return self.core.bytes <= allowed.memory and self.core.entries <= allowed.work
