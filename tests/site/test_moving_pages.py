"""Each line of a "here" column stands in a block of its page, and so is run."""

from __future__ import annotations

import pytest

from tests.site.moving_pages import PAGES, column, lines_run, text_of


@pytest.mark.parametrize("page", PAGES)
def test_what_a_table_promises_is_run(page: str) -> None:
    here = column(page, -1)
    assert len(here) >= 15
    assert [code for code in here if code not in lines_run(page)] == []


@pytest.mark.parametrize("page", PAGES)
def test_what_is_not_there_is_said(page: str) -> None:
    assert "## What differs" in text_of(page)
    assert "## What has no counterpart here" in text_of(page)
