import { describe, expect, it } from "vitest";
import type { Settings } from "../src/api/types";
import {
  type Axes,
  boxBetween,
  holds,
  moveBox,
  readRegion,
  regionWords,
  resizeBox,
  writeRegion,
} from "../src/logic/region";
import { firstRegion, kindOf, OFFERED, rescale } from "../src/logic/regionKinds";

const axes: Axes = { rows: { name: "y", size: 8, periodic: false }, columns: { name: "x", size: 11, periodic: false } };
const splits: Record<string, Settings> = {
  block: { kind: "block", x: [3, 7], y: [2, 6] },
  cross: { kind: "extrapolation", of: { kind: "cross", x: [3, 5], y: [2, 4] } },
  band: { kind: "extrapolation", of: { kind: "band", factor: "x", low: 4, high: 6 } },
  corner: { kind: "corner", x: 6, y: 5 },
};

function read(split: Settings) {
  const region = readRegion(split, axes);
  if (!region) throw new Error("cannot be dragged");
  return region;
}

describe.each(Object.entries(splits))("a %s", (kind, split) => {
  it("is read and written back unchanged", () => {
    expect(writeRegion(split, read(split).box, axes)).toEqual(split);
    expect(kindOf(split)).toBe(kind);
  });

  it("moves by a cell and back", () => {
    const there = writeRegion(split, moveBox(read(split), 1, 1, axes), axes);
    expect(there).not.toEqual(split);
    expect(writeRegion(split, moveBox(read(there), -1, -1, axes), axes)).toEqual(split);
  });

  it("stays within the plane and keeps a cell, wherever it is dragged", () => {
    for (const by of [-20, -3, 3, 20]) {
      for (const box of [
        moveBox(read(split), by, by, axes),
        resizeBox(read(split), "rows", "low", by, axes),
        resizeBox(read(split), "columns", "high", by, axes),
      ]) {
        expect(readRegion(writeRegion(split, box, axes), axes)).not.toBeNull();
      }
    }
  });
});

it("holds the product of its sides, a cross their union", () => {
  const count = (split: Settings) => {
    const region = read(split);
    let found = 0;
    for (let row = 0; row < 8; row++)
      for (let column = 0; column < 11; column++) found += Number(holds(region, row, column, axes));
    return found;
  };
  expect(count(splits.block!)).toBe(4 * 4);
  expect(count(splits.cross!)).toBe(2 * 11 + 2 * 8 - 2 * 2);
  expect(count(splits.band!)).toBe(2 * 8);
  expect(count(splits.corner!)).toBe(5 * 3);
});

it("changes only the low end of a corner, and only the named side of a band", () => {
  const corner = read(splits.corner!);
  expect(resizeBox(corner, "rows", "high", -1, axes)).toEqual(corner.box);
  const band = read(splits.band!);
  expect(writeRegion(splits.band!, moveBox(band, 3, 1, axes), axes)).toEqual({
    kind: "extrapolation",
    of: { kind: "band", factor: "x", low: 5, high: 7 },
  });
});

it("keeps what a block says of other factors, and names a side once it is cut", () => {
  const split = { kind: "block", x: [3, 7], context: [0, 1] };
  const region = read(split);
  expect(region.box.rows).toEqual({ start: 0, length: 8 });
  expect(writeRegion(split, region.box, axes)).toEqual(split);
  expect(writeRegion(split, resizeBox(region, "rows", "high", -1, axes), axes)).toEqual({ ...split, y: [0, 7] });
});

it("cannot drag what is no box", () => {
  for (const split of [
    undefined,
    { kind: "random", fraction: 0.3 },
    { kind: "block", x: [9, 15] },
    { kind: "cross", x: [1, 2] },
  ]) {
    expect(readRegion(split, axes)).toBeNull();
  }
});

it("draws a box between two cells in any order", () => {
  expect(boxBetween([5, 2], [3, 8])).toEqual(boxBetween([3, 8], [5, 2]));
  expect(boxBetween([5, 2], [3, 8])).toEqual({ rows: { start: 3, length: 3 }, columns: { start: 2, length: 7 } });
});

it("says both ends, columns first", () => {
  expect(regionWords(read(splits.block!), axes)).toBe("x 3 to 6, y 2 to 5");
  expect(regionWords(read({ kind: "block", x: [3, 4], y: [0, 8] }), axes)).toBe("x 3, y 0 to 7");
  expect(regionWords(read(splits.band!), axes)).toBe("x 4 to 5");
});

it("offers regions that fit planes of any size", () => {
  for (const kind of OFFERED) {
    for (const size of [2, 3, 9, 28]) {
      const plane: Axes = { rows: { ...axes.rows, size }, columns: { ...axes.columns, size: size + 1 } };
      const split = firstRegion(kind, plane);
      expect(kindOf(split ?? undefined)).toBe(kind);
      if (["block", "cross", "band", "corner"].includes(kind)) expect(readRegion(split!, plane)).not.toBeNull();
    }
  }
});

it("carries a region over to another size, and back", () => {
  expect(rescale({ kind: "block", x: [5, 15], y: [5, 15] }, 20, 10)).toEqual({ kind: "block", x: [3, 8], y: [3, 8] });
  expect(rescale({ kind: "extrapolation", of: { kind: "band", factor: "x", low: 8, high: 12 } }, 20, 10)).toEqual({
    kind: "extrapolation",
    of: { kind: "band", factor: "x", low: 4, high: 6 },
  });
  expect(rescale({ kind: "corner", x: 19, y: 10 }, 20, 5)).toEqual({ kind: "corner", x: 4, y: 3 });
  expect(rescale({ kind: "random", fraction: 0.3, seed: 1 }, 20, 5)).toEqual({
    kind: "random",
    fraction: 0.3,
    seed: 1,
  });
});
