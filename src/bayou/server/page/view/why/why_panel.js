/** Why a variable's beliefs have changed: sentences, the ledger of the findings, trails, numbers behind. */

import { percent } from "../../logic/numbers.js";
import { trailText, trailWords } from "../../logic/why/trails.js";
import { pageWords } from "../../logic/why/library_words.js";
import { awayText, ledgerRows, sharesText, statedText } from "../../logic/why/words.js";
import { breakable, html, setChildren, setShown, setText, wide } from "../elements.js";
import { DetailPart } from "./detail_part.js";
import { tableContent } from "./table_part.js";
import { tornadoContent } from "./tornado_part.js";

const NOTHING_KNOWN =
  "Nothing is known yet, so nothing has changed. Click a bar to set a finding, and see here what it does.";

export class WhyPanel {
  /** `on.show(key)` brings a variable into view. */
  constructor(questions, on) {
    this.questions = questions;
    this.head = html("h3", { tabindex: -1 });
    this.state = html("select", { "aria-label": "State", on: { change: () => this.chooseState() } });
    this.states = html("label", { class: "row text-row" }, html("span", {}, "State"), this.state);
    this.sentences = html("div", { class: "sentences", "aria-live": "polite" });
    this.ledger = html("div", { class: "ledger" });
    this.trails = html("div");
    this.away = html("div");
    const working = ({ text }) => [html("pre", { tabindex: 0, role: "group", "aria-label": "Working" }, text)];
    const tornado = (answer) => tornadoContent(questions.explorer.model, answer, on);
    this.parts = [
      new DetailPart(questions, "tornado", "Which numbers matter most", tornado),
      new DetailPart(questions, "working", "The working, line by line", working),
      new DetailPart(questions, "table", "", tableContent),
    ];
    const body = [this.head, this.states, this.sentences, this.ledger, this.trails, this.away];
    this.root = html("div", { class: "answer why" }, ...body, ...this.parts.map(({ root }) => root));
    Object.assign(this, { seen: null, variable: null });
  }

  chooseState() {
    this.questions.chooseState(this.state.value === "" ? null : Number(this.state.value));
  }

  update() {
    const { variable, why, explorer, told } = this.questions;
    if (this.variable !== variable) this.fill(variable);
    const { state, statePlace } = this.questions;
    this.state.value = state === null && variable.labels.length > 2 ? "" : String(statePlace);
    this.parts[2].rename(`The table of ${variable.text}`);
    for (const part of this.parts) part.update();
    for (const part of this.parts.slice(0, 2)) setShown(part.root, told === "");
    setShown(this.states, told === "" && variable.labels.length > 0);
    const key = [why.answer, why.problem, explorer.believed.length, variable, told];
    if (this.seen?.every((one, place) => one === key[place])) return;
    this.seen = key;
    this.show(why, explorer);
  }

  fill(variable) {
    this.variable = variable;
    const options = variable.labels.map((label, place) => html("option", { value: place }, label));
    const most = html("option", { value: "" }, "the one that rose most");
    setChildren(this.state, variable.labels.length > 2 ? [most, ...options] : options);
  }

  show({ answer, problem }, { model, believed }) {
    const { variable } = this;
    setText(this.head, answer ? headText(model, answer) : `Why ${variable.text}?`);
    const empty = this.questions.told || (believed.length === 0 ? NOTHING_KNOWN : (problem?.message ?? ""));
    const lines = (answer ? answer.sentences : [empty]).map((line) => pageWords(model, line));
    setChildren(
      this.sentences,
      lines.map((line) => html("p", { class: answer ? null : "hint" }, line)),
    );
    setChildren(this.ledger, answer ? ledgerContent(model, believed, answer) : []);
    setChildren(this.trails, answer ? trailContent(model, answer) : []);
    setChildren(this.away, answer ? awayContent(model, answer) : []);
  }
}

const headText = (model, answer) =>
  `${statedText(model, answer.target, answer.state)}: ${percent(answer.before)} → ${percent(answer.after)}`;

/** What each finding does: the probability without it, with it alone, and its share. */
function ledgerContent(model, findings, answer) {
  const rows = ledgerRows(model, findings, answer);
  const shared = answer.share_unit !== null;
  const heads = ["Finding", "without it", "alone", ...(shared ? ["share"] : [])];
  const told = sharesText(answer);
  const body = rows.map(({ text, without, alone, share, note }) => {
    const words = note === "" ? breakable(text) : [...breakable(text), html("span", { class: "hint" }, ` (${note})`)];
    const cells = [without, alone, ...(shared ? [share] : [])].map((value) => html("td", {}, value));
    return html("tr", {}, html("th", { scope: "row" }, ...words), ...cells);
  });
  const state = statedText(model, answer.target, answer.state);
  const table = html(
    "table",
    { class: "ledger-table" },
    html("caption", {}, `P(${state}) by finding; with all of them ${percent(answer.after)}`),
    html("thead", {}, html("tr", {}, ...heads.map((head) => html("th", { scope: "col" }, head)))),
    html("tbody", {}, ...body),
  );
  return told === "" ? [wide(table)] : [wide(table), html("p", { class: "hint" }, told)];
}

/** The trails along which the findings act; the drawing marks them. */
function trailContent(model, answer) {
  const lines = answer.trails.filter(({ names }) => names.length > 1);
  if (lines.length === 0) return [];
  const items = lines.map(({ names }) =>
    html(
      "li",
      {},
      html("span", { "aria-hidden": "true" }, trailText(model, names)),
      html("span", { class: "spoken" }, trailWords(model, names)),
    ),
  );
  return [
    html("h4", { id: "trails-head" }, "Along these trails, marked in the drawing"),
    html("ul", { class: "trails", "aria-labelledby": "trails-head" }, ...items),
  ];
}

function awayContent(model, answer) {
  if (answer.explained_away.length === 0) return [];
  const items = answer.explained_away.map((one) => html("li", {}, awayText(model, answer, one)));
  return [
    html("h4", { id: "away-head" }, "Explaining away"),
    html("ul", { "aria-labelledby": "away-head" }, ...items),
  ];
}
