import { expect, it } from "vitest";
import { sentenceOf } from "../src/api/client";
import { combinationWords, duration, fixed, moment, number, percent, plural, range, minus } from "../src/logic/format";

it.each([
  [0.94715, "0.947"],
  [12.345, "12.3"],
  [1234.5, "1,235"],
  [0.1, "0.1"],
  [-0.5, "−0.5"],
  [2.13e-5, "2.1 × 10⁻⁵"],
  [1.4e-27, "0"],
  [3e7, "3 × 10⁷"],
  [0, "0"],
  [null, "–"],
  [Number.NaN, "–"],
])("writes %s as %s", (value, text) => expect(number(value)).toBe(text));

it.each([
  [1.302, 1.5, "1.30"],
  [-0.061, 1.5, "−0.06"],
  [-0.001, 1.5, "0.00"],
  [123.4, 250, "123"],
  [0.0123, 0.05, "0.0123"],
])("writes %s on an axis of length %s as %s", (value, length, text) => expect(fixed(value, length)).toBe(text));

it.each([
  [0.0283, "0.028 s"],
  [12.4, "12 s"],
  [60, "1 min"],
  [200, "3 min 20 s"],
  [7500, "2 h 5 min"],
  [3599.9, "1 h"],
  [null, "–"],
])("says %s seconds as %s", (seconds, text) => expect(duration(seconds)).toBe(text));

it("says ranges, shares and counts", () => {
  expect([range(0.8, null), range(null, 0.4), range(0.1, 0.3), range(1, 1), range(null, null)]).toEqual([
    "at least 0.8",
    "at most 0.4",
    "0.1 to 0.3",
    "exactly 1",
    "any value",
  ]);
  expect(percent(0.9256)).toBe("92.6 %");
  expect([plural(1, "run"), plural(2000, "run")]).toEqual(["1 run", "2,000 runs"]);
});

it("says x before y, other factors in order, and absent ones", () => {
  expect(combinationWords(["y", "x"], ["3", "5"])).toBe("x = 5, y = 3");
  expect(combinationWords(["first", "second"], ["3", "5"])).toBe("first = 3, second = 5");
  expect(combinationWords(["y", "x"], ["3", null])).toBe("no x, y = 3");
  expect(combinationWords(["first", "second"], ["-3", "-0.5"])).toBe("first = −3, second = −0.5");
});

it("shows the server's sentence, and says so when there is none", () => {
  expect(sentenceOf('{"error": "block: x is outside."}', 422)).toBe("block: x is outside.");
  for (const body of ["<html>", '{"detail": 1}', "null"]) expect(sentenceOf(body, 502)).toContain("502");
});

it("tells the day and the time of it where the reader is", () => {
  expect(moment(new Date(2026, 2, 1, 14, 5).toISOString())).toBe("2026-03-01 14:05");
  expect(moment(null)).toBe("–");
  expect(moment("nonsense")).toBe("–");
});

it("writes a true minus before negative numbers, and leaves other hyphens", () => {
  expect(minus("-3")).toBe("−3");
  expect(minus("from -0.5 to (-.25), at -1e-05")).toBe("from −0.5 to (−.25), at −1e-05");
  for (const text of ["mlp-decoder", "2026-03-01", "n = 3-5", "- not a number", "--seeds 3", "mnist-5k"])
    expect(minus(text)).toBe(text);
});
