/** The search field: finds variables and states; a variable is shown, a state becomes a finding. */

import { found } from "../logic/search.js";
import { html, setAttribute } from "./elements.js";

export class SearchBox {
  /** `on.variable(key)` and `on.state(key, index)` are told what was picked. */
  constructor(explorer, on) {
    Object.assign(this, { explorer, on });
    this.list = html("ul", {
      id: "search-results",
      role: "listbox",
      "aria-label": "Search results",
      hidden: true,
    });
    this.input = html("input", {
      type: "search",
      role: "combobox",
      placeholder: "Search…",
      "aria-label": "Search variables and states",
      "aria-controls": "search-results",
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      autocomplete: "off",
      spellcheck: "false",
      on: {
        input: () => this.look(),
        focus: () => this.look(),
        keydown: (event) => this.press(event),
        blur: () => this.close(),
      },
    });
    this.root = html("div", { class: "search", role: "search" }, this.input, this.list);
    this.hits = [];
    this.at = 0;
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  look() {
    this.hits = this.explorer.model ? found(this.explorer.model, this.input.value) : [];
    this.at = 0;
    this.list.replaceChildren(...this.hits.map((hit, place) => this.option(hit, place)));
    if (this.hits.length === 0 && this.input.value.trim() !== "") {
      this.list.append(
        html(
          "li",
          { class: "nothing", role: "option", "aria-disabled": "true" },
          "No variable or state has this name.",
        ),
      );
    }
    const shown = this.list.childElementCount > 0;
    this.list.hidden = !shown;
    setAttribute(this.input, "aria-expanded", String(shown));
    this.mark();
  }

  option(hit, place) {
    const what = hit.state === null ? "show" : "set as finding";
    return html(
      "li",
      {
        id: `search-result-${place}`,
        role: "option",
        on: {
          pointerdown: (event) => event.preventDefault(),
          click: () => this.pick(place),
        },
      },
      html("span", { class: "hit" }, hit.text, hit.meaning ? html("span", { class: "meaning" }, ` ${hit.meaning}`) : null),
      html("span", { class: "what" }, what),
    );
  }

  mark() {
    [...this.list.children].forEach((option, place) => {
      setAttribute(option, "aria-selected", String(place === this.at && this.hits.length > 0));
    });
    const current = this.hits.length > 0 ? `search-result-${this.at}` : null;
    setAttribute(this.input, "aria-activedescendant", this.list.hidden ? null : current);
    this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
  }

  press(event) {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves && this.hits.length > 0) {
      event.preventDefault();
      this.at = (this.at + moves[event.key] + this.hits.length) % this.hits.length;
      this.mark();
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.pick(this.at);
    } else if (event.key === "Escape") {
      this.input.value = "";
      this.close();
      this.input.blur();
    }
  }

  pick(place) {
    const hit = this.hits[place];
    if (!hit) return;
    this.input.value = "";
    this.close();
    this.input.blur();
    if (hit.state === null) this.on.variable(hit.variable.key);
    else this.on.state(hit.variable.key, hit.state);
  }

  close() {
    this.list.hidden = true;
    setAttribute(this.input, "aria-expanded", "false");
    setAttribute(this.input, "aria-activedescendant", null);
  }
}
