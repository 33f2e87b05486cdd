import { expect, it } from "vitest";
import type { Run } from "../src/api/types";
import { hasMatrices, isTrained, noMatrices, nothingInside } from "../src/logic/looks";

const run = (kind: string | null, status = "done", weights = true) =>
  ({ model: kind === null ? null : { kind }, status, weights }) as Run;

it("looks into what was trained and has its weights", () => {
  expect([isTrained(run("mlp")), hasMatrices(run("mlp")), nothingInside(run("mlp")), noMatrices(run("mlp"))]).toEqual([
    true,
    true,
    null,
    null,
  ]);
  expect(isTrained(run("mlp", "done", false))).toBe(false);
});

it("may find matrices that a record kept without its weights", () => {
  expect(noMatrices(run("feedforward", "done", false))).toBeNull();
  expect(hasMatrices(run("feedforward", "done", false))).toBe(false);
});

it("says why there is nothing to look into", () => {
  for (const of of [nothingInside, noMatrices]) {
    expect(of(run("mlp", "failed", false))).toMatch(/^This training failed, .*train it again.*\.$/);
    expect(of(run(null))).toMatch(/^This is a calculation/);
  }
  expect(nothingInside(run("cnn-decoder"))).toBeNull();
  expect(noMatrices(run("cnn-decoder"))).toMatch(/^The layers of cnn-decoder are not plain matrices/);
  expect(hasMatrices(run("cnn-decoder"))).toBe(false);
});
