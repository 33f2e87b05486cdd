// The border of a set of cells as one path.

/** Segments between cells inside and outside, in cell units scaled by `cell`; empty when nothing is inside. */
export function outline(
  inside: (row: number, column: number) => boolean,
  rows: number,
  columns: number,
  cell: number,
): string {
  const at = (row: number, column: number) =>
    row >= 0 && column >= 0 && row < rows && column < columns && inside(row, column);
  const parts: string[] = [];
  const line = (horizontal: boolean, x: number, y: number, length: number) =>
    parts.push(`M${round(x * cell)} ${round(y * cell)}${horizontal ? "h" : "v"}${round(length * cell)}`);
  // Runs of equal segments are joined, so that corners of long edges stay sharp.
  for (let row = 0; row <= rows; row++) {
    runs(
      columns,
      (column) => at(row - 1, column) !== at(row, column),
      (start, length) => line(true, start, row, length),
    );
  }
  for (let column = 0; column <= columns; column++) {
    runs(
      rows,
      (row) => at(row, column - 1) !== at(row, column),
      (start, length) => line(false, column, start, length),
    );
  }
  return parts.join("");
}

function runs(count: number, holds: (index: number) => boolean, found: (start: number, length: number) => void): void {
  let start = -1;
  for (let index = 0; index <= count; index++) {
    const inside = index < count && holds(index);
    if (inside && start < 0) start = index;
    if (!inside && start >= 0) {
      found(start, index - start);
      start = -1;
    }
  }
}

/** Unit squares of many cells as one path. */
export function squares(cells: [number, number][], cell: number): string {
  const side = round(cell);
  return cells
    .map(([row, column]) => `M${round(column * cell)} ${round(row * cell)}h${side}v${side}h-${side}z`)
    .join("");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
