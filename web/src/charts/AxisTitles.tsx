interface Props {
  x: string;
  y: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
  height: number;
}

/** The line below a chart, and what its two axes are. */
export function AxisTitles({ x, y, left, right, top, bottom, height }: Props) {
  return (
    <>
      <line className="axis-line" x1={left} x2={right} y1={bottom} y2={bottom} />
      <text className="axis-title" x={(left + right) / 2} y={height - 8} textAnchor="middle">
        {x}
      </text>
      <text className="axis-title" transform={`translate(13 ${(bottom + top) / 2}) rotate(-90)`} textAnchor="middle">
        {y}
      </text>
    </>
  );
}
