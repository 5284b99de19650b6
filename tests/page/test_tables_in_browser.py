"""The table editor in a real browser on a real server; numbers are the library's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import bayou
from tests.page.browsing import SIZES, bar, choose, picture, tab
from tests.patience import PATIENCE

ASIA = bayou.examples.asia()
FAULTS = """dialog => {
  const shown = [...dialog.querySelectorAll("button, select, input")].filter(
    (one) => one.offsetWidth > 0 && !one.closest(".grid-box"));
  const [frame, faults] = [dialog.getBoundingClientRect(), []];
  shown.forEach((one, place) => {
    const box = one.getBoundingClientRect();
    const name = one.textContent || one.getAttribute("aria-label");
    if (box.width < 24 || box.height < 24) faults.push(`small: ${name}`);
    if (box.left < frame.left || box.right > frame.right) faults.push(`outside: ${name}`);
    if (one.tagName === "BUTTON" && one.scrollWidth > one.clientWidth + 1) faults.push(`cut off: ${name}`);
    for (const other of shown.slice(place + 1)) {
      const rest = other.getBoundingClientRect();
      const across = Math.min(box.right, rest.right) - Math.max(box.left, rest.left);
      const down = Math.min(box.bottom, rest.bottom) - Math.max(box.top, rest.top);
      if (across > 1 && down > 1) faults.push(`overlap: ${name} and ${other.textContent}`);
    }
  });
  for (const cell of dialog.querySelectorAll(".grid td"))
    if (cell.scrollWidth > cell.clientWidth + 1) faults.push(`cut off: ${cell.textContent}`);
  return faults;
}"""
"""What overlaps, is too small, outside or cut off in a dialog."""
Open = Callable[[bayou.Network], None]
Read = Callable[[], bayou.Network]


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page with a clipboard."""
    with tab(browser, address) as opened:
        opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield opened


@pytest.fixture
def show(page: Page, tmp_path: Path) -> Open:
    """Open a network of the library in the page."""

    def opened(net: bayou.Network) -> None:
        net.save(tmp_path / "given.bayou")
        choose(page, tmp_path / "given.bayou")

    return opened


@pytest.fixture
def edited(page: Page, tmp_path: Path) -> Read:
    """The network that the page shows now, as its download brings it."""

    def read() -> bayou.Network:
        page.get_by_role("button", name="Download…").click()
        with page.expect_download() as waiting:
            page.get_by_role("dialog").get_by_role("link", name=re.compile("Download")).click()
        waiting.value.save_as(tmp_path / "edited.bayou")
        page.keyboard.press("Escape")
        found = bayou.load(tmp_path / "edited.bayou")
        assert isinstance(found, bayou.Network)
        return found

    return read


def thirds() -> bayou.Network:
    """Three parents of three states: a table of 27 rows."""
    states = {name: ["low", "mid", "high"] for name in "ABCD"}
    net = bayou.Network("A -> D; B -> D; C -> D", states=states)
    for name in "ABC":
        net.set_cpt(name, [0.2, 0.3, 0.5])
    return net.set_cpt("D", np.full((3, 3, 3, 3), 1 / 3))


def random_rows(count: int, width: int) -> np.ndarray:
    return np.random.default_rng(7).dirichlet(np.ones(width), size=count)


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def edit_table(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"More about {name}", exact=True).click()
    page.get_by_role("menuitem", name="Edit table…").click()
    expect(dialog(page).get_by_role("grid")).to_be_focused()


def apply(page: Page) -> None:
    dialog(page).get_by_role("button", name="Apply").click()
    expect(page.get_by_text(re.compile("^Table of .*: applied."))).to_be_visible()
    expect(dialog(page)).to_be_hidden()


def row(page: Page, place: int) -> Locator:
    """The row at a place, from 1."""
    return dialog(page).get_by_role("row").nth(place)


def numbers(page: Page, place: int) -> list[str]:
    return row(page, place).get_by_role("gridcell").all_inner_texts()[:-1]


def copy(page: Page, text: str) -> None:
    """Fill the clipboard, as a spreadsheet does."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def typed(page: Page, *keys: str) -> None:
    """Type texts into cells one after the other; names of keys are pressed."""
    for key in keys:
        if re.fullmatch(r"[A-Z]\w+|[A-Z]\w+\+.*", key):
            page.keyboard.press(key)
        else:
            page.keyboard.type(key)


def require_equal(found: np.ndarray, wanted: np.ndarray) -> None:
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() < 1e-12


@pytest.mark.parametrize("by_keyboard", [False, True], ids=["mouse", "keyboard"])
def test_a_table_of_27_rows_from_a_spreadsheet_takes_two_actions(
    page: Page, edited: Read, tmp_path: Path, by_keyboard: bool
) -> None:
    """From the first page on; the actions are those in the network: a name and the paste."""
    thirds().save(tmp_path / "thirds.bayou")
    opener = page.get_by_role("button", name="Open a file…")
    with page.expect_file_chooser() as chooser:
        if by_keyboard:
            opener.press("Enter")
        else:
            opener.click()
    chooser.value.set_files(tmp_path / "thirds.bayou")
    expect(page.get_by_role("tablist")).to_be_visible()
    rows = random_rows(27, 3)
    copy(page, "\r\n".join("\t".join(f"{x!r}".replace(".", ",") for x in line.tolist()) for line in rows))
    if by_keyboard:
        typed(page, "/", "D", "Enter", "t")
    else:
        page.get_by_role("tabpanel", name="Drawing").get_by_text("D", exact=True).dblclick(
            force=True  # its box takes the clicks on a name
        )
    expect(dialog(page).get_by_role("grid")).to_be_focused()
    page.keyboard.press("Control+v")
    expect(dialog(page).get_by_role("status")).to_have_text("Applied: the beliefs follow this table.")
    page.keyboard.press("Escape")
    require_equal(edited().frozen.table("D").reshape(27, 3), rows)
    page.keyboard.press("Control+z")
    expect(bar(page, "D = low")).to_have_attribute("aria-label", re.compile(r"33\.3%"))


def test_cells_are_typed_as_in_a_spreadsheet(page: Page, edited: Read) -> None:
    choose(page, "Asia")
    edit_table(page, "dysp")
    assert numbers(page, 1) == ["0.9", "0.1"]
    typed(page, "0,25", "Enter", "25 %", "Enter", "2/3", "Tab", "Tab", "1", "ArrowUp", "ArrowUp")
    assert [numbers(page, place) for place in (1, 2, 3, 4)] == [
        ["0.25", "0.75"],
        ["0.25", "0.75"],
        ["0.666667", "0.333333"],
        ["1", "0"],
    ]
    apply(page)
    table = np.array([[[0.25, 0.75], [0.25, 0.75]], [[2 / 3, 1 / 3], [1, 0]]])
    require_equal(edited().frozen.table("dysp"), table)
    wanted = bayou.examples.asia().set_cpt("dysp", table).query("dysp")["yes"]
    expect(bar(page, "dysp = yes")).to_have_attribute(
        "aria-label", re.compile(re.escape(f"{100 * wanted:.1f}%"))
    )


def test_a_wrong_row_is_kept_marked_told_and_repaired(page: Page, edited: Read) -> None:
    choose(page, "Asia")
    edit_table(page, "lung")
    typed(page, "3", "Tab", "1", "Tab", "F2")
    page.keyboard.type("often")
    page.keyboard.press("Enter")
    status = dialog(page).get_by_role("status")
    expect(status).to_have_text("2 rows to repair; the beliefs wait.")
    expect(row(page, 1).get_by_role("gridcell").first).to_have_attribute("aria-invalid", "true")
    expect(row(page, 2)).to_have_text(re.compile("often.*not a number"))
    dialog(page).get_by_role("button", name="Apply").click()
    expect(dialog(page).get_by_role("alert")).to_have_text(re.compile("Repair these rows first"))
    page.keyboard.press("Escape")
    expect(bar(page, "lung = yes")).to_have_attribute("aria-label", re.compile(r"5\.5%"))
    page.reload()
    drafts = page.get_by_role("list", name="Tables in work")
    expect(drafts).to_have_text(re.compile("lung.*2 rows to repair"))
    drafts.get_by_role("button", name="lung", exact=True).click()
    expect(row(page, 2)).to_have_text(re.compile("often"))
    dialog(page).get_by_role("button", name="Normalise row 1").click()
    assert numbers(page, 1) == ["0.75", "0.25"]
    dialog(page).get_by_role("button", name="Show the next row to repair").click()
    typed(page, "0.125", "Enter")
    expect(status).to_have_text("Not applied yet.")
    apply(page)
    expect(drafts).to_be_hidden()
    require_equal(edited().frozen.table("lung"), np.array([[0.75, 0.25], [0.125, 0.875]]))


def test_a_draft_can_be_discarded_and_typing_undone(page: Page) -> None:
    choose(page, "Asia")
    edit_table(page, "dysp")
    typed(page, "0.5", "Enter", "0.6", "Enter", "Control+z")
    assert [numbers(page, place)[0] for place in (1, 2)] == ["0.5", "0.8"]
    typed(page, "Control+z", "Control+y", "0.4", "Escape")
    assert numbers(page, 1) == ["0.5", "0.5"]
    assert numbers(page, 3) == ["0.7", "0.3"]
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Discard the draft of dysp").click()
    expect(page.get_by_role("list", name="Tables in work")).to_be_hidden()
    edit_table(page, "dysp")
    assert numbers(page, 1) == ["0.9", "0.1"]


def test_ranges_are_copied_filled_and_pasted(page: Page, show: Open, edited: Read) -> None:
    show(thirds())
    edit_table(page, "D")
    typed(page, "0.5", "Tab", "0.25", "Tab", "0.25", "Tab", "ArrowUp")
    typed(page, "Shift+End", "Control+c")
    assert clipboard(page) == "0.5\t0.25\t0.25"
    typed(page, "Shift+ArrowDown", "Shift+ArrowDown", "Control+d")
    assert [numbers(page, place) for place in (2, 3)] == [["0.5", "0.25", "0.25"]] * 2
    typed(page, "Control+End", "Home")
    copy(page, "10;20;70")
    page.keyboard.press("Control+v")
    button = dialog(page).get_by_role("button", name="These are counts: divide each row by its sum")
    button.click()
    apply(page)
    wanted = np.full((27, 3), 1 / 3)
    wanted[:3], wanted[26] = [0.5, 0.25, 0.25], [0.1, 0.2, 0.7]
    require_equal(edited().frozen.table("D").reshape(27, 3), wanted)


def test_a_paste_with_names_and_one_that_does_not_fit(page: Page, edited: Read) -> None:
    choose(page, "Asia")
    edit_table(page, "dysp")
    copy(page, "either\tbronc\tno\tyes\nno\tyes\t20%\t80%\n\tno\t1/4\t3/4\nyes\tno\t0.5\t0.5\n\tyes\t0\t1")
    page.keyboard.press("Control+v")
    expect(dialog(page).get_by_role("status")).to_have_text("Applied: the beliefs follow this table.")
    copy(page, "\n".join(["1\t2\t3"] * 5))
    page.keyboard.press("Control+v")
    problem = dialog(page).get_by_role("alert")
    expect(problem).to_have_text(
        re.compile(r"has 5 rows of 3 cells; here are 4 rows of 2 numbers \(yes and no\)")
    )
    copy(page, "yes\tmaybe\t0.5\t0.5")
    page.keyboard.press("Control+v")
    expect(problem).to_have_text(re.compile(r'"maybe" is not a state of either \(yes and no\)'))
    dialog(page).get_by_role("button", name="Copy with names").click()
    expect(dialog(page).get_by_role("status")).to_have_text("Copied.")
    assert clipboard(page).split("\n")[:3] == [
        "bronc\teither\tyes\tno",
        "yes\tyes\t1\t0",
        "yes\tno\t0.8\t0.2",
    ]
    page.keyboard.press("Escape")
    require_equal(edited().frozen.table("dysp"), np.array([[[1, 0], [0.8, 0.2]], [[0.5, 0.5], [0.75, 0.25]]]))


def test_a_locked_cell_stays_while_its_row_adapts(page: Page, show: Open, edited: Read) -> None:
    show(thirds())
    edit_table(page, "A")
    page.keyboard.press("l")
    expect(row(page, 1).get_by_role("img", name="locked")).to_be_visible()
    typed(page, "ArrowRight", "0.6", "Enter")
    assert numbers(page, 1)[1:] == ["0.6", "0.2"]
    apply(page)
    require_equal(edited().frozen.table("A"), np.array([0.2, 0.6, 0.2]))


def test_rows_are_found_and_parents_reordered_without_changing_the_distribution(
    page: Page, edited: Read
) -> None:
    choose(page, "Asia")
    edit_table(page, "dysp")
    dialog(page).get_by_role("button", name="Swap bronc and either").click()
    expect(dialog(page).get_by_role("columnheader").first).to_have_text("either")
    dialog(page).get_by_role("combobox", name="bronc").select_option("no")
    expect(dialog(page).get_by_role("row")).to_have_count(3)
    assert [numbers(page, place)[0] for place in (1, 2)] == ["0.7", "0.1"]
    assert row(page, 1).get_by_role("rowheader").all_inner_texts() == ["yes", "no"]
    apply(page)
    found = edited()
    assert found.parents("dysp") == ("either", "bronc")
    names = list(ASIA.names)
    require_equal(found.query(names).to_array(), ASIA.query(names).to_array())


def test_a_noisy_or_by_its_few_numbers_and_back(page: Page, edited: Read) -> None:
    choose(page, "Asia")
    edit_table(page, "dysp")
    dialog(page).get_by_role("button", name="As a noisy-OR").click()
    field = dialog(page).get_by_role("textbox", name="bronc = yes")
    field.fill("often")
    expect(field).to_have_attribute("aria-invalid", "true")
    for name, chance in {"bronc = yes": "0.7", "either = yes": "60 %", "Leak": "0,1"}.items():
        dialog(page).get_by_role("textbox", name=name).fill(chance)
    assert numbers(page, 1) == ["0.892", "0.108"]
    apply(page)
    node = bayou.NoisyOr({"bronc": 0.7, "either": 0.6}, leak=0.1)
    wanted = bayou.examples.asia().set_cpt("dysp", node).frozen.table("dysp")
    found = edited()
    require_equal(found.frozen.table("dysp"), wanted)
    assert found.frozen.distribution("dysp").kind == "causes"
    edit_table_again(page, "This is a noisy-OR")
    dialog(page).get_by_role("button", name="As a table").click()
    apply(page)
    found = edited()
    assert found.frozen.distribution("dysp").kind == "table"
    require_equal(found.frozen.table("dysp"), wanted)


def edit_table_again(page: Page, words: str) -> None:
    edit_table(page, "dysp")
    expect(dialog(page).get_by_text(words)).to_be_visible()


def test_learned_tables_show_their_rows_and_other_distributions_a_sentence(page: Page, show: Open) -> None:
    data = {"G": ["d", "d", "d", "c", "c"], "R": ["u", "u", "v", "v", "v"], "H": [1.5, 2.0, 1.0, 0.5, 0.25]}
    net = bayou.Network("G -> R; G -> H", continuous=["H"]).fit(data)
    show(net)
    edit_table(page, "R")
    ends = net.cpt_intervals("R")
    low, high = (f"{100 * part[1, 0]:.1f}%" for part in (ends.lower, ends.upper))
    expect(row(page, 2).get_by_role("gridcell").first).to_have_text(re.compile(f"2 rows, {low}–{high}"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More about H", exact=True).click()
    page.get_by_role("menuitem", name="Edit table…").click()
    expect(dialog(page).get_by_text("H holds numbers")).to_be_visible()
    expect(dialog(page).get_by_role("grid")).to_be_hidden()


def test_a_hundred_thousand_rows_scroll(page: Page, show: Open, edited: Read) -> None:
    states = {f"P{place}": list(range(10)) for place in range(5)} | {"X": ["no", "yes"]}
    net = bayou.Network("; ".join(f"P{place} -> X" for place in range(5)), states=states)
    for place in range(5):
        net.set_cpt(f"P{place}", np.full(10, 0.1))
    rows = random_rows(100_000, 2)
    net.set_cpt("X", rows.reshape(*[10] * 5, 2))
    show(net)
    edit_table(page, "X")
    grid = dialog(page).get_by_role("grid")
    expect(grid).to_have_attribute("aria-rowcount", "100001")
    assert dialog(page).get_by_role("row").count() < 80
    typed(page, "Control+End")
    last = dialog(page).get_by_role("row").last
    expect(last).to_have_attribute("aria-rowindex", "100001")
    typed(page, "0.125", "Enter")
    assert last.get_by_role("gridcell").all_inner_texts()[:2] == ["0.875", "0.125"]
    dialog(page).get_by_role("combobox", name="P0").select_option("4")
    for place in range(1, 5):
        dialog(page).get_by_role("combobox", name=f"P{place}").select_option("2")
    expect(dialog(page).get_by_role("row")).to_have_count(2)
    assert numbers(page, 1) == [f"{x:.6g}" for x in rows[42_222]]
    typed(page, "Home", "1/4", "Enter")
    apply(page)
    wanted = rows.copy()
    wanted[99_999], wanted[42_222] = [0.875, 0.125], [0.25, 0.75]
    require_equal(edited().frozen.table("X").reshape(-1, 2), wanted)


def test_all_by_keyboard(page: Page, edited: Read) -> None:
    choose(page, "Asia")
    typed(page, "/", "lung", "Enter", "t")
    expect(dialog(page).get_by_role("grid")).to_be_focused()
    typed(page, "0.5", "Enter", "4", "Tab", "6", "ArrowUp", "ArrowDown", "n")
    assert [numbers(page, place) for place in (1, 2)] == [["0.5", "0.5"], ["0.4", "0.6"]]
    page.keyboard.press("Control+Enter")
    expect(dialog(page)).to_be_hidden()
    require_equal(edited().frozen.table("lung"), np.array([[0.5, 0.5], [0.4, 0.6]]))


def test_cells_are_typed_and_ranges_dragged_with_the_mouse(page: Page, show: Open) -> None:
    show(thirds())
    edit_table(page, "D")

    def cell(place: int, column: int) -> Locator:
        return row(page, place).get_by_role("gridcell").nth(column)

    cell(2, 1).dblclick()
    page.keyboard.type("0.5")
    cell(4, 0).click()
    assert numbers(page, 2) == ["0.333333", "0.5", "0.333333"]
    cell(2, 0).hover()
    page.mouse.down()
    cell(3, 2).hover()
    page.mouse.up()
    expect(dialog(page).get_by_role("gridcell", selected=True)).to_have_count(6)
    dialog(page).get_by_role("button", name="Fill down").click()
    dialog(page).get_by_role("button", name="Normalise row", exact=True).click()
    assert numbers(page, 3) == ["0.285714", "0.428571", "0.285714"]
    expect(dialog(page).get_by_role("grid")).to_be_focused()
    cell(5, 1).click(modifiers=["Shift"])
    expect(dialog(page).get_by_role("gridcell", selected=True)).to_have_count(8)


def test_cells_are_tapped_on_a_phone(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    page.goto(address)
    choose(page, "Asia")
    edit_table(page, "lung")
    cell = row(page, 2).get_by_role("gridcell").nth(1)
    cell.tap()
    field = dialog(page).get_by_role("textbox", name="smoke = no, no")
    expect(field).to_be_focused()
    field.fill("1/4")
    row(page, 1).get_by_role("gridcell").first.tap()
    expect(dialog(page).get_by_role("textbox", name="smoke = yes, yes")).to_be_focused()
    assert numbers(page, 2) == ["0.75", "0.25"]
    dialog(page).get_by_role("button", name="Apply").tap()
    expect(dialog(page)).to_be_hidden()
    context.close()


@pytest.mark.parametrize(("size", "scheme"), list(product(SIZES, ["light", "dark"])))
def test_the_editor_fits_into_the_window(
    browser: Browser, address: str, tmp_path: Path, size: tuple[int, int], scheme: str
) -> None:
    with tab(browser, address, size) as page:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        thirds().save(tmp_path / "thirds.bayou")
        choose(page, tmp_path / "thirds.bayou")
        edit_table(page, "D")
        typed(page, "0.5", "Tab", "Tab", "30", "Enter")
        look(page, f"table-{size[0]}-{scheme}", size)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Networks", exact=True).click()
        choose(page, "Asia")
        edit_table(page, "dysp")
        dialog(page).get_by_role("button", name="As a noisy-OR").click()
        look(page, f"noisy-or-{size[0]}-{scheme}", size)


def look(page: Page, name: str, size: tuple[int, int]) -> None:
    page.wait_for_timeout(150)
    picture(page, name)
    box = dialog(page).bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size[0]
    assert box["y"] + box["height"] <= size[1]
    assert dialog(page).evaluate(FAULTS) == [], name
