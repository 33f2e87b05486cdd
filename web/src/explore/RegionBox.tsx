import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from "react";
import { cellAt, cellsMoved, drawnAt, type Geometry, inLines, STILL } from "../charts/geometry";
import { type Axes, type Box, type Draggable, moveBox, regionWords, resizeBox, type Side } from "../logic/region";
import { pieces } from "../logic/span";

interface Props {
  g: Geometry;
  axes: Axes;
  region: Draggable;
  onBox: (box: Box) => void;
  onClick: (row: number, column: number) => void;
}

type End = "low" | "high";
/** What a press takes hold of: an end of each side, or neither for the whole box. */
interface Grip {
  rows?: End;
  columns?: End;
}

const GRIPS: Grip[] = [
  { rows: "low" },
  { rows: "high" },
  { columns: "low" },
  { columns: "high" },
  { rows: "low", columns: "low" },
  { rows: "low", columns: "high" },
  { rows: "high", columns: "low" },
  { rows: "high", columns: "high" },
];
const ENDS: Grip[] = [{ columns: "low" }, { columns: "high" }]; // of a plane that is broken into lines
const KEYS: Record<string, [Side, number]> = {
  ArrowUp: ["rows", -1],
  ArrowDown: ["rows", 1],
  ArrowLeft: ["columns", -1],
  ArrowRight: ["columns", 1],
};

/** The held-out box on the plane: moved and resized by mouse, finger or keys. */
export function RegionBox({ g, axes, region, onBox, onClick }: Props) {
  const frame = useRef<SVGGElement>(null);
  // A finger on the box must not scroll the page; `touch-action` does not reach parts of a drawing in every browser.
  useEffect(() => {
    const keep = (event: TouchEvent) => event.preventDefault();
    const element = frame.current;
    element?.addEventListener("touchstart", keep, { passive: false });
    return () => element?.removeEventListener("touchstart", keep);
  }, []);
  const press = useRef<{ x: number; y: number; from: Draggable; grip: Grip; moved: boolean } | null>(null);

  const down = (event: PointerEvent<SVGElement>, grip: Grip) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    // A grip stays while it is dragged; parts of the box come and go.
    const held = grip.rows || grip.columns ? event.currentTarget : frame.current;
    held?.setPointerCapture(event.pointerId);
    press.current = { x: event.clientX, y: event.clientY, from: region, grip, moved: false };
  };
  const move = (event: PointerEvent<SVGElement>) => {
    const held = press.current;
    if (!held) return;
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    if (Math.hypot(dx, dy) > STILL) held.moved = true;
    const { rows, columns } = cellsMoved(g, dx, dy);
    if (held.moved) onBox(dragged(held.from, held.grip, rows, columns, axes));
  };
  const up = (event: PointerEvent<SVGElement>) => {
    const held = press.current;
    press.current = null;
    const frame = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
    if (!held || held.moved || event.type === "pointercancel" || !frame) return;
    const cell = cellAt(g, event.clientX - frame.left, event.clientY - frame.top);
    if (cell) onClick(...cell);
  };
  const key = (event: KeyboardEvent) => {
    let [side, by] = KEYS[event.key] ?? [];
    if (!side || !by) return;
    event.preventDefault();
    if (side === "rows" && g.lines > 1 && g.rows === 1) [side, by] = ["columns", by * g.across]; // a line up or down
    if (!event.shiftKey) onBox(side === "rows" ? moveBox(region, by, 0, axes) : moveBox(region, 0, by, axes));
    else onBox(resizeBox(region, side, region.free[side] === "low" ? "low" : "high", by, axes));
  };
  const rows = pieces(region.box.rows, axes.rows);
  const columns = pieces(region.box.columns, axes.columns);
  const whole = rows.length === 1 && columns.length === 1;

  return (
    <g
      ref={frame}
      className="region-box"
      tabIndex={0}
      role="application"
      aria-roledescription="held-out region"
      aria-label={`Held-out region: ${regionWords(region, axes)}. Arrow keys move it, Shift and arrow keys resize it.`}
      onKeyDown={key}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
    >
      {rows.flatMap((row, r) =>
        columns
          .flatMap((column) => inLines(g, column))
          .map((column, c) => {
            const [below, right] = drawnAt(g, row.start, column.start);
            return (
              <rect
                key={`${r}-${c}`} // not its place: as far as it can it stays the same element
                className="region-body"
                x={g.left + right * g.cell}
                y={g.top + below * g.cell}
                width={column.length * g.cell}
                height={row.length * g.cell}
                onPointerDown={(event) => down(event, {})}
              />
            );
          }),
      )}
      {whole &&
        (g.lines > 1 ? ENDS : GRIPS)
          .filter((grip) => allowed(region, grip))
          .map((grip) => (
            <Handle
              key={JSON.stringify(grip)}
              g={g}
              region={region}
              grip={grip}
              onDown={(event) => down(event, grip)}
            />
          ))}
    </g>
  );
}

interface HandleProps {
  g: Geometry;
  region: Draggable;
  grip: Grip;
  onDown: (event: PointerEvent<SVGElement>) => void;
}

/** A corner that is seen, or an edge that is only felt; both are wider than they look. In lines, ends are seen. */
function Handle({ g, region, grip, onDown }: HandleProps) {
  const { rows, columns } = region.box;
  const [last, end] = drawnAt(g, rows.start + rows.length - 1, columns.start + columns.length - 1);
  const [first, start] = drawnAt(g, rows.start, columns.start);
  const inLine = last + 1 - rows.length; // where the end of the box has its top
  const x = { low: start, high: end + 1, none: start };
  const y = { low: first, high: last + 1, none: grip.columns === "high" ? inLine : first };
  const corner = grip.rows && grip.columns;
  const reach = g.lines > 1 ? 9 : Math.min(14, Math.max(6, (Math.min(rows.length, columns.length) * g.cell) / 4));
  const left = g.left + x[grip.columns ?? "none"] * g.cell - (grip.columns ? reach : 0);
  const top = g.top + y[grip.rows ?? "none"] * g.cell - (grip.rows ? reach : 0);
  const cursor = corner ? (grip.rows === grip.columns ? "nwse" : "nesw") : grip.rows ? "ns" : "ew";
  return (
    <g className={`grip grip-${cursor}`} onPointerDown={onDown}>
      <rect
        className="grip-area"
        x={left}
        y={top}
        width={grip.columns ? 2 * reach : columns.length * g.cell}
        height={grip.rows ? 2 * reach : rows.length * g.cell}
      />
      {corner && <rect className="grip-mark" x={left + reach - 5} y={top + reach - 5} width={10} height={10} rx={2} />}
      {g.lines > 1 && (
        <rect className="grip-mark" x={left + reach - 3} y={top} width={6} height={rows.length * g.cell} rx={2} />
      )}
    </g>
  );
}

function allowed({ free }: Draggable, grip: Grip): boolean {
  const may = (side: Side) => !grip[side] || free[side] === "both" || (free[side] === "low" && grip[side] === "low");
  return may("rows") && may("columns");
}

function dragged(from: Draggable, grip: Grip, rows: number, columns: number, axes: Axes): Box {
  if (!grip.rows && !grip.columns) return moveBox(from, rows, columns, axes);
  // A grip stays on its side of the seam: beyond it there would be no box to hold.
  const cut = { rows: { ...axes.rows, periodic: false }, columns: { ...axes.columns, periodic: false } };
  const tall = grip.rows ? resizeBox(from, "rows", grip.rows, rows, cut) : from.box;
  return grip.columns ? resizeBox({ ...from, box: tall }, "columns", grip.columns, columns, cut) : tall;
}
