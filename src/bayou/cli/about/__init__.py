"""What the command says of itself: versions, completion of shells, the page of its options."""

from __future__ import annotations
