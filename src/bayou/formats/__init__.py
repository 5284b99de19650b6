"""Floor 6: files. States (plain dicts and arrays) and drafts in, the same out; no model classes here."""

from __future__ import annotations
