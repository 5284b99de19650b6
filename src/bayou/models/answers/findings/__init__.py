"""What findings say of an answer: how strong they are, whether they conflict, which to ask for next."""

from __future__ import annotations
