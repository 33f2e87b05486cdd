// The plane of two factors that a problem is drawn on.
import type { Combination, Factor, Plane, ProblemAnswer } from "../api/types";
import type { Axes } from "./region";
import type { Axis } from "./span";

export interface Drawn {
  plane: Plane;
  factors: Factor[];
  rows: Factor;
  columns: Factor;
}

/** The plane with its two factors; null where a problem has none. */
export function drawnPlane(answer: Pick<ProblemAnswer, "plane" | "factors"> | null): Drawn | null {
  if (!answer?.plane) return null;
  const [rows, columns] = [answer.factors[answer.plane.rows], answer.factors[answer.plane.columns]];
  return rows && columns ? { plane: answer.plane, factors: answer.factors, rows, columns } : null;
}

export function axesOf({ rows, columns }: Drawn): Axes {
  const axis = ({ name, levels, periodic }: Factor): Axis => ({ name, size: levels.length, periodic });
  return { rows: axis(rows), columns: axis(columns) };
}

/** The whole combination at a place of the plane: the other factors have their fixed levels. */
export function combinationAt({ plane, factors }: Drawn, row: number, column: number): Combination {
  const others = [...plane.fixed];
  return factors.map((_, index) => {
    if (index === plane.rows) return row;
    return index === plane.columns ? column : (others.shift() ?? 0);
  });
}

/** Where a combination lies on the plane; null for one of another size. */
export function placeOf(
  { plane, factors, rows, columns }: Drawn,
  combination: Combination | null,
): [number, number] | null {
  if (combination?.length !== factors.length) return null;
  const [row = -1, column = -1] = [combination[plane.rows], combination[plane.columns]];
  return row >= 0 && column >= 0 && row < rows.levels.length && column < columns.levels.length ? [row, column] : null;
}

export function labelsOf(factors: Factor[], combination: Combination): string[] {
  return combination.map((level, index) => factors[index]?.levels[level] ?? String(level));
}

const SHOWN = "shown";
export const NOT_SHOWN = "not shown"; // not held out, but not among the training examples either
export const OUTSIDE = "outside"; // has no answer at all

export function isHeldOut(cells: string[][], row: number, column: number): boolean {
  const name = cells[row]?.[column];
  return name !== undefined && name !== SHOWN && name !== NOT_SHOWN && name !== OUTSIDE;
}
