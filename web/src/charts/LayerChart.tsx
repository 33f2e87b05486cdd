import type { RefObject } from "react";
import { number } from "../logic/format";
import { scale, ticks } from "../logic/ticks";
import { useWidth } from "../parts/useWidth";
import { AxisTitles } from "./AxisTitles";

interface Props {
  measure: string;
  values: [layer: string, value: number | null][];
  svg?: RefObject<SVGSVGElement | null>;
}

const HEIGHT = 280;
const MARGIN = { left: 58, right: 16, top: 12, bottom: 74 };

/** A point per layer, from the input to the output, joined by a line. */
export function LayerChart({ measure, values, svg }: Props) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const numbers = values.flatMap(([, value]) => (value === null ? [] : [value]));
  const low = Math.min(0, ...numbers);
  const high = Math.max(...numbers, low + 1e-6);
  const bottom = HEIGHT - MARGIN.bottom;
  const up = scale(low, high + (high - low) * 0.05, bottom, MARGIN.top);
  const step = (Math.max(width, 120) - MARGIN.left - MARGIN.right) / Math.max(1, values.length);
  const x = (index: number) => MARGIN.left + step * (index + 0.5);
  const points = values.flatMap(([, value], index) => (value === null ? [] : [`${x(index)},${up.at(value)}`]));
  const spoken = values.map(([layer, value]) => `${layer} ${number(value)}`).join("; ");

  return (
    <div ref={frame} className="chart">
      {width > 0 && (
        <svg ref={svg} width={width} height={HEIGHT} role="img" aria-label={`${measure} by layer: ${spoken}`}>
          {ticks(low, high, 4).map((tick) => (
            <g key={tick}>
              <line
                className="grid-line"
                x1={MARGIN.left}
                x2={width - MARGIN.right}
                y1={up.at(tick)}
                y2={up.at(tick)}
              />
              <text className="tick" x={MARGIN.left - 6} y={up.at(tick) + 4} textAnchor="end">
                {number(tick)}
              </text>
            </g>
          ))}
          <polyline className="series series-0" points={points.join(" ")} />
          {values.map(([layer, value], index) => (
            <g key={layer}>
              {value !== null && <circle className="estimate" cx={x(index)} cy={up.at(value)} r={4.5} />}
              <text
                className="tick"
                transform={`translate(${x(index) + 3} ${bottom + 12}) rotate(-35)`}
                textAnchor="end"
              >
                {layer}
              </text>
            </g>
          ))}
          <AxisTitles
            x={"Layer"}
            y={measure}
            left={MARGIN.left}
            right={width - MARGIN.right}
            top={MARGIN.top}
            bottom={bottom}
            height={HEIGHT}
          />
        </svg>
      )}
    </div>
  );
}
