import { type KeyboardEvent, type PointerEvent, type ReactNode, type RefObject, useMemo, useState } from "react";
import { css, type Rgb, sequential, STEPS } from "../logic/colour";
import { minus } from "../logic/format";
import { outline, squares } from "../logic/outline";
import { clamp } from "../logic/span";
import { labelledLevels } from "../logic/ticks";
import { useWidth } from "../parts/useWidth";
import { ColourScale } from "./ColourScale";
import { cellAt, cellDrawn, drawnAt, type Geometry, geometry, leftOf } from "./geometry";

export type Place = [row: number, column: number];

export interface MapAxis {
  name: string;
  labels: string[];
}

interface Props {
  label: string;
  rows: MapAxis;
  columns: MapAxis;
  values: (number | null)[][] | null;
  domain: [number, number];
  quantity: string;
  heldOut: (row: number, column: number) => boolean;
  left?: (row: number, column: number) => boolean;
  selected?: Place | null;
  /** Words for a cell, said below the map and to screen readers. */
  words: (place: Place) => string;
  onOpen: (place: Place, byKey: boolean) => void;
  faded?: boolean;
  tallest?: number;
  svg?: RefObject<SVGSVGElement | null>;
  overlay?: (g: Geometry) => ReactNode;
  onPress?: (event: PointerEvent<SVGGElement>, g: Geometry) => void;
  colour?: (share: number) => Rgb;
  hint?: string;
}

/** A map over the plane of two factors: a colour per cell, the held-out ones outlined in red, each cell to be opened. */
export function CellMap(props: Props) {
  const { rows, columns, values, domain, heldOut, selected, colour = sequential } = props;
  const [frame, width] = useWidth<HTMLDivElement>();
  const [cursor, setCursor] = useState<Place>([0, 0]);
  const [pointed, setPointed] = useState<Place | null>(null);
  const [focused, setFocused] = useState(false);
  const g = geometry(
    rows.labels.length,
    columns.labels.length,
    width,
    props.tallest ?? 640,
    values !== null,
    leftOf(rows.labels),
  );
  const at: Place = [Math.min(cursor[0], g.rows - 1), Math.min(cursor[1], g.columns - 1)];

  const size = [g.rows, g.columns, g.across, g.cell];
  const shades = useMemo(() => shaded(values, domain), [values, domain[0], domain[1]]);
  const kinds = useMemo(() => sorted(g.rows, g.columns, heldOut, props.left), [...size, heldOut, props.left]);
  const border = useMemo(() => {
    const inside = (down: number, right: number) => {
      const cell = cellDrawn(g, down, right);
      return cell !== null && heldOut(...cell);
    };
    return outline(inside, g.high, g.across, g.cell);
  }, [...size, heldOut]);
  const tiles = (places: Place[]) =>
    squares(
      places.map(([row, column]) => drawnAt(g, row, column)),
      g.cell,
    );

  const key = (event: KeyboardEvent) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step && !event.shiftKey) setCursor(stepped(g, at, step[0] ?? 0, step[1] ?? 0));
    else if (event.key === "Home") setCursor([0, 0]);
    else if (event.key === "End") setCursor([g.rows - 1, g.columns - 1]);
    else if (event.key === "Enter" || event.key === " ") props.onOpen(at, true);
    else return;
    event.preventDefault();
  };
  const placeOf = (event: PointerEvent<SVGElement>): Place | null => {
    const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
    return box ? cellAt(g, event.clientX - box.left, event.clientY - box.top) : null;
  };
  const said = focused ? props.words(at) : pointed ? props.words(pointed) : "";

  return (
    <div className="cell-map" ref={frame}>
      {width > 0 && (
        <svg ref={props.svg} width={width} height={g.height} role="group" aria-label={props.label}>
          <g transform={`translate(${g.left} ${g.top})`}>
            <path className="tile-shown" d={tiles(kinds.shown)} />
            <path className="tile-left" d={tiles(kinds.left)} />
            <path className="tile-held-out" d={tiles(kinds.heldOut)} />
            <g className={props.faded ? "faded" : undefined}>
              {[...shades].map(([shade, cells]) => (
                <path key={shade} d={tiles(cells)} fill={css(colour((shade + 0.5) / STEPS))} />
              ))}
            </g>
            <path className="held-out-halo" d={border} />
            <path className="held-out-border" d={border} />
          </g>
          <MapAxes g={g} rows={rows} columns={columns} />
          <g
            className="cells"
            tabIndex={0}
            role="application"
            aria-roledescription="map of cells"
            aria-label={`${props.label}. Arrow keys choose a cell, Enter opens it.`}
            onKeyDown={key}
            onFocus={() => setFocused(true)}
            onBlur={() => setFocused(false)}
            onPointerMove={(event) => setPointed(placeOf(event))}
            onPointerLeave={() => setPointed(null)}
            onPointerDown={(event) => props.onPress?.(event, g)}
            onClick={(event) => {
              const place = props.onPress ? null : placeOf(event as unknown as PointerEvent<SVGElement>);
              if (place) {
                setCursor(place);
                props.onOpen(place, false);
              }
            }}
          >
            <rect className="cells-area" x={g.left} y={g.top} width={g.across * g.cell} height={g.high * g.cell} />
            {focused && <CellFrame g={g} place={at} className="cell-cursor" />}
          </g>
          {selected && <CellFrame g={g} place={selected} className="cell-selected" />}
          {props.overlay?.(g)}
          {values && (
            <ColourScale
              x={g.left}
              y={g.top + g.high * g.cell + 44}
              width={Math.min(g.across * g.cell, 420)}
              domain={domain}
              colour={colour}
              label={props.quantity}
            />
          )}
        </svg>
      )}
      <p className="cell-words" aria-live="polite">
        {said || props.hint || " "}
      </p>
    </div>
  );
}

/** The place beside another; above the first row is the line before, in a map that is broken into lines. */
function stepped(g: Geometry, [row, column]: Place, down: number, right: number): Place {
  const [next, other] = [row + down, column + down * g.across];
  if (next >= 0 && next < g.rows) return [next, clamp(column + right, 0, g.columns - 1)];
  return other >= 0 && other < g.columns ? [down < 0 ? g.rows - 1 : 0, other] : [row, column];
}

function CellFrame({ g, place, className }: { g: Geometry; place: Place; className: string }) {
  const [down, right] = drawnAt(g, ...place);
  const sides = { x: g.left + right * g.cell, y: g.top + down * g.cell, width: g.cell, height: g.cell };
  return (
    <g className="cell-frame">
      <rect className="cell-halo" {...sides} />
      <rect className={className} {...sides} />
    </g>
  );
}

function MapAxes({ g, rows, columns }: { g: Geometry; rows: MapAxis; columns: MapAxis }) {
  const bottom = g.top + g.high * g.cell;
  const widest = Math.max(...columns.labels.map((label) => label.length));
  return (
    <g aria-hidden="true">
      {Array.from({ length: g.lines }, (_, line) => {
        const top = g.top + line * g.pitch * g.cell;
        return (
          <g key={line}>
            {labelledLevels(g.across, g.cell, 14 + 7 * widest).map((level) => (
              <text
                key={level}
                className="tick"
                x={g.left + (level + 0.5) * g.cell}
                y={top + g.rows * g.cell + 15}
                textAnchor="middle"
              >
                {minus(columns.labels[line * g.across + level] ?? "")}
              </text>
            ))}
            {labelledLevels(g.rows, g.cell, 20).map((level) => (
              <text key={level} className="tick" x={g.left - 6} y={top + (level + 0.5) * g.cell + 4} textAnchor="end">
                {minus(rows.labels[level] ?? "")}
              </text>
            ))}
          </g>
        );
      })}
      <text className="axis-title" x={g.left + (g.across * g.cell) / 2} y={bottom + 33} textAnchor="middle">
        {g.lines > 1 ? `${columns.name}, line after line` : columns.name}
      </text>
      <text
        className="axis-title"
        transform={`translate(12 ${g.top + (g.high * g.cell) / 2}) rotate(-90)`}
        textAnchor="middle"
      >
        {rows.name}
      </text>
    </g>
  );
}

function shaded(values: (number | null)[][] | null, [low, high]: [number, number]): Map<number, Place[]> {
  const found = new Map<number, Place[]>();
  values?.forEach((line, row) =>
    line.forEach((value, column) => {
      if (value === null) return;
      const shade = clamp(Math.floor(((value - low) / (high - low || 1)) * STEPS), 0, STEPS - 1);
      const list = found.get(shade);
      if (list) list.push([row, column]);
      else found.set(shade, [[row, column]]);
    }),
  );
  return found;
}

function sorted(rows: number, columns: number, heldOut: Props["heldOut"], left: Props["left"]) {
  const kinds: Record<"shown" | "left" | "heldOut", Place[]> = { shown: [], left: [], heldOut: [] };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const kind = heldOut(row, column) ? "heldOut" : left?.(row, column) ? "left" : "shown";
      kinds[kind].push([row, column]);
    }
  }
  return kinds;
}
