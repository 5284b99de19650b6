/** Where boxes stand, by the key of the variable: the middle of the box in the coordinates of the network. */

/** The places of a model's boxes added to those known before, which follow the names of edits. */
export function placesOf(model, before = new Map(), follow = (key) => key) {
  const places = new Map([...before].map(([key, place]) => [follow(key), place]));
  for (const { key, box } of model.variables) places.set(follow(key), middleOf(model, box));
  return places;
}

const rounded = (number) => Math.round(number * 10) / 10;

/** The middle of a box of a model's drawing, in the coordinates of the network. */
export const middleOf = (model, { x, y, width, height }) => [
  rounded(x + width / 2 + model.left),
  rounded(y + height / 2 + model.top),
];

/** Places in the form of the API and of the tab's memory. */
export const placesTold = (places) =>
  [...places].map(([key, position]) => ({ variable: JSON.parse(key), position }));

/** Places read from the memory of a tab; null if there are none. */
export function placesFrom(told) {
  if (!Array.isArray(told)) return null;
  return new Map(told.map(({ variable, position }) => [JSON.stringify(variable), position]));
}
