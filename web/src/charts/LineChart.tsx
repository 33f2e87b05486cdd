import type { RefObject } from "react";
import { number } from "../logic/format";
import { logTicks, scale, ticks } from "../logic/ticks";
import { useWidth } from "../parts/useWidth";
import { AxisTitles } from "./AxisTitles";

export interface Series {
  name: string;
  points: [number, number][];
}

interface Props {
  label: string;
  x: string;
  y: string;
  series: Series[];
  log?: boolean;
  height?: number;
  /** The right end of the axis, so that a running curve grows into it. */
  until?: number | undefined;
  svg?: RefObject<SVGSVGElement | null>;
}

const MARGIN = { left: 58, right: 22, top: 10, bottom: 42 };

/** Curves over one labelled pair of axes; several are told apart by colour and dashes, and named in a legend. */
export function LineChart({ label, x, y, series, log = false, height = 240, until, svg }: Props) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const kept = series.map((one) => ({
    ...one,
    points: one.points.filter(([, value]) => Number.isFinite(value) && (!log || value > 0)),
  }));
  const all = kept.flatMap(({ points }) => points);
  const last = Math.max(until ?? 0, ...all.map(([step]) => step), 1);
  const [low, high] = ends(
    all.map(([, value]) => value),
    log,
  );
  const legend = series.length > 1 ? 22 : 0;
  const bottom = height - MARGIN.bottom;
  const across = scale(0, last, MARGIN.left, Math.max(MARGIN.left + 20, width - MARGIN.right));
  const up = scale(low, high, bottom, MARGIN.top + legend, log);
  const marks = log ? logTicks(low, high, 5) : ticks(low, high, 4);

  return (
    <div ref={frame} className="chart">
      {width > 0 && (
        <svg ref={svg} width={width} height={height} role="img" aria-label={`${label}. ${spoken(kept)}`}>
          {(marks.length ? marks : [low, high]).map((tick) => (
            <g key={tick}>
              <line
                className="grid-line"
                x1={MARGIN.left}
                x2={width - MARGIN.right}
                y1={up.at(tick)}
                y2={up.at(tick)}
              />
              <text className="tick" x={MARGIN.left - 6} y={up.at(tick) + 4} textAnchor="end">
                {log ? power(tick) : number(tick)}
              </text>
            </g>
          ))}
          {ticks(0, last, Math.max(2, Math.floor(width / 90))).map((tick) => (
            <text key={tick} className="tick" x={across.at(tick)} y={bottom + 16} textAnchor="middle">
              {tick.toLocaleString("en-GB")}
            </text>
          ))}
          {kept.map((one, index) => (
            <path key={one.name} className={`series series-${index % 4}`} d={curve(one.points, across.at, up.at)} />
          ))}
          {legend > 0 && <Legend names={kept.map(({ name }) => name)} />}
          <AxisTitles
            x={x}
            y={y}
            left={MARGIN.left}
            right={width - MARGIN.right}
            top={MARGIN.top}
            bottom={bottom}
            height={height}
          />
        </svg>
      )}
    </div>
  );
}

function Legend({ names }: { names: string[] }) {
  let x = MARGIN.left;
  return names.map((name, index) => {
    const here = x;
    x += 34 + 7 * name.length;
    return (
      <g key={name} transform={`translate(${here} 10)`}>
        <path className={`series series-${index % 4}`} d="M0 0h18" />
        <text className="tick" x={23} y={4}>
          {name}
        </text>
      </g>
    );
  });
}

function ends(values: number[], log: boolean): [number, number] {
  if (!values.length) return log ? [0.01, 1] : [0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (log) return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high) + 1e-9)];
  return low === high
    ? [Math.min(0, low), Math.max(1, high)]
    : [Math.min(0, low), high + (high - Math.min(0, low)) * 0.05];
}

function curve(points: [number, number][], x: (value: number) => number, y: (value: number) => number): string {
  return points
    .map(([step, value], index) => `${index ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`)
    .join("");
}

function power(value: number): string {
  return value >= 0.001 && value <= 1000 ? number(value) : number(value).replace("1 × ", "");
}

function spoken(series: Series[]): string {
  const said = series.map(({ name, points }) => {
    const last = points.at(-1);
    return last ? `${name}: ${number(last[1])} at ${last[0]}` : `${name}: nothing yet`;
  });
  return `${said.join("; ")}.`;
}
