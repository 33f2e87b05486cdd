import { type KeyboardEvent, type PointerEvent, type ReactNode, type RefObject, useMemo, useState } from "react";
import { css, type Rgb, sequential, STEPS } from "../logic/colour";
import { outline, squares } from "../logic/outline";
import { clamp } from "../logic/span";
import { labelledLevels } from "../logic/ticks";
import { useWidth } from "../parts/useWidth";
import { ColourScale } from "./ColourScale";
import { cellAt, type Geometry, geometry, leftOf } from "./geometry";

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

  const shades = useMemo(() => shaded(values, domain), [values, domain[0], domain[1]]);
  const kinds = useMemo(() => sorted(g.rows, g.columns, heldOut, props.left), [g.rows, g.columns, heldOut, props.left]);
  const border = useMemo(() => outline(heldOut, g.rows, g.columns, g.cell), [heldOut, g.rows, g.columns, g.cell]);

  const key = (event: KeyboardEvent) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step && !event.shiftKey) {
      setCursor([clamp(at[0] + (step[0] ?? 0), 0, g.rows - 1), clamp(at[1] + (step[1] ?? 0), 0, g.columns - 1)]);
    } else if (event.key === "Home") setCursor([0, 0]);
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
            <path className="tile-shown" d={squares(kinds.shown, g.cell)} />
            <path className="tile-left" d={squares(kinds.left, g.cell)} />
            <path className="tile-held-out" d={squares(kinds.heldOut, g.cell)} />
            <g className={props.faded ? "faded" : undefined}>
              {[...shades].map(([shade, cells]) => (
                <path key={shade} d={squares(cells, g.cell)} fill={css(colour((shade + 0.5) / STEPS))} />
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
            <rect className="cells-area" x={g.left} y={g.top} width={g.columns * g.cell} height={g.rows * g.cell} />
            {focused && <CellFrame g={g} place={at} className="cell-cursor" />}
          </g>
          {selected && <CellFrame g={g} place={selected} className="cell-selected" />}
          {props.overlay?.(g)}
          {values && (
            <ColourScale
              x={g.left}
              y={g.top + g.rows * g.cell + 44}
              width={Math.min(g.columns * g.cell, 420)}
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

function CellFrame({ g, place, className }: { g: Geometry; place: Place; className: string }) {
  const sides = { x: g.left + place[1] * g.cell, y: g.top + place[0] * g.cell, width: g.cell, height: g.cell };
  return (
    <g className="cell-frame">
      <rect className="cell-halo" {...sides} />
      <rect className={className} {...sides} />
    </g>
  );
}

function MapAxes({ g, rows, columns }: { g: Geometry; rows: MapAxis; columns: MapAxis }) {
  const bottom = g.top + g.rows * g.cell;
  const widest = Math.max(...columns.labels.map((label) => label.length));
  return (
    <g aria-hidden="true">
      {labelledLevels(g.columns, g.cell, 14 + 7 * widest).map((level) => (
        <text key={level} className="tick" x={g.left + (level + 0.5) * g.cell} y={bottom + 15} textAnchor="middle">
          {columns.labels[level]}
        </text>
      ))}
      {labelledLevels(g.rows, g.cell, 20).map((level) => (
        <text key={level} className="tick" x={g.left - 6} y={g.top + (level + 0.5) * g.cell + 4} textAnchor="end">
          {rows.labels[level]}
        </text>
      ))}
      <text className="axis-title" x={g.left + (g.columns * g.cell) / 2} y={bottom + 33} textAnchor="middle">
        {columns.name}
      </text>
      <text
        className="axis-title"
        transform={`translate(12 ${g.top + (g.rows * g.cell) / 2}) rotate(-90)`}
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
