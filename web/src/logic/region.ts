// Held-out regions that can be dragged on the plane of two factors: blocks, crosses, bands and corners.
import type { Json, Settings } from "../api/types";
import { type Axis, isWhole, moveSpan, pairOf, resizeSpan, type Span, spanHolds, spanOf, wholeSpan } from "./span";

export interface Axes {
  rows: Axis;
  columns: Axis;
}

export interface Box {
  rows: Span;
  columns: Span;
}

/** How far a kind lets its box be changed along one side: both ends, the low end only, or not at all. */
type Freedom = "both" | "low" | "none";

export interface Draggable {
  kind: "block" | "cross" | "band" | "corner";
  box: Box;
  free: { rows: Freedom; columns: Freedom };
}

export type Side = "rows" | "columns";
const SIDES: Side[] = ["rows", "columns"];

/** The box of a region; null when it is of another kind or names other factors. */
export function readRegion(split: Settings | undefined, axes: Axes): Draggable | null {
  if (!split) return null;
  switch (split.kind) {
    case "extrapolation":
      return isSettings(split.of) ? readRegion(split.of, axes) : null;
    case "block":
      return readSides("block", split, axes, true);
    case "cross":
      return readSides("cross", split, axes, false);
    case "band":
      return readBand(split, axes);
    case "corner":
      return readCorner(split, axes);
    default:
      return null;
  }
}

/** The same region with another box; settings that are not of the plane stay. */
export function writeRegion(split: Settings, box: Box, axes: Axes): Settings {
  if (split.kind === "extrapolation" && isSettings(split.of)) {
    return { ...split, of: writeRegion(split.of, box, axes) };
  }
  if (split.kind === "band") {
    const side = SIDES.find((each) => axes[each].name === split.factor) ?? "columns";
    const [low, high] = pairOf(box[side], axes[side]);
    return { ...split, low, high };
  }
  const written: Settings = { ...split };
  for (const side of SIDES) {
    const axis = axes[side];
    if (split.kind === "corner") written[axis.name] = box[side].start;
    else if (axis.name in split || !isWhole(box[side], axis)) written[axis.name] = pairOf(box[side], axis);
  }
  return written;
}

export function moveBox(region: Draggable, rows: number, columns: number, axes: Axes): Box {
  return {
    rows: moved(region.box.rows, region.free.rows, rows, axes.rows),
    columns: moved(region.box.columns, region.free.columns, columns, axes.columns),
  };
}

export function resizeBox(region: Draggable, side: Side, end: "low" | "high", by: number, axes: Axes): Box {
  const free = region.free[side];
  if (free === "none" || (free === "low" && end === "high")) return region.box;
  return { ...region.box, [side]: resizeSpan(region.box[side], end, by, axes[side]) };
}

/** The box that spans two cells, wherever a press began and ended. */
export function boxBetween(from: [number, number], to: [number, number]): Box {
  const span = (a: number, b: number): Span => ({ start: Math.min(a, b), length: Math.abs(a - b) + 1 });
  return { rows: span(from[0], to[0]), columns: span(from[1], to[1]) };
}

export function holds(region: Draggable, row: number, column: number, axes: Axes): boolean {
  const inRows = spanHolds(region.box.rows, row, axes.rows);
  const inColumns = spanHolds(region.box.columns, column, axes.columns);
  return region.kind === "cross" ? inRows || inColumns : inRows && inColumns;
}

/** The region in words, both ends included: "x 5 to 15, y 5 to 15". */
export function regionWords(region: Draggable, axes: Axes): string {
  const words = (side: Side) => {
    const [low, high] = pairOf(region.box[side], axes[side]);
    return `${axes[side].name} ${low === high - 1 ? low : `${low} to ${high - 1}`}`;
  };
  return SIDES.toReversed()
    .filter((side) => region.free[side] !== "none")
    .map(words)
    .join(", ");
}

function moved(span: Span, free: Freedom, by: number, axis: Axis): Span {
  if (free === "none") return span;
  return free === "low" ? resizeSpan(span, "low", by, axis) : moveSpan(span, by, axis);
}

function readSides(kind: "block" | "cross", split: Settings, axes: Axes, whole: boolean): Draggable | null {
  const box: Partial<Box> = {};
  for (const side of SIDES) {
    const pair = split[axes[side].name];
    const span = pair === undefined && whole ? wholeSpan(axes[side]) : pairSpan(pair, axes[side]);
    if (!span) return null;
    box[side] = span;
  }
  return { kind, box: box as Box, free: { rows: "both", columns: "both" } };
}

function readBand(split: Settings, axes: Axes): Draggable | null {
  const side = SIDES.find((each) => axes[each].name === split.factor);
  if (!side) return null;
  const other = side === "rows" ? "columns" : "rows";
  const span = pairSpan([split.low ?? null, split.high ?? null], axes[side]);
  if (!span) return null;
  const box = { [side]: span, [other]: wholeSpan(axes[other]) } as unknown as Box;
  return { kind: "band", box, free: { [side]: "both", [other]: "none" } as unknown as Draggable["free"] };
}

function readCorner(split: Settings, axes: Axes): Draggable | null {
  const side = (axis: Axis): Span | null => {
    const low = split[axis.name] ?? 0;
    return typeof low === "number" ? spanOf(low, axis.size, { ...axis, periodic: false }) : null;
  };
  const [rows, columns] = [side(axes.rows), side(axes.columns)];
  if (!rows || !columns) return null;
  return { kind: "corner", box: { rows, columns }, free: { rows: "low", columns: "low" } };
}

function pairSpan(pair: Json | undefined, axis: Axis): Span | null {
  if (!Array.isArray(pair) || pair.length !== 2) return null;
  const [low, high] = pair;
  return typeof low === "number" && typeof high === "number" ? spanOf(low, high, axis) : null;
}

function isSettings(value: Json | undefined): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
