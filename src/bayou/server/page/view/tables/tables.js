/** What the table editor adds to the page: its dialog, an item of the menu, a key, and a list of drafts. */

import { KeptDrafts } from "../../logic/tables/kept_drafts.js";
import { DraftsPanel } from "./drafts_panel.js";
import { TableDialog } from "./table_dialog.js";

export function tables(page) {
  const { explorer } = page;
  const drafts = new KeptDrafts(explorer);
  const dialog = new TableDialog(explorer, drafts, (words) =>
    page.notices.say(words, { step: explorer.history.present }),
  );
  const open = (key) => (key ? dialog.open(key) : page.notices.say("Choose a variable first."));
  const drop = (key) => {
    dialog.drop(key);
    explorer.tell();
  };
  const panel = new DraftsPanel(explorer, drafts, { open, drop });
  dialog.root.addEventListener("close", () => panel.update());
  return {
    dialogs: [dialog],
    parts: [panel],
    items: ({ kind, key }) =>
      kind === "node" || kind === "edit"
        ? [{ text: explorer.canEdit ? "Edit table…" : "Show table…", act: () => open(key) }]
        : [],
    commands: { "edit-table": open },
  };
}
