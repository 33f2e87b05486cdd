import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { contrast, rgbOf } from "../src/logic/colour";

const sheet = readFileSync(new URL("../src/styles/tokens.css", import.meta.url), "utf8");
const pairs = [...sheet.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g)];
const theme = (at: 2 | 3) => Object.fromEntries(pairs.map((pair) => [pair[1], pair[at]]));
const TEXT = ["ink", "ink-2", "accent", "held-out"];

describe.each([
  ["light", theme(2)],
  ["dark", theme(3)],
])("the %s theme", (_, tokens) => {
  const colour = (name: string) => rgbOf(tokens[name] ?? "");

  it.each(TEXT)("has readable %s on every surface", (name) => {
    for (const surface of ["bg", "surface", "surface-2"])
      expect(contrast(colour(name), colour(surface))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(["good", "bad", "unsure", "missing"])("has a readable verdict: %s", (name) => {
    expect(contrast(colour(name), colour(`${name}-soft`))).toBeGreaterThanOrEqual(4.5);
  });

  it("has readable words on buttons and on errors", () => {
    expect(contrast(colour("accent-ink"), colour("accent"))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colour("ink"), colour("bad-soft"))).toBeGreaterThanOrEqual(4.5);
  });

  it.each([0, 1, 2, 3])("has curves that stand out: %i", (index) => {
    expect(contrast(colour(`series-${index}`), colour("surface"))).toBeGreaterThanOrEqual(3);
  });
});
