/** Learning from a table on the page: from the gallery, from the toolbar, or by dropping a file. */

import { isTable } from "../../logic/learning/tables.js";
import { button } from "../elements.js";
import { LearningDialog } from "./learning_dialog.js";

/** The contribution of this folder. */
export function learning(page) {
  const dialog = new LearningDialog(page.explorer, {
    open: (revision, source) => page.doors.open(revision, { source }),
    rows: (table, target) => page.walkRows(table, target),
  });
  const title = "A network from the rows of a CSV, TSV, Parquet or JSON lines file";
  const way = button("Learn from a table…", () => dialog.pick(), { title });
  const tool = button("Learn…", () => dialog.pick(), { title: "Learn a network from a table, and compare it with this one" });
  return {
    gallery: [{ way }],
    tools: [{ root: tool, update() {} }],
    dialogs: [dialog],
    files: [{ takes: isTable, open: (file) => dialog.read(file) }],
  };
}
