/** Variables copied as JSON text and pasted, also into other networks and tabs. */

import { Mistyped } from "../../logic/building/typed_network.js";
import { copiedText, contentOf } from "../../logic/building/copied_variables.js";
import { counted } from "../../logic/numbers.js";
import { html } from "../elements.js";

export class Clipboard {
  constructor(tools) {
    this.tools = tools;
    document.addEventListener("paste", (event) => this.pasted(event));
  }

  /** Copy variables by key, with their tables and the arcs between them. */
  async copy(keys) {
    const { explorer, page } = this.tools;
    const names = keys.map((key) => explorer.model.byKey.get(key).name);
    try {
      const { content } = await explorer.connection.ask(explorer.model.revision, "copy", {
        variables: names,
      });
      await this.write(copiedText(content, names));
      page.notices.say(
        `Copied ${counted(names.length, "variable")}. Paste with Ctrl+V, here or in another network.`,
      );
    } catch (problem) {
      page.notices.tell(problem.message);
    }
  }

  /** Into the clipboard; where the browser forbids it, the text is shown to be copied by hand. */
  async write(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = html("textarea", { rows: 6, readonly: true, "aria-label": "Copied variables" });
      area.value = text;
      this.tools.form.open({ title: "Copy this text", fields: [area], submit: "Done", act: () => null });
    }
  }

  /** Choose which variables are copied. */
  copyForm() {
    const { explorer, form } = this.tools;
    const { model, chosen } = explorer;
    const ticks = model.variables.map(({ key, text }) => {
      const tick = html("input", { type: "checkbox", value: key, checked: key === chosen });
      return html("label", { class: "row tick-row" }, tick, html("span", {}, text));
    });
    form.open({
      title: "Copy variables",
      hint: "With their tables and the arcs between them. Tables are averaged over parents that are left out.",
      fields: ticks,
      submit: "Copy",
      act: () => {
        const keys = ticks.map((row) => row.firstChild).filter(({ checked }) => checked);
        if (keys.length === 0) throw new Mistyped("Tick at least one variable.");
        this.copy(keys.map(({ value }) => value));
        return null;
      },
    });
  }

  /** Ctrl+V anywhere but in a field. */
  pasted(event) {
    const { explorer } = this.tools;
    const busy = event.target.closest?.("input, textarea, select") || document.querySelector("dialog[open]");
    if (busy || !explorer.model || !explorer.canEdit) return;
    const content = contentOf(event.clipboardData?.getData("text/plain") ?? "");
    if (content === null) return;
    event.preventDefault();
    this.paste(content);
  }

  /** Paste by hand: the text goes into a field, which needs no permission. */
  pasteForm() {
    this.tools.form.open({
      title: "Paste variables",
      hint: "Paste here (Ctrl+V) what was copied in this tab or another one.",
      fields: [{ name: "text", label: "Copied text", kind: "long" }],
      submit: "Paste",
      act: ({ text }) => {
        const content = contentOf(text);
        if (content === null)
          throw new Mistyped("This is not a text of copied variables. Copy them with Edit…, Copy.");
        return this.paste(content, { tell: false });
      },
    });
  }

  async paste(content, how) {
    const { explorer } = this.tools;
    const before = new Set(explorer.model.byKey.keys());
    const problem = await explorer.edit([{ edit: "paste", content }], how);
    const fresh = explorer.model.variables.find(({ key }) => !before.has(key));
    if (!problem && fresh) this.tools.show(fresh.key);
    return problem;
  }
}
