import { describe, expect, it } from "vitest";
import { cellAt, cellsMoved, drawnAt, geometry, inLines } from "../src/charts/geometry";
import { differenceDomain, differenceOf, sharedDomain } from "../src/logic/answers";
import { isolatedLevels, withIsolated } from "../src/logic/isolated";
import { outline, squares } from "../src/logic/outline";
import { combinationAt, drawnPlane, isHeldOut, placeOf } from "../src/logic/plane";
import { type Point, readTurn, START, STEP, turned, turnedBy, writeTurn } from "../src/logic/rotate";
import { labelledLevels, logTicks, scale, ticks, widened } from "../src/logic/ticks";

describe("outlines", () => {
  it("of a block are its four sides", () => {
    const path = outline((row, column) => row >= 1 && row < 3 && column >= 2 && column < 5, 4, 6, 10);
    expect(path).toBe("M20 10h30M20 30h30M20 10v20M50 10v20");
  });

  it("of everything are the border, of nothing nothing", () => {
    expect(outline(() => true, 2, 3, 1)).toBe("M0 0h3M0 2h3M0 0v2M3 0v2");
    expect(outline(() => false, 2, 3, 1)).toBe("");
  });

  it("of cells are a square each", () => {
    expect(squares([[1, 2]], 4)).toBe("M8 4h4v4h-4z");
  });
});

it("finds the cell under each place, and none outside", () => {
  const g = geometry(3, 5, 400, 300, true);
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 5; column++) {
      expect(cellAt(g, g.left + (column + 0.5) * g.cell, g.top + (row + 0.5) * g.cell)).toEqual([row, column]);
    }
  }
  expect(cellAt(g, g.left - 1, g.top + 1)).toBeNull();
  expect(cellAt(g, g.left + 1, g.top + 3 * g.cell + 1)).toBeNull();
  expect(g.cell * 3).toBeLessThanOrEqual(300);
});

describe("a row of very many columns", () => {
  const g = geometry(1, 360, 580, 640, true);

  it("is broken into lines of legible cells, all of one length", () => {
    expect(g.cell).toBeGreaterThan(10);
    expect(g.lines * g.across).toBe(360);
    expect(g.left + g.across * g.cell).toBeLessThanOrEqual(580);
    expect(geometry(1, 359, 580, 640, true).across % 10).toBe(0);
  });

  it("finds the cell under each place, and none between lines", () => {
    for (const column of [0, 1, g.across - 1, g.across, 200, 359]) {
      const [down, right] = drawnAt(g, 0, column);
      const [x, y] = [g.left + (right + 0.5) * g.cell, g.top + (down + 0.5) * g.cell];
      expect(cellAt(g, x, y)).toEqual([0, column]);
      expect(cellAt(g, x, y + g.cell)).toBeNull();
    }
  });

  it("is one line on from a line below, and back", () => {
    expect(cellsMoved(g, 2.2 * g.cell, g.pitch * g.cell)).toEqual({ rows: 0, columns: 2 + g.across });
    expect(cellsMoved(g, 0, -2 * g.pitch * g.cell)).toMatchObject({ columns: -2 * g.across });
  });

  it("has a stretch in parts, one in each line", () => {
    const parts = inLines(g, { start: g.across - 3, length: g.across + 5 });
    expect(parts.map(({ length }) => length)).toEqual([3, g.across, 2]);
    expect(parts.map(({ start }) => start % g.across)).toEqual([g.across - 3, 0, 0]);
  });

  it("stays whole where cells are wide enough, or rows many", () => {
    for (const [rows, columns] of [
      [1, 40],
      [20, 28],
      [100, 100],
      [50, 100],
    ] as const) {
      const whole = geometry(rows, columns, 580, 640, false);
      expect([whole.lines, whole.across, whole.high]).toEqual([1, columns, rows]);
      expect(cellsMoved(whole, 0, 7 * whole.cell)).toEqual({ rows: 7, columns: 0 });
      expect(inLines(whole, { start: 2, length: columns - 2 })).toEqual([{ start: 2, length: columns - 2 }]);
    }
  });
});

describe("axes", () => {
  it("have round ticks within their ends", () => {
    expect(ticks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticks(-0.31, 0.9, 4)).toEqual([0, 0.5]);
    expect(ticks(3, 3)).toEqual([3]);
    expect(logTicks(0.001, 10)).toEqual([0.001, 0.01, 0.1, 1, 10]);
  });

  it("map ends to ends, also by powers", () => {
    expect([scale(2, 4, 10, 30).at(2), scale(2, 4, 10, 30).at(4)]).toEqual([10, 30]);
    expect(scale(0.01, 1, 0, 100, true).at(0.1)).toBeCloseTo(50);
  });

  it("put equal ends apart", () => {
    for (const value of [0, 3, -2]) expect(widened(value, value)[0]).toBeLessThan(widened(value, value)[1]);
  });

  it("label levels that are far enough apart", () => {
    expect(labelledLevels(7, 30, 20)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(labelledLevels(7, 12, 20)).toEqual([0, 2, 4, 6]);
  });
});

describe("turning", () => {
  it("keeps lengths and undoes itself", () => {
    const point: Point = [0.3, -0.7, 0.2];
    expect(Math.hypot(...turned(point, { yaw: 1.1, pitch: -0.4 }))).toBeCloseTo(Math.hypot(...point));
    expect(turned(point, { yaw: 0, pitch: 0 })).toEqual(point);
  });

  it("never goes upside down", () => {
    expect(turnedBy({ yaw: 0, pitch: 1 }, 0, 9).pitch).toBeCloseTo(Math.PI / 2);
  });

  it("is restored from a link, in whole degrees", () => {
    const turn = turnedBy(START, -2, 0.301);
    const text = writeTurn(turn);
    expect(text).toBe("285,43");
    expect(writeTurn(readTurn(text))).toBe(text);
    expect(Math.cos(readTurn(text).yaw)).toBeCloseTo(Math.cos(turn.yaw), 1);
    expect(readTurn(text).pitch).toBeCloseTo(turn.pitch, 1);
    expect(writeTurn({ yaw: 0, pitch: -Math.PI / 2 })).toBe("0,-90");
  });

  it("is left out of a link where nothing is turned, and of one that cannot be read", () => {
    expect(writeTurn(turnedBy(turnedBy(START, STEP, 0), -STEP, 0))).toBe("");
    for (const text of [undefined, "", "x", "1", "1,2,3", "1e9,0"]) expect(readTurn(text)).toEqual(START);
    expect(readTurn("999,99").pitch).toBeCloseTo(Math.PI / 2);
  });
});

describe("planes", () => {
  const factor = (name: string, size: number) => ({
    name,
    periodic: false,
    levels: Array.from({ length: size }, (_, level) => String(level)),
  });
  const drawn = drawnPlane({
    plane: { rows: 0, columns: 2, fixed: [1] },
    factors: [factor("a", 3), factor("b", 2), factor("c", 4)],
  })!;

  it("place every combination where it came from", () => {
    expect(combinationAt(drawn, 2, 3)).toEqual([2, 1, 3]);
    for (let row = 0; row < 3; row++)
      for (let column = 0; column < 4; column++)
        expect(placeOf(drawn, combinationAt(drawn, row, column))).toEqual([row, column]);
  });

  it("have no place for combinations of another grid", () => {
    expect(placeOf(drawn, [1, 1])).toBeNull();
    expect(placeOf(drawn, [9, 0, 0])).toBeNull();
    expect(drawnPlane({ plane: null, factors: [] })).toBeNull();
  });

  it("know what is held out", () => {
    const cells = [["shown", "rim", "not shown", "outside"]];
    expect([0, 1, 2, 3, 4].map((column) => isHeldOut(cells, 0, column))).toEqual([false, true, false, false, false]);
  });
});

describe("answers", () => {
  it("differ by nothing from themselves, and by pixels otherwise", () => {
    const picture = [
      [0, 1, 0.5],
      [0.25, 2, 1],
    ];
    expect(differenceOf(picture, picture)).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect(differenceOf([[[1, 0.5, 0]]], [[[0.5, 0.5, 0.5]]])).toEqual([[[0.5, 0, -0.5]]]);
    expect(differenceOf(3, 5)).toBe(-2);
    expect(differenceOf(picture, 1)).toBeNull();
  });

  it("share a scale that fits all, and differences one that is even", () => {
    expect(sharedDomain([[[0.2]], [[1.5, -0.5]], null, 7])).toEqual([-0.5, 1.5]);
    expect(differenceDomain([[0.1, -0.8]])).toEqual([-0.8, 0.8]);
  });
});

describe("isolated factors", () => {
  const problem = { task: { kind: "bump" }, split: { kind: "corner", x: 3 } };
  it("are counted by levels, and read back", () => {
    for (let levels = 0; levels <= 7; levels++)
      expect(isolatedLevels(withIsolated(problem, levels, 7, ["y", "x"]), 7)).toBe(levels);
  });

  it("leave the problem alone when there are none", () => {
    expect(withIsolated(withIsolated(problem, 5, 7, ["y", "x"]), 0, 7, ["y", "x"])).toEqual(problem);
    expect(withIsolated(problem, 7, 7, ["y", "x"])).toEqual({ ...problem, isolated: ["y", "x"] });
  });
});
