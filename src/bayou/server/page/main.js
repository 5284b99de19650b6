/** The start of the page: opens what the address names, keeps the address in step, and saves. */

import { placeOf } from "./logic/address.js";
import { Connection } from "./logic/connection.js";
import { EditLogs } from "./logic/building/edit_log.js";
import { bytesOf, textOf } from "./logic/building/file_text.js";
import { databasesOf, KeptFiles } from "./logic/building/kept_files.js";
import { Explorer } from "./logic/explorer.js";
import { stripPlace } from "./logic/sequences/strip_address.js";
import { isOwn, storedSource } from "./logic/opening/recent.js";
import { isOfSequences } from "./logic/sequences/strip_model.js";
import { lastingStorageOf, storageOf, TabMemory } from "./logic/tab_memory.js";
import { building } from "./view/building/building.js";
import { cases } from "./view/cases/cases.js";
import { Saving } from "./view/building/saving.js";
import { acceptDrops } from "./view/gallery.js";
import { learning } from "./view/learning/learning.js";
import { Page } from "./view/page.js";
import { Recent } from "./view/recent.js";
import { StripPage } from "./view/sequences/strip_page.js";
import { tables } from "./view/tables/tables.js";

const HOME = "#gallery";

/** What folders add to the page that needs a server (view/contributions.js says how). */
const CONTRIBUTIONS = [building, tables, cases, learning];

const NO_CLASSIFIERS =
  "This file holds a classifier, which has no drawing. Serve it (bayou serve), or predict with it (bayou predict).";

/** A sign of work appears only if opening takes longer than this, in milliseconds. */
const PATIENCE = 200;

class Start {
  constructor() {
    const lost = (trial) => this.page.notices.lost(trial);
    this.connection = new Connection(document.baseURI, { lost });
    this.memory = new TabMemory(storageOf(window));
    this.explorer = new Explorer(this.connection, this.memory);
    this.explorer.editing.logs = new EditLogs(lastingStorageOf(window));
    this.explorer.editing.reopen = (source) => this.reopened(source);
    this.files = new KeptFiles(databasesOf(window));
    this.connection.heal = (connection, revision) => this.explorer.editing.heal(connection, revision);
    const doors = {
      exhibit: (one) => this.exhibit(one),
      open: (revision, facts) => this.enter(() => this.open(revision, facts)),
      served: (entry) => this.enter(() => this.openServed(entry)),
      begin: () => this.again({ begun: true, name: "New network" }),
      again: (source, origin) => this.again(source, origin),
      file: (file) => this.file(file),
      gallery: () => this.goHome(),
      save: () => this.saving.save(),
    };
    this.page = new Page(this.explorer, doors, CONTRIBUTIONS);
    this.page.gallery.add([new Recent(this.explorer, (entry) => this.openRecent(entry))]);
    this.saving = new Saving(this.page, this.connection);
    this.strip = new StripPage(this.connection, this.memory, this.page, () => this.goHome());
    for (const one of [this.explorer, this.strip.explorer]) one.listen(() => this.followAddress());
    window.addEventListener("hashchange", () => this.travel());
    acceptDrops(window, (file) => this.dropped(file));
    this.travel();
  }

  /**
   * Do something that may fail; what went wrong is told with its remedy. `work` gets a function that tells whether
   * nothing else was begun since.
   */
  async enter(work) {
    const mine = Symbol("entered");
    this.entered = mine;
    const patience = setTimeout(() => this.waiting(true), PATIENCE);
    try {
      this.page.notices.clear();
      await work(() => this.entered === mine);
    } catch (problem) {
      this.page.notices.tell(problem.message);
    } finally {
      clearTimeout(patience);
      if (this.entered === mine) this.waiting(false);
    }
  }

  waiting(on) {
    document.body.classList.toggle("opening", on);
    this.page.notices.working(on ? "Opening…" : "");
  }

  /** Open what the address names, the one served file if it names nothing, or the gallery. */
  async travel() {
    if (location.hash !== "" && location.hash === this.shown.address) return;
    const place = stripPlace(location.hash) ?? placeOf(location.hash);
    await this.enter(async (isNewest) => {
      this.listing = await this.connection.models();
      this.explorer.canEdit = this.listing.can_edit === true;
      this.page.gallery.show(this.listing);
      if (!isNewest()) return; // a network was chosen while the list was on its way
      const [only, ...others] = this.listing.models;
      if (place.model ?? place.sequence) await this.openPlace(place, this.entryOf(place.model ?? place.sequence));
      else if (location.hash === "" && only && others.length === 0) await this.openServed(only);
      else this.showGallery();
    });
  }

  /** The served file that a revision belongs to: its own, or that of an edited one as this tab remembers it. */
  entryOf(revision) {
    const { served, onDisk } = this.memory.recall(revision);
    const { models } = this.listing;
    const listed =
      models.find((one) => one.revision === revision) ?? models.find(({ name }) => name === served);
    return listed
      ? { ...listed, revision: served === listed.name && onDisk ? onDisk : listed.revision }
      : null;
  }

  openServed(entry) {
    const source = { name: entry.name, served: entry.name };
    return this.open(entry.revision, { entry: { ...entry }, source, kind: entry.kind, again: true });
  }

  /** Open a network that this tab had before; if the server has it no longer, from where it came. */
  openRecent({ revision, source, kind }) {
    return this.enter(async () => {
      const found = (await this.stillHeld(revision)) ?? (await this.reopened(source));
      if (found === null) throw new Error(`The server no longer has ${source.name}. Open or learn it again.`);
      await this.open(found, { source, kind, again: true });
    });
  }

  /** A revision if the server still has it. */
  async stillHeld(revision) {
    try {
      await this.connection.model(revision);
      return revision;
    } catch (problem) {
      if (problem.status === 404) return null;
      throw problem;
    }
  }

  showGallery() {
    if (location.hash !== HOME) history.replaceState(null, "", HOME);
    this.strip.close();
    this.explorer.close();
  }

  /** What the tab shows: the strip of a model of sequences, or a network. */
  get shown() {
    return this.strip.isOpen ? this.strip.explorer : this.explorer;
  }

  async openPlace(place, entry) {
    const { source: known } = this.memory.recall(place.model ?? place.sequence);
    const source = known && !place.gallery ? known : { gallery: place.gallery, name: place.name };
    const facts = { entry, source, findings: place.findings, kept: place.kept, isLink: true };
    if (place.sequence) Object.assign(facts, { place });
    try {
      await this.open(place.model ?? place.sequence, facts);
    } catch (problem) {
      if (problem.status !== 404 || !place.gallery) {
        this.showGallery();
        throw problem;
      }
      const { revision } = await this.connection.openGallery(place.gallery);
      await this.open(revision, facts);
    }
    if (place.damaged)
      this.page.notices.tell("A part of this link could not be read, so some findings are missing.");
  }

  async open(revision, facts) {
    if (facts.place || isOfSequences(facts.kind)) {
      await this.strip.open(revision, facts);
      this.explorer.close();
      this.noteSource(this.strip.explorer.model.revision, facts);
      return;
    }
    if (facts.kind === "classifier") throw new Error(NO_CLASSIFIERS);
    this.strip.close();
    const { dropped } = await this.explorer.open(revision, facts);
    const { entry, model } = this.explorer;
    this.noteSource(model.revision, facts);
    if (entry) this.memory.remember(model.revision, { served: entry.name, onDisk: entry.revision });
    this.page.recallView();
    this.page.remarks.show(this.explorer.model.remarks);
    if (dropped > 0)
      this.page.notices.tell(
        "Some findings of this link are about variables or states that the network does not have. They were left out.",
      );
  }

  /** The first page lists what this tab opened and no list of the server has. */
  noteSource(revision, { source, entry, kind, isLink = false }) {
    if (isOwn(source) && !entry && !isLink) this.memory.remember(revision, { source: storedSource(source), kind });
  }

  exhibit({ name, title, kind }) {
    return this.enter(async () => {
      const { revision } = await this.connection.openGallery(name);
      await this.open(revision, { kind, again: true, source: { gallery: name, name: title || name } });
    });
  }

  /** A network is opened; other files go to the contribution that takes them. */
  file(file) {
    const taker = this.page.contributions.all("files").find(({ takes }) => takes(file.name));
    if (taker) return taker.open(file);
    return this.enter(async () => {
      const bytes = await file.arrayBuffer();
      const { revision, kind } = await this.connection.upload(file.name, bytes);
      const text = textOf(bytes);
      const content = text === null ? {} : { file: text };
      await this.open(revision, { kind, source: { name: file.name, kept: this.files.keep(bytes), ...content } });
    });
  }

  /** A dropped file is a model, or the values of a sequence that is shown. */
  dropped(file) {
    if (this.strip.isOpen && /\.(?:csv|tsv|txt)$/i.test(file.name)) this.enter(() => this.strip.read(file));
    else this.file(file);
  }

  /** The revision with which something begins that was opened before: {gallery}, {begun}, {served}, {file} or {kept}. */
  async reopened(source) {
    if (source.gallery) return (await this.connection.openGallery(source.gallery)).revision;
    if (source.begun) return (await this.connection.edit(null, [])).revision;
    if (source.file) return (await this.connection.upload(source.name, bytesOf(source.file))).revision;
    if (source.kept) {
      const bytes = await this.files.read(source.kept);
      return bytes && (await this.connection.upload(source.name, bytes)).revision;
    }
    const { models } = await this.connection.models();
    return models.find(({ name }) => name === source.served)?.revision ?? null;
  }

  /** Open something again by its source, or by the revision where it began; returns whether it could be. */
  async again(source, origin = null) {
    let found = null;
    await this.enter(async () => {
      found = (await this.reopened(source)) ?? (origin && (await this.stillHeld(origin)));
      if (found === null)
        throw new Error(
          source.kept
            ? `This browser has no copy of ${source.name} any more. Open the file again: then its changes are offered.`
            : `${source.name} is not served any more. Open its file again.`,
        );
      const entry = source.served ? this.entryOf(found) : null;
      await this.open(found, { source, entry });
    });
    return found !== null;
  }

  goHome() {
    this.strip.close();
    this.explorer.close();
    history.pushState(null, "", HOME);
    this.travel();
  }

  /** The address names the state of this tab; opening a model is a step that "back" undoes. */
  followAddress() {
    const { model, address } = this.shown;
    if (!model || address === location.hash) return;
    if (location.hash === HOME) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
}

new Start();
