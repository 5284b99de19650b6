/** A number whose Gaussian depends on the states of its parents: a mixture while they are not known. */

const POINTS = 60;
const RANGE = 3.5;

/** The logarithm of the density at a value for each combination of the parents' states. */
const logDensities = ({ means, variances }, value) =>
  means.map((mean, k) => {
    const variance = variances[k];
    return -0.5 * ((value - mean) ** 2 / variance + Math.log(2 * Math.PI * variance));
  });

/**
 * The logarithms of the densities over the largest of them, and its logarithm: a value far from all means has
 * some, too. They stay logarithms, for other findings may rule out the largest, and leave one below 1e-308.
 */
export function densityRatios(gaussian, value) {
  const logs = logDensities(gaussian, value);
  const peak = Math.max(...logs);
  return { logs: Float64Array.from(logs, (log) => log - peak), peak };
}

/** Mean, deviation and the points of the density, where `shares` are the probabilities of the combinations. */
export function mixture(gaussian, shares) {
  const { means, variances } = gaussian;
  const weighted = (values) => shares.reduce((sum, share, k) => sum + share * values[k], 0);
  const mean = weighted(means);
  const spread = means.map((one, k) => variances[k] + (one - mean) ** 2);
  const deviation = Math.sqrt(weighted(spread));
  const density = Array.from({ length: POINTS }, (_, k) => {
    const x = mean + deviation * RANGE * ((2 * k) / (POINTS - 1) - 1);
    return [x, weighted(logDensities(gaussian, x).map(Math.exp))];
  });
  return { mean, deviation, density };
}
