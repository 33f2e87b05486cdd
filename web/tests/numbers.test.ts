import { expect, it } from "vitest";
import { numberFault } from "../src/logic/numbers";

it("says what a number must be, and takes nothing for a number that is still to come", () => {
  const seed = { minimum: 0, maximum: 99_999 };
  for (const right of ["", " ", "0", "7", "99999", "1e3"]) expect(numberFault("Seed", right, seed)).toBeNull();
  for (const wrong of ["2.5", "-1", "1e9", "?"]) {
    expect(numberFault("Seed", wrong, seed)).toBe("Seed must be a whole number from 0 to 99,999.");
  }
  expect(numberFault("Rate", "0.1", { whole: false })).toBeNull();
  expect(numberFault("Rate", "x", { whole: false })).toBe("Rate must be a number.");
  expect(numberFault("n", "1", { minimum: 2 })).toBe("n must be a whole number of at least 2.");
});
