import { type RefObject, useLayoutEffect } from "react";
import type { Weights } from "../api/types";
import { css, diverging } from "../logic/colour";
import { number, plural } from "../logic/format";
import { useWidth } from "../parts/useWidth";

interface Props {
  weights: Weights;
  canvas: RefObject<HTMLCanvasElement | null>;
}

/** A matrix as a picture: blue below 0, orange above; lines between modules. */
export function MatrixView({ weights, canvas }: Props) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const { matrix, row_order: rows, column_order: columns } = weights;
  const largest = Math.max(1e-9, ...matrix.map((row) => Math.max(...row.map(Math.abs))));
  const cell = Math.min(
    24,
    Math.max(0.5, Math.min(width, 480) / Math.max(1, columns.length)),
    480 / Math.max(1, rows.length),
  );

  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || !width) return;
    const ratio = devicePixelRatio || 1;
    [element.width, element.height] = [Math.ceil(columns.length * cell * ratio), Math.ceil(rows.length * cell * ratio)];
    context.scale(ratio, ratio);
    rows.forEach((row, y) =>
      columns.forEach((column, x) => {
        context.fillStyle = css(diverging(0.5 + (matrix[row]?.[column] ?? 0) / largest / 2));
        context.fillRect(x * cell, y * cell, cell + 0.5, cell + 0.5);
      }),
    );
    context.strokeStyle = "#000";
    context.lineWidth = 1;
    for (const y of borders(rows, weights.row_modules)) line(context, 0, y * cell, columns.length * cell, y * cell);
    for (const x of borders(columns, weights.column_modules)) line(context, x * cell, 0, x * cell, rows.length * cell);
  }, [weights, cell, width]);

  return (
    <div ref={frame} className="matrix">
      <canvas
        ref={canvas}
        style={{ width: columns.length * cell, height: rows.length * cell }}
        role="img"
        aria-label={`Weights of ${weights.layer}: ${plural(rows.length, "output")} by ${plural(columns.length, "input")}, sorted by ${weights.sorted_by}`}
      />
      <p className="quiet">
        Rows: {plural(rows.length, "output unit")}; columns: {plural(columns.length, "input unit")}.
      </p>
      <p className="scatter-legend">
        <span>{number(-largest)}</span>
        <span
          className="gradient"
          style={{
            background: `linear-gradient(to right, ${Array.from({ length: 9 }, (_, i) => css(diverging(i / 8))).join()})`,
          }}
        />
        <span>{number(largest)} (weight)</span>
      </p>
    </div>
  );
}

/** Where one module ends and the next begins, in the sorted order. */
function borders(order: number[], modules: number[]): number[] {
  return order.flatMap((unit, at) => (at > 0 && modules[unit] !== modules[order[at - 1] ?? 0] ? [at] : []));
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
