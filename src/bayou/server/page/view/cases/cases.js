/** Cases on the page: the list of saved findings, the rows of a table, and tests with them. */

import { CaseShelf } from "../../logic/cases/case_shelf.js";
import { RowWalk } from "../../logic/cases/row_walk.js";
import { CasesPanel } from "./cases_panel.js";
import { RowPanel } from "./row_panel.js";
import { TestDialog } from "./test_dialog.js";

/** The contribution of this folder; others begin a walk with `page.walkRows(table, target, how)`. */
export function cases(page) {
  const { explorer } = page;
  const shelf = new CaseShelf(explorer, () => page.questions.key);
  const walk = new RowWalk(explorer);
  const panel = new CasesPanel(shelf, page.notices, { test: () => test.open() });
  const rows = new RowPanel(walk);
  page.walkRows = async (table, target, how = {}) => {
    if (page.tabs.order.includes("findings")) page.tabs.choose("findings");
    await walk.begin(table, target, how);
    rows.focus();
  };
  const test = new TestDialog(explorer, page.notices, { row: page.walkRows });
  return {
    parts: [rows, panel],
    dialogs: [test],
    update() {
      // The row that is looked at stands above everything that follows from it.
      if (page.panel.firstChild !== rows.root) page.panel.prepend(rows.root);
    },
  };
}
