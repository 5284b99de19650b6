"""Floor 8: checks of a table before anything is learned from it; each finding comes with its fix."""

from __future__ import annotations

from bayou.data_checks.check_table import check
from bayou.data_checks.report import Finding, Report

__all__ = ["Finding", "Report", "check"]
