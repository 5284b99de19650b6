/** A part of an answer that is asked for only while it is open. */

import { pageWords } from "../../logic/why/library_words.js";
import { html, setChildren, setText } from "../elements.js";

export class DetailPart {
  /** `content(answer)` makes the elements; `name` is the question of this part. */
  constructor(questions, name, title, content) {
    Object.assign(this, { questions, name, content, seen: null });
    this.title = html("summary", {}, title);
    this.body = html("div", { class: "detail-body" });
    this.root = html("details", {}, this.title, this.body);
    this.root.addEventListener("toggle", () => questions.openPart(name, this.root.open));
  }

  rename(title) {
    setText(this.title, title);
  }

  update() {
    const { answer, problem } = this.questions[this.name];
    const told = answer ?? problem;
    if (told === this.seen) return;
    this.seen = told;
    const failed = problem ? [html("p", { class: "hint" }, pageWords(this.questions.explorer.model, problem.message))] : [];
    setChildren(this.body, answer ? this.content(answer) : failed);
  }
}
