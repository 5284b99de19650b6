"""A statement of (conditional) independence between names."""

from __future__ import annotations

from dataclasses import dataclass

from bayou.typing import Name


@dataclass(frozen=True)
class Independence:
    """The statement that ``left`` is independent of ``right`` given ``given``.

    >>> print(Independence(("Thunder",), ("Rain", "Bus"), ("Lightning",)))
    Thunder ⟂ Rain, Bus | Lightning
    """

    left: tuple[Name, ...]
    right: tuple[Name, ...]
    given: tuple[Name, ...] = ()

    def __str__(self) -> str:
        statement = f"{_joined(self.left)} ⟂ {_joined(self.right)}"
        return f"{statement} | {_joined(self.given)}" if self.given else statement


def _joined(names: tuple[Name, ...]) -> str:
    return ", ".join(str(name) for name in names)
