/** Values of variables and states, as the API sends them, are compared by their JSON text. */

export const keyOf = (value) => JSON.stringify(value);

export const same = (one, other) => keyOf(one) === keyOf(other);
