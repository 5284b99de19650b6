/** The page of the API: all addresses, then all forms; a search leaves those that have the words. */

import { formsOf, found, operationsOf, typeWords } from "../../logic/reference/description.js";
import { html, setShown, setText } from "../elements.js";

const formId = (name) => `form-${name}`;

const typed = (words) =>
  html(
    "span",
    { class: "type" },
    ...words.map((word) =>
      word.form ? html("a", { href: `#${formId(word.form)}` }, word.form) : String(word),
    ),
  );

const row = (name, ...cells) =>
  html(
    "tr",
    {},
    html("th", { scope: "row" }, html("code", {}, name)),
    ...cells.map((cell) => html("td", {}, cell)),
  );

const table = (heads, rows) =>
  html(
    "div",
    { class: "wide" },
    html(
      "table",
      {},
      html("thead", {}, html("tr", {}, ...heads.map((head) => html("th", { scope: "col" }, head)))),
      html("tbody", {}, ...rows),
    ),
  );

const told = ({ description }) => (description ? `. ${description}` : null);

const contents = (name, list) =>
  list.map(({ type, schema }) =>
    html("p", {}, `${name} `, html("code", {}, type), ": ", typed(typeWords(schema)), told(schema)),
  );

function addressSection(operation) {
  const { id, method, path, summary, parameters, bodies, answers, problems } = operation;
  const given = parameters.map((each) =>
    row(each.name, `in the ${each.in}`, typed(typeWords(each.schema)), each.description ?? ""),
  );
  const heads = ["parameter", "where", "type", "meaning"];
  const head = html("h3", {}, html("span", { class: "method" }, method), " ", html("code", {}, path));
  const refusals = problems.map((each) => row(each.status, each.description));
  return html(
    "section",
    { id: `address-${id}` },
    head,
    html("p", {}, `${summary}.${operation.isOpen ? " Needs no token." : ""}`),
    given.length > 0 ? table(heads, given) : null,
    ...contents("Send", bodies),
    ...answers.flatMap((each) => contents(`${each.status} answers`, each.contents)),
    html(
      "details",
      {},
      html("summary", {}, `Problems (${problems.length})`),
      table(["status", "meaning"], refusals),
    ),
  );
}

function formSection(form) {
  const members = form.members.map((each) =>
    row(each.name, typed(each.words), each.required ? "yes" : "no", each.default ?? "", each.description),
  );
  return html(
    "section",
    { id: formId(form.name) },
    html("h3", {}, html("code", {}, form.name)),
    html("p", { class: "text" }, form.description),
    form.words === null ? null : html("p", {}, typed(form.words)),
    members.length > 0 ? table(["member", "type", "required", "default", "meaning"], members) : null,
  );
}

export class ReferencePage {
  constructor(body) {
    this.search = html("input", { type: "search", on: { input: () => this.sift() } });
    this.status = html("p", { role: "status", class: "soft" });
    this.main = html("main", {});
    this.parts = [];
    const label = html("label", {}, "Search the addresses and forms ", this.search);
    const title = html("h1", {}, "The API of bayou");
    body.append(html("header", {}, title, label, this.status), this.main);
  }

  show(description) {
    const { title, version, summary } = description.info;
    this.facts = `${title} ${version}. ${summary}. `;
    const addresses = operationsOf(description).map((each) => ({ facts: each, node: addressSection(each) }));
    const forms = formsOf(description).map((each) => ({ facts: each, node: formSection(each) }));
    this.parts = [...addresses, ...forms];
    this.main.append(
      html("h2", {}, "Addresses"),
      ...addresses.map(({ node }) => node),
      html("h2", {}, "Forms"),
      ...forms.map(({ node }) => node),
    );
    this.sift();
    const wanted = location.hash.slice(1);
    if (wanted) document.getElementById(wanted)?.scrollIntoView();
    window.addEventListener("hashchange", () => this.showLinked());
  }

  /** A link may lead to a form that the search has hidden. */
  showLinked() {
    const node = document.getElementById(location.hash.slice(1));
    if (node === null || !node.hasAttribute("hidden")) return;
    this.search.value = "";
    this.sift();
    node.scrollIntoView();
  }

  sift() {
    let shown = 0;
    for (const { facts, node } of this.parts) {
      const isFound = found(this.search.value.trim(), facts);
      setShown(node, isFound);
      shown += isFound;
    }
    const hits = this.search.value.trim() === "" ? "" : `${shown} found.`;
    setText(this.status, `${this.facts ?? ""}${hits}`);
  }

  tell(sentence) {
    setText(this.status, sentence);
  }
}
