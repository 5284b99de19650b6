/** On a phone the page scrolls as a whole: every view is where it was left, and the findings begin at their top. */

export class ScrollPlaces {
  /** `views` is the part of the page below its header. */
  constructor(views) {
    Object.assign(this, { views, places: new Map(), shown: null });
  }

  /** Another network is shown. */
  forget() {
    this.places.clear();
    this.shown = null;
  }

  /** Another view comes: while this one is still as long as it is. */
  leave() {
    this.places.set(this.shown, scrollY);
  }

  show(name) {
    if (name === this.shown) return;
    this.shown = name;
    const top = Math.min(scrollY, this.views.offsetTop);
    scrollTo(0, name === "findings" ? top : Math.max(top, this.places.get(name) ?? 0));
  }
}
