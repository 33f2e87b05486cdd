import type { RefObject } from "react";
import { number, plural } from "../logic/format";
import { scale, ticks } from "../logic/ticks";
import { useWidth } from "../parts/useWidth";

interface Props {
  persistence: Record<string, [number, number | null][]>;
  svg?: RefObject<SVGSVGElement | null>;
}

const NAMES: Record<string, string> = { "0": "components", "1": "loops", "2": "cavities" };
const MARGIN = { left: 58, right: 12, top: 34, bottom: 42 };

/** Birth against death: far above the diagonal is a hole that lasts. Degrees are told apart by colour and shape. */
export function PersistenceDiagram({ persistence, svg }: Props) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const degrees = Object.keys(persistence).sort();
  const bars = degrees.flatMap((degree) => persistence[degree] ?? []);
  const finite = bars.flatMap(([birth, death]) => (death === null ? [birth] : [birth, death]));
  const high = Math.max(...finite, 1e-6) * 1.1;
  const side = Math.min(width, 420);
  const across = scale(0, high, MARGIN.left, side - MARGIN.right);
  const up = scale(0, high, side - MARGIN.bottom, MARGIN.top);
  const spoken = degrees
    .map((degree) => `${NAMES[degree] ?? degree}: ${plural(persistence[degree]?.length ?? 0, "bar")}`)
    .join("; ");

  return (
    <div ref={frame} className="chart">
      {width > 0 && (
        <svg ref={svg} width={side} height={side} role="img" aria-label={`Persistence diagram. ${spoken}.`}>
          {ticks(0, high, 4).map((tick) => (
            <g key={tick}>
              <line className="grid-line" x1={MARGIN.left} x2={side - MARGIN.right} y1={up.at(tick)} y2={up.at(tick)} />
              <text className="tick" x={MARGIN.left - 6} y={up.at(tick) + 4} textAnchor="end">
                {number(tick)}
              </text>
              <text className="tick" x={across.at(tick)} y={side - MARGIN.bottom + 16} textAnchor="middle">
                {number(tick)}
              </text>
            </g>
          ))}
          <line className="axis-line" x1={across.at(0)} y1={up.at(0)} x2={across.at(high)} y2={up.at(high)} />
          {degrees.map((degree, index) => (
            <g key={degree}>
              {(persistence[degree] ?? []).map(([birth, death], bar) => (
                <Mark key={bar} shape={index} x={across.at(birth)} y={up.at(death ?? high)} />
              ))}
              <g transform={`translate(${MARGIN.left + index * 112} 12)`}>
                <Mark shape={index} x={5} y={0} />
                <text className="tick" x={14} y={4}>
                  {NAMES[degree] ?? `degree ${degree}`}
                </text>
              </g>
            </g>
          ))}
          <text className="axis-title" x={(MARGIN.left + side) / 2} y={side - 8} textAnchor="middle">
            Birth (distance / spread)
          </text>
          <text className="axis-title" transform={`translate(13 ${side / 2}) rotate(-90)`} textAnchor="middle">
            Death (distance / spread)
          </text>
        </svg>
      )}
    </div>
  );
}

function Mark({ shape, x, y }: { shape: number; x: number; y: number }) {
  const className = `mark mark-${shape % 3}`;
  if (shape % 3 === 0) return <circle className={className} cx={x} cy={y} r={4} />;
  if (shape % 3 === 1) return <path className={className} d={`M${x} ${y - 5}l5 9h-10z`} />;
  return <rect className={className} x={x - 4} y={y - 4} width={8} height={8} />;
}
