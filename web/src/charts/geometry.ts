// Where a map of cells lies inside its drawing, in pixels. A map of far more columns than rows is broken into lines, as
// text is: its cells would be too narrow to be seen.

export interface Geometry {
  left: number;
  top: number;
  cell: number;
  rows: number;
  columns: number;
  /** Columns of a line; all of them unless the map is broken. */
  across: number;
  lines: number;
  /** Cells from the top of a line to the top of the next. */
  pitch: number;
  /** Cells from the top of the first line to the bottom of the last. */
  high: number;
  width: number;
  height: number;
}

export const BAR = 58; // height of the colour scale below a map, with its words
export const STILL = 4; // a press that moves less is a click
const AXIS = { top: 6, right: 10, bottom: 40 };

/** The room for the title of the rows and the longest of their labels. */
export function leftOf(labels: string[]): number {
  return 30 + 7 * Math.max(1, ...labels.map((label) => label.length));
}

const NARROW = 8; // pixels; a map of narrower cells is broken, if it has NARROW columns for every row
const LEGIBLE = 11; // pixels of a cell of a broken map
const LABELS = 20; // pixels between its lines

/** The largest square cells that fit into `width` beside `left` and are not higher than `tallest` in all. */
export function geometry(
  rows: number,
  columns: number,
  width: number,
  tallest: number,
  bar: boolean,
  left = 44,
): Geometry {
  const room = Math.max(40, width - left - AXIS.right);
  const broken = columns >= NARROW * rows && room / columns < NARROW;
  const across = broken ? lineLength(columns, Math.floor(room / LEGIBLE)) : columns;
  const cell = broken ? room / across : Math.min(room / columns, tallest / rows);
  const lines = Math.ceil(columns / across);
  const pitch = rows + Math.ceil(LABELS / cell);
  const high = (lines - 1) * pitch + rows;
  const height = AXIS.top + cell * high + AXIS.bottom + (bar ? BAR : 0);
  return { left, top: AXIS.top, cell, rows, columns, across, lines, pitch, high, width, height };
}

/** At most `most` columns, and not half as few: a round number, of lines of one length where there is such a number. */
function lineLength(columns: number, most: number): number {
  for (let length = most - (most % 5); length > most / 2; length -= 5) if (columns % length === 0) return length;
  return most > 10 ? most - (most % 10) : most;
}

/** Where a cell is drawn, in cells from the top and from the left: in its line. */
export function drawnAt(g: Geometry, row: number, column: number): [down: number, right: number] {
  return [Math.floor(column / g.across) * g.pitch + row, column % g.across];
}

/** The cell that is drawn there; null between lines and beyond the last cell. */
export function cellDrawn(g: Geometry, down: number, right: number): [row: number, column: number] | null {
  const [line, row] = [Math.floor(down / g.pitch), down % g.pitch];
  const column = line * g.across + right;
  const inside = down >= 0 && right >= 0 && right < g.across && row < g.rows && column < g.columns;
  return inside && line < g.lines ? [row, column] : null;
}

/** How many rows and columns a way of so many pixels is; down a line is on by its columns. */
export function cellsMoved(g: Geometry, dx: number, dy: number): { rows: number; columns: number } {
  const lines = g.lines > 1 ? Math.round(dy / (g.pitch * g.cell)) : 0;
  return {
    rows: Math.round(dy / g.cell - lines * g.pitch),
    columns: Math.round(dx / g.cell) + lines * g.across,
  };
}

/** The parts of a stretch of columns, each in one line. */
export function inLines(g: Geometry, { start, length }: { start: number; length: number }) {
  const parts: { start: number; length: number }[] = [];
  for (let at = start; at < start + length;) {
    const end = Math.min(start + length, (Math.floor(at / g.across) + 1) * g.across);
    parts.push({ start: at, length: end - at });
    at = end;
  }
  return parts;
}

/** The cell under a place of the drawing; null outside. */
export function cellAt(g: Geometry, x: number, y: number): [number, number] | null {
  return cellDrawn(g, Math.floor((y - g.top) / g.cell), Math.floor((x - g.left) / g.cell));
}
