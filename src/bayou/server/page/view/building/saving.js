/** Writing back to the file that the server was started with: losses are told before, changes of others are kept. */

const NOT_HERE = "This server does not write this network back to a file. Use Download.";

export class Saving {
  constructor(page, connection) {
    Object.assign(this, { page, connection, explorer: page.explorer, accepted: "" });
  }

  /** Save; `overwrite` also a file that others have changed. */
  async save({ overwrite = false, accept = false } = {}) {
    const { explorer, page } = this;
    const { entry, model } = explorer;
    if (!entry?.can_save) {
      page.notices.say(NOT_HERE);
      return;
    }
    try {
      const losses = await this.lossesOf(entry, model);
      if (accept) this.accepted = losses.join("; ");
      if (losses.length > 0 && losses.join("; ") !== this.accepted) {
        this.askAbout(losses, entry, overwrite);
        return;
      }
      await this.connection.save(model.revision, entry.revision, overwrite);
      entry.revision = model.revision;
      explorer.memory.remember(explorer.model.revision, { onDisk: model.revision });
      explorer.editing.saved(model.revision);
      page.notices.clear();
      page.notices.say(`Saved to ${entry.path_name ?? entry.name}.`);
    } catch (problem) {
      this.tell(problem);
    }
  }

  /** What the format of the file cannot hold. */
  async lossesOf(entry, model) {
    const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(entry.path_name ?? "")?.[1].toLowerCase();
    if (!ending || ending === "bayou") return [];
    try {
      return (await this.connection.losses(model.revision, ending)).losses;
    } catch (problem) {
      if (problem.type === "unknown-format") return [];
      throw problem;
    }
  }

  askAbout(losses, entry, overwrite) {
    const { notices, downloads } = this.page;
    notices.tell(`${entry.path_name} cannot hold ${losses.join("; ")}. Nothing was written yet.`, [
      ["Save without it", () => this.save({ overwrite, accept: true })],
      ["Download a copy", () => downloads.open()],
    ]);
  }

  tell(problem) {
    const { notices, downloads } = this.page;
    const choices = [["Download a copy", () => downloads.open()]];
    if (problem.status === 409) choices.unshift(["Overwrite", () => this.save({ overwrite: true })]);
    notices.tell(problem.message, choices);
  }
}
