/** Densities as lists of points [x, y], straight in between and 0 outside. */

export function heightAt(points, x) {
  if (points.length === 0 || x < points[0][0] || x > points[points.length - 1][0]) return 0;
  let low = 0;
  let high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= x) low = middle;
    else high = middle;
  }
  const [[left, first], [right, second]] = [points[low], points[high]];
  return right === left ? Math.max(first, second) : first + ((second - first) * (x - left)) / (right - left);
}

/** Total variation, ½ ∫ |f − g|: how much probability has moved from f to g. */
export function variation(one, other) {
  const places = [...new Set([...one, ...other].map(([x]) => x))].sort((a, b) => a - b);
  const gaps = places.map((x) => Math.abs(heightAt(one, x) - heightAt(other, x)));
  let area = 0;
  for (let k = 1; k < places.length; k += 1) {
    area += ((gaps[k] + gaps[k - 1]) / 2) * (places[k] - places[k - 1]);
  }
  return Math.min(area / 2, 1);
}

/** The range of x and the highest y of several densities: {low, high, peak}. */
export function extent(densities) {
  const points = densities.flat();
  if (points.length === 0) return { low: 0, high: 1, peak: 1 };
  return {
    low: Math.min(...points.map(([x]) => x)),
    high: Math.max(...points.map(([x]) => x)),
    peak: Math.max(...points.map(([, y]) => y), 1e-300),
  };
}

/** The line of a density inside a frame {x, y, width, height}, as the d of an SVG path. */
export function densityPath(points, frame, { low, high, peak }) {
  const across = high > low ? frame.width / (high - low) : 0;
  const place = ([x, y]) => {
    const left = frame.x + (x - low) * across;
    const top = frame.y + frame.height * (1 - Math.min(y / peak, 1));
    return `${left.toFixed(1)} ${top.toFixed(1)}`;
  };
  return points.length === 0 ? "" : `M${points.map(place).join("L")}`;
}
