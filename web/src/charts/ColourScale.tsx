import { css, type Rgb } from "../logic/colour";
import { number } from "../logic/format";
import { scale, ticks } from "../logic/ticks";

interface Props {
  x: number;
  y: number;
  width: number;
  domain: [number, number];
  colour: (share: number) => Rgb;
  label: string;
}

const SHADES = 48;

/** What the colours of a map mean: a strip of them over an axis with its quantity. */
export function ColourScale({ x, y, width, domain, colour, label }: Props) {
  const place = scale(domain[0], domain[1], 0, width);
  const step = width / SHADES;
  return (
    <g transform={`translate(${x} ${y})`}>
      {Array.from({ length: SHADES }, (_, index) => (
        <rect key={index} x={index * step} width={step + 0.5} height={10} fill={css(colour((index + 0.5) / SHADES))} />
      ))}
      {ticks(domain[0], domain[1], Math.max(2, Math.floor(width / 60))).map((tick) => (
        <g key={tick} transform={`translate(${place.at(tick)} 10)`}>
          <line className="axis-line" y2={4} />
          <text className="tick" y={15} textAnchor="middle">
            {number(tick)}
          </text>
        </g>
      ))}
      <text className="axis-title" x={width / 2} y={44} textAnchor="middle">
        {label}
      </text>
    </g>
  );
}
