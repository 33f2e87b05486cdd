// Where a map of cells lies inside its drawing, in pixels.

export interface Geometry {
  left: number;
  top: number;
  cell: number;
  rows: number;
  columns: number;
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

/** The largest square cells that fit into `width` beside `left` and are not higher than `tallest` in all. */
export function geometry(
  rows: number,
  columns: number,
  width: number,
  tallest: number,
  bar: boolean,
  left = 44,
): Geometry {
  const across = Math.max(40, width - left - AXIS.right);
  const cell = Math.min(across / columns, tallest / rows);
  return {
    left,
    top: AXIS.top,
    cell,
    rows,
    columns,
    width,
    height: AXIS.top + cell * rows + AXIS.bottom + (bar ? BAR : 0),
  };
}

/** The cell under a place of the drawing; null outside. */
export function cellAt(g: Geometry, x: number, y: number): [number, number] | null {
  const [row, column] = [Math.floor((y - g.top) / g.cell), Math.floor((x - g.left) / g.cell)];
  return row >= 0 && column >= 0 && row < g.rows && column < g.columns ? [row, column] : null;
}
