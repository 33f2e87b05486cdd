import type { RefObject } from "react";
import { fixed, number } from "../logic/format";
import { clamp } from "../logic/span";
import { scale, ticks, widened } from "../logic/ticks";
import { useWidth } from "../parts/useWidth";

export interface IntervalRow {
  name: string;
  expected: number | null;
  low: number | null;
  high: number | null;
  /** A range to be met, drawn behind the interval; an open end is null. */
  range?: { low: number | null; high: number | null };
}

interface Props {
  label: string;
  quantity: string;
  rows: IntervalRow[];
  /** Values that have a meaning, drawn as lines: 0 perfect, 1 a blank picture. */
  marks?: number[];
  svg?: RefObject<SVGSVGElement | null>;
}

const NARROW = 460; // pixels; below it, names and values stand above their intervals
const VALUE = 132;

/** Estimates with their intervals, a line each, over one labelled axis. */
export function IntervalChart({ label, quantity, rows, marks = [], svg }: Props) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const drawn = rows.filter((row) => row.expected !== null);
  const numbers = [
    ...marks,
    ...drawn.flatMap((row) => [row.expected, row.low, row.high, row.range?.low, row.range?.high]),
  ];
  const finite = numbers.filter((value): value is number => typeof value === "number");
  const [low, high] = finite.length ? widened(Math.min(...finite), Math.max(...finite)) : [0, 1];
  const narrow = width < NARROW;
  const names = narrow ? 8 : 12 + 7 * Math.max(4, ...rows.map(({ name }) => name.length));
  const place = scale(low, high, names, Math.max(names + 40, width - (narrow ? 8 : VALUE)));
  const step = narrow ? 40 : 28;
  const bottom = rows.length * step + 4;
  const half = 3.3 * quantity.length; // of the title's width, about

  return (
    <div ref={frame} className="chart">
      {width > 0 && (
        <svg ref={svg} width={width} height={bottom + 42} role="img" aria-label={`${label}: ${spoken(rows)}`}>
          {marks.map((mark) => (
            <line key={mark} className="mark-line" x1={place.at(mark)} x2={place.at(mark)} y1={0} y2={bottom} />
          ))}
          {rows.map((row, index) => (
            <Row
              key={`${row.name}-${index}`}
              row={row}
              y={narrow ? index * step + 28 : (index + 0.5) * step}
              text={narrow ? -12 : 4}
              at={place.at}
              ends={[low, high]}
              width={width}
            />
          ))}
          <line className="axis-line" x1={place.at(low)} x2={place.at(high)} y1={bottom} y2={bottom} />
          {ticks(low, high, Math.max(2, Math.floor((place.at(high) - names) / 56))).map((tick) => (
            <g key={tick} transform={`translate(${place.at(tick)} ${bottom})`}>
              <line className="axis-line" y2={4} />
              <text className="tick" y={16} textAnchor="middle">
                {number(tick)}
              </text>
            </g>
          ))}
          <text
            className="axis-title"
            x={clamp((place.at(low) + place.at(high)) / 2, half, width - half)}
            y={bottom + 35}
            textAnchor="middle"
          >
            {quantity}
          </text>
        </svg>
      )}
    </div>
  );
}

interface RowProps {
  row: IntervalRow;
  y: number;
  /** Where the words stand, from y. */
  text: number;
  at: (value: number) => number;
  ends: [number, number];
  width: number;
}

function Row({ row, y, text, at, ends, width }: RowProps) {
  const { expected, low, high, range } = row;
  return (
    <g>
      <text className="row-name" x={0} y={y + text}>
        {row.name}
      </text>
      {range && (
        <rect
          className="expected-range"
          x={at(range.low ?? ends[0])}
          width={Math.max(3, at(range.high ?? ends[1]) - at(range.low ?? ends[0]))}
          y={y - 9}
          height={18}
        />
      )}
      {low !== null && high !== null && <line className="interval" x1={at(low)} x2={at(high)} y1={y} y2={y} />}
      {expected !== null && <circle className="estimate" cx={at(expected)} cy={y} r={4.5} />}
      <text className="row-value" x={width} y={y + text} textAnchor="end">
        {fixed(expected, ends[1] - ends[0])}
        {low !== null && high !== null && ` (${fixed(low, ends[1] - ends[0])}, ${fixed(high, ends[1] - ends[0])})`}
      </text>
    </g>
  );
}

function spoken(rows: IntervalRow[]): string {
  return rows
    .map((row) => `${row.name} ${number(row.expected)} (${number(row.low)} to ${number(row.high)})`)
    .join("; ");
}
