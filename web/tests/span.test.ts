import { describe, expect, it } from "vitest";
import {
  type Axis,
  moveSpan,
  pairOf,
  pieces,
  resizeSpan,
  type Span,
  spanHolds,
  spanOf,
  wholeSpan,
} from "../src/logic/span";

const line: Axis = { name: "x", size: 7, periodic: false };
const ring: Axis = { name: "x", size: 5, periodic: true };

function spans(axis: Axis): Span[] {
  const all = [wholeSpan(axis)];
  for (let start = 0; start < axis.size; start++) {
    const longest = axis.periodic ? axis.size - 1 : axis.size - start;
    for (let length = 1; length <= longest; length++) all.push({ start, length });
  }
  return all;
}

function levels(span: Span, axis: Axis): number[] {
  return Array.from({ length: axis.size }, (_, level) => level).filter((level) => spanHolds(span, level, axis));
}

describe.each([line, ring])("spans of $size levels, periodic $periodic", (axis) => {
  it("are written and read back", () => {
    for (const span of spans(axis))
      expect(levels(spanOf(...pairOf(span, axis), axis)!, axis)).toEqual(levels(span, axis));
  });

  it("hold as many levels as they are long", () => {
    for (const span of spans(axis)) expect(levels(span, axis)).toHaveLength(span.length);
  });

  it("fall into pieces without a seam that hold the same levels", () => {
    const cut = { ...axis, periodic: false };
    for (const span of spans(axis)) {
      const found = pieces(span, axis).flatMap((piece) => levels(piece, cut));
      expect(found.sort((a, b) => a - b)).toEqual(levels(span, axis));
    }
  });

  it("keep their length when moved, whatever the way", () => {
    for (const span of spans(axis)) {
      for (let by = -9; by <= 9; by++) {
        const moved = moveSpan(span, by, axis);
        expect(moved.length).toBe(span.length);
        expect(levels(moved, axis)).toHaveLength(span.length);
      }
    }
  });

  it("never become empty or larger than the axis when resized", () => {
    for (const span of spans(axis)) {
      for (const end of ["low", "high"] as const) {
        for (let by = -9; by <= 9; by++) {
          const resized = resizeSpan(span, end, by, axis);
          expect(resized.length).toBeGreaterThan(0);
          expect(levels(resized, axis)).toHaveLength(resized.length);
          expect(spanOf(...pairOf(resized, axis), axis)).not.toBeNull();
        }
      }
    }
  });
});

it("stops at the border of a line and runs through the seam of a ring", () => {
  expect(moveSpan({ start: 3, length: 2 }, 9, line)).toEqual({ start: 5, length: 2 });
  expect(pairOf(moveSpan({ start: 3, length: 2 }, 1, ring), ring)).toEqual([4, 1]);
});

it("keeps the other end when one is moved", () => {
  expect(resizeSpan({ start: 2, length: 3 }, "low", 1, line)).toEqual({ start: 3, length: 2 });
  expect(resizeSpan({ start: 2, length: 3 }, "low", 9, line)).toEqual({ start: 4, length: 1 });
  expect(resizeSpan({ start: 2, length: 3 }, "high", 9, line)).toEqual({ start: 2, length: 5 });
});

it("refuses pairs that are not ranges of the axis", () => {
  for (const [low, high] of [
    [3, 3],
    [-1, 2],
    [0, 8],
    [7, 8],
    [5, 2],
    [0.5, 2],
  ] as const)
    expect(spanOf(low, high, line)).toBeNull();
  expect(spanOf(4, 1, ring)).toEqual({ start: 4, length: 2 });
});
