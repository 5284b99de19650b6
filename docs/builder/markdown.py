"""Markdown as Git hosts read it (CommonMark with tables), turned into the HTML of a page.

Added to it: anchors at headings, colours in code, wide tables that scroll in their frame, links to ``.md``
files that lead to the built pages, and formulas as MathML (``$x$``, ``$$x$$`` and blocks of code called
``math``, which GitHub and GitLab show as formulas too).
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docs.builder.page import DOCS, ROOT, Page, Section, url_of
from docs.builder.soft_breaks import with_soft_breaks
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_FORMATTER = HtmlFormatter(nowrap=True)
_KEYWORDS = re.compile(r"<!--\s*keywords:(.*?)-->", re.DOTALL)
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(?![\s$])((?:[^$\\]|\\.)+?)(?<!\s)\$(?!\d)", re.DOTALL)
_BROAD = 700
"""Pixels: a picture that is wider cannot be read when it is drawn as small as a telephone."""
_ADDRESSES = re.compile(r'\b(href|src)="([^"]*)"')


def slug(text: str, taken: set[str]) -> str:
    """The anchor of a heading, as GitHub makes it; a second one of the same name gets a number."""
    plain = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
    found, number = plain, 0
    while found in taken:
        number += 1
        found = f"{plain}-{number}"
    taken.add(found)
    return found


def coloured(code: str, language: str) -> str:
    """Code as HTML with classes for its parts."""
    try:
        return str(highlight(code, get_lexer_by_name(language), _FORMATTER))
    except ClassNotFound:
        return html.escape(code)


def formula(latex: str, display: str) -> str:
    """A formula as MathML, which browsers draw themselves."""
    from latex2mathml.converter import convert

    return str(convert(latex, display=display))


def _dollars(state: StateInline, silent: bool) -> bool:
    """Read a formula between dollar signs, as it stands: nothing in it is Markdown."""
    found = _FORMULA.match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content, token.meta = (found[1] or found[2]).strip("`"), {"block": found[1] is not None}
    state.pos = found.end()
    return True


def _math(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    if tokens[at].meta["block"]:
        return f'<span class="wide formula">{formula(tokens[at].content, "block")}</span>'
    return formula(tokens[at].content, "inline")


def render(page: Page, text: str) -> None:
    """Read the Markdown of a page: its HTML, sections, links and pictures."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "dollars", _dollars)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("table_open", _table)
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    parser.add_render_rule("math_inline", _math)
    tokens = parser.parse(text)
    page.sections.append(Section("", "", 1))
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            _heading(page, token, tokens[at + 1])
        elif token.type == "inline":
            _text(page, tokens[at - 1], token)
            _targets(page, token.children or [])
            _give_room(page, tokens[at - 1], token.children or [])
        elif token.type == "html_block":
            _raw(page, token)
        elif token.type in ("fence", "code_block"):
            page.sections[-1].text.append(token.content)
    _label_jobs(tokens)
    with_soft_breaks(tokens)
    page.html = parser.renderer.render(tokens, parser.options, {})


def _fence(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    language, code = tokens[at].info.strip(), tokens[at].content
    if language == "math":
        return f'<div class="wide">{formula(code.strip(), "block")}</div>\n'
    return f'<pre class="{html.escape(language)}"><code>{coloured(code, language)}</code></pre>\n'


def _table(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    kind = tokens[at].attrGet("class")
    return f'<div class="wide"><table class="{kind}">\n' if kind else '<div class="wide"><table>\n'


def _label_jobs(tokens: Sequence[Token]) -> None:
    """A table of jobs, with code there and here, is read as cards on telephones: its cells are labelled."""
    heads: list[str] = []
    table, place = tokens[0] if tokens else None, 0
    for at, token in enumerate(tokens):
        if token.type == "table_open":
            table, heads = token, []
        elif token.type == "th_open":
            heads.append(tokens[at + 1].content)
        elif token.type == "tr_open":
            place = 0
        elif token.type == "td_open" and (heads[0], heads[-1]) == ("job", "here") and table:
            table.attrSet("class", "jobs")
            token.attrSet("data-label", heads[place] if place else "")
            place += 1


def _plain(tokens: Sequence[Token]) -> str:
    kinds = ("text", "code_inline", "math_inline", "image")
    parts = [" " if token.type in ("softbreak", "hardbreak") else token.content for token in tokens
             if token.type in (*kinds, "softbreak", "hardbreak")]  # fmt: skip
    return "".join(parts)


def _heading(page: Page, opening: Token, inline: Token) -> None:
    text, level = _plain(inline.children or []), int(opening.tag[1])
    anchor = slug(text, page.anchors)
    opening.attrSet("id", anchor)
    if level == 1 and not page.title:
        page.title = text
        page.sections[0].heading, page.sections[0].anchor = text, ""
    else:
        page.sections.append(Section(anchor, text, level))


def _text(page: Page, before: Token, inline: Token) -> None:
    if before.type != "heading_open":
        page.sections[-1].text.append(_plain(inline.children or []))


def _targets(page: Page, children: Sequence[Token]) -> None:
    for token in children:
        if token.type == "link_open":
            token.attrSet("href", address(page, str(token.attrGet("href"))))
        elif token.type == "image":
            token.attrSet("src", address(page, str(token.attrGet("src"))))
            token.attrSet("loading", "lazy")
        elif token.type == "html_inline":
            _raw(page, token)


def _give_room(page: Page, paragraph: Token, children: Sequence[Token]) -> None:
    """A broad picture by itself scrolls on a narrow window, so that its words can be read."""
    if len(children) == 1 and children[0].type == "image":
        width = natural_width(
            DOCS / os.path.normpath(Path(page.url).parent / str(children[0].attrGet("src")))
        )
        if width > _BROAD:
            paragraph.attrSet("class", "wide picture")
            children[0].attrSet("style", f"--natural: {width:.0f}px")


def natural_width(picture: Path) -> float:
    """The width in pixels that an SVG file states; 0 for other files."""
    head = picture.read_text(encoding="utf-8")[:2000] if picture.suffix == ".svg" else ""
    found = re.search(r'<svg[^>]*?\bwidth="([\d.]+)(pt)?', head)
    return float(found[1]) * (4 / 3 if found[2] else 1) if found else 0.0


def _raw(page: Page, token: Token) -> None:
    for words in _KEYWORDS.findall(token.content):
        page.sections[-1].keywords += " " + words.strip()
    token.content = _ADDRESSES.sub(
        lambda found: f'{found[1]}="{address(page, found[2])}"', _KEYWORDS.sub("", token.content)
    )


def address(page: Page, target: str) -> str:
    """Where a link of the Markdown leads in the site; noted, so that it can be checked."""
    if target.startswith("site:"):
        return _made(page, target[5:])
    if re.match(r"[a-z]+:", target):
        return target
    path, _, anchor = unquote(target).partition("#")
    file = Path(os.path.normpath(page.source.parent / path)) if path else page.source
    if not file.exists():
        page.problems.append(f"{told(page)}: there is no {target}")
        return target
    if file.suffix == ".md":
        url = page.url if file == page.source else url_of(file)
        page.links.append((url, anchor))
    elif file.is_relative_to(DOCS):
        page.files.add(file)
        url = file.relative_to(DOCS).as_posix()
    else:
        page.problems.append(f"{told(page)}: {target} is not part of the site")
        return target
    if not path:
        return f"#{anchor}"
    return os.path.relpath(url, os.path.dirname(page.url) or ".") + (f"#{anchor}" if anchor else "")


def _made(page: Page, target: str) -> str:
    """A link to a page that the build makes: it has no Markdown of its own."""
    url, _, anchor = target.partition("#")
    page.links.append((url, anchor))
    return os.path.relpath(url, os.path.dirname(page.url) or ".") + (f"#{anchor}" if anchor else "")


def told(page: Page) -> str:
    """The page by the path of its source."""
    return page.source.relative_to(ROOT).as_posix()
