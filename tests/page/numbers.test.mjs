import assert from "node:assert/strict";
import { test } from "node:test";

import * as numbers from "../../src/bayou/server/page/logic/numbers.js";

test("percentages never claim certainty that is not there", () => {
  const texts = [0, 1e-9, 0.0004, 0.0006, 0.055, 0.5, 0.99949, 0.9996, 1, NaN].map(numbers.percent);
  assert.deepEqual(texts, ["0%", "<0.1%", "<0.1%", "0.1%", "5.5%", "50.0%", "99.9%", ">99.9%", "100%", "–"]);
});

test("whole percents round, and never claim certainty", () => {
  const texts = [0, 0.001, 0.949, 0.994, 0.9951, 1].map(numbers.wholePercent);
  assert.deepEqual(texts, ["0%", "<1%", "95%", "99%", ">99%", "100%"]);
});

test("how rare findings are", () => {
  const text = (chance) => numbers.oneIn(Math.log(chance));
  assert.equal(text(1 / 480), "1 in 480");
  assert.equal(text(0.5), "50.0%");
  assert.equal(text(0.2), "1 in 5");
  assert.equal(text(1 / 12_345), "1 in 12,300");
  assert.equal(text(1 / 999_900), "1 in 1 million");
  assert.equal(text(1 / 3.21e9), "1 in 3.21 billion");
  assert.equal(numbers.oneIn(-37 * Math.LN10), "1 in 10³⁷");
  assert.equal(numbers.oneIn(0), "certain");
  assert.equal(numbers.oneIn(-Infinity), "never");
});

test("numbers, points and counts", () => {
  assert.deepEqual([1.7, 0.031251, -2, 1234567].map(numbers.number), ["1.7", "0.03125", "−2", "1.235e+6"]);
  assert.deepEqual([0.123, -0.004, 0.0001, -0.0001].map(numbers.points), ["+12.3", "−0.4", "0.0", "0.0"]);
  assert.deepEqual(
    [numbers.counted(1, "arc"), numbers.counted(1041, "variable")],
    ["1 arc", "1,041 variables"],
  );
});

test("numbers as people type them", () => {
  const typed = ["1.7", "1,7", " 25% ", "2/3", "−3", "1e-3"].map(numbers.typedNumber);
  assert.deepEqual(typed, [1.7, 1.7, 0.25, 2 / 3, -3, 0.001]);
  for (const text of ["", "abc", "1/", "1.2.3"]) assert.ok(Number.isNaN(numbers.typedNumber(text)), text);
});
