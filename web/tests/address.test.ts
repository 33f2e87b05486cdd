import { expect, it } from "vitest";
import type { Preset } from "../src/api/types";
import {
  readCombination,
  readExploring,
  readPlane,
  unreadParts,
  writeExploring,
  writePlane,
} from "../src/state/exploring";
import { readHash, writeHash } from "../src/state/hash";

const presets: Preset[] = [
  {
    id: "hole",
    title: "",
    says: "",
    problem: { task: { kind: "bump" } },
    model: { kind: "cnn-decoder" },
    recipe: { steps: 600 },
  },
  { id: "addition", title: "", says: "", problem: { task: { kind: "addition" } }, model: "mlp", recipe: {} },
];

it("restores what it wrote", () => {
  const place = { path: ["run", "ab/c d"], params: { query: "50 % & more = x?#", layer: "layer 1" } };
  expect(readHash(writeHash(place))).toEqual(place);
});

it("writes the same address for the same state, whatever the order", () => {
  const path = ["claims"];
  expect(writeHash({ path, params: { b: "2", a: "1", c: "" } })).toBe(writeHash({ path, params: { a: "1", b: "2" } }));
});

it("opens at Explore, and survives broken addresses", () => {
  expect(readHash("")).toEqual({ path: ["explore"], params: {} });
  expect(readHash("#/run/%E0%A4%A")).toEqual({ path: ["run", "%E0%A4%A"], params: {} });
});

it("restores a problem, a network, a recipe and a seed", () => {
  const state = {
    problem: { task: { kind: "torus", n: 16 }, isolated: ["y", "x"] },
    model: { kind: "mlp", width: 8 },
    recipe: { steps: 5 },
    seed: 3,
  };
  const params = readHash(writeHash({ path: ["explore"], params: writeExploring(state) })).params;
  expect(readExploring(params, presets)).toMatchObject(state);
});

it("falls back to the preset for what is left out or cannot be read", () => {
  expect(readExploring({ preset: "addition" }, presets)).toMatchObject({
    problem: { task: { kind: "addition" } },
    model: "mlp",
    seed: 0,
  });
  for (const problem of ["{", "[]", "3", '{"task": 3}']) {
    expect(readExploring({ problem, recipe: "nonsense", seed: "-1" }, presets)).toMatchObject({
      problem: presets[0]!.problem,
      recipe: { steps: 600 },
      seed: 0,
    });
  }
});

it("names the parts of an address that cannot be read", () => {
  const known = { presets, models: [{ name: "mlp" }] };
  expect(unreadParts({}, known)).toEqual([]);
  expect(unreadParts({ preset: "hole", problem: '{"task": {}}', model: '"mlp"', seed: "3", job: "x" }, known)).toEqual(
    [],
  );
  const bad = { preset: "nope", problem: "{bad", model: '"x"', seed: "-1" };
  expect(unreadParts(bad, known)).toEqual(["preset", "problem", "model", "seed"]);
});

it("reads combinations and planes of whole numbers alone", () => {
  expect(readCombination("3,14,0")).toEqual([3, 14, 0]);
  for (const text of [undefined, "", "3,", "a", "-1,2", "1.5", "99999999"]) expect(readCombination(text)).toBeNull();
  const plane = { rows: 1, columns: 2, fixed: [4] };
  expect(readPlane(writePlane(plane))).toEqual(plane);
  expect(readPlane("3")).toBeNull();
});
