import { type KeyboardEvent, type PointerEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { css, type Rgb } from "../logic/colour";
import { minus } from "../logic/format";
import { type Point, START, STEP, type Turn, turned, turnedBy } from "../logic/rotate";
import { useWidth } from "../parts/useWidth";
import { useTheme } from "../state/theme";

interface Props {
  label: string;
  points: number[][];
  /** From 0 to 1, one per point, for its colour. */
  shares: number[];
  labels: string[];
  colour: (share: number) => Rgb;
  legend: { name: string; low: string; high: string } | null;
  canvas: RefObject<HTMLCanvasElement | null>;
  turn: Turn;
  /** Told when a drag has ended, and at every key. */
  onTurn: (turn: Turn) => void;
}

interface Press {
  x: number;
  y: number;
  turn: Turn;
}

const KEYS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const AXES: [string, Point][] = [
  ["PC 1", [1, 0, 0]],
  ["PC 2", [0, 1, 0]],
  ["PC 3", [0, 0, 1]],
];

/** Points in space, turned by dragging or by arrow keys; nearer ones are drawn larger and last. */
export function Scatter3d({ label, points, shares, labels, colour, legend, canvas, ...given }: Props) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const [dragged, setDragged] = useState<Turn | null>(null);
  const turn = dragged ?? given.turn;
  const [near, setNear] = useState("");
  const press = useRef<Press | null>(null);
  const placed = useRef<[number, number, number][]>([]);
  const { dark } = useTheme();
  const side = Math.min(width, 460);

  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || !side) return;
    const ratio = devicePixelRatio || 1;
    [element.width, element.height] = [side * ratio, side * ratio];
    context.scale(ratio, ratio);
    placed.current = draw(context, side, points, shares, colour, turn, getComputedStyle(element));
  }, [side, points, shares, colour, turn, dark]);

  const key = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (event.key === "Home") given.onTurn(START);
    else if (step) given.onTurn(turnedBy(turn, step[0] * STEP, step[1] * STEP));
    else return;
    event.preventDefault();
  };
  const move = (event: PointerEvent<HTMLCanvasElement>) => {
    if (press.current) return setDragged(pulled(press.current, event));
    const box = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const found = placed.current.filter(([px, py]) => Math.hypot(px - x, py - y) < 8).at(-1);
    setNear(found ? (labels[found[2]] ?? "") : "");
  };

  const release = (event: PointerEvent<HTMLCanvasElement>) => {
    if (press.current) given.onTurn(pulled(press.current, event));
    press.current = null;
    setDragged(null);
  };

  return (
    <div ref={frame} className="scatter">
      <canvas
        ref={canvas}
        style={{ width: side, height: side }}
        tabIndex={0}
        role="application"
        aria-roledescription="points in space"
        aria-label={`${label}: ${points.length} points. Arrow keys turn them, Home turns them back.`}
        onKeyDown={key}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          press.current = { x: event.clientX, y: event.clientY, turn };
        }}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={release}
      />
      {legend && (
        <p className="scatter-legend">
          <span>
            {legend.name} = {minus(legend.low)}
          </span>
          <span
            className="gradient"
            style={{
              background: `linear-gradient(to right, ${Array.from({ length: 9 }, (_, i) => css(colour(i / 8))).join()})`,
            }}
          />
          <span>{minus(legend.high)}</span>
        </p>
      )}
      <p className="cell-words">{near || " "}</p>
    </div>
  );
}

function pulled(from: Press, { clientX, clientY }: PointerEvent): Turn {
  return turnedBy(from.turn, (clientX - from.x) / 120, (clientY - from.y) / 120);
}

/** Draws axes and points; returns where each point lies, farthest first. */
function draw(
  context: CanvasRenderingContext2D,
  side: number,
  points: number[][],
  shares: number[],
  colour: (share: number) => Rgb,
  turn: Turn,
  style: CSSStyleDeclaration,
): [number, number, number][] {
  const [middle, reach] = [side / 2, side * 0.36];
  const place = (point: Point): Point => {
    const [x, y, z] = turned(point, turn);
    const perspective = 3.2 / (3.2 - z);
    return [middle + x * reach * perspective, middle - y * reach * perspective, z];
  };
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, side, side);
  context.font = "12px system-ui, sans-serif";
  context.strokeStyle = style.borderColor;
  context.fillStyle = style.color;
  for (const [name, end] of AXES) {
    const [from, to] = [
      place(end.map((value) => -1.15 * value) as Point),
      place(end.map((value) => 1.15 * value) as Point),
    ];
    context.beginPath();
    context.moveTo(from[0], from[1]);
    context.lineTo(to[0], to[1]);
    context.stroke();
    context.fillText(name, Math.min(to[0] + 4, side - 32), to[1] - 4);
  }
  const drawn = points.map((point, index) => [...place([point[0] ?? 0, point[1] ?? 0, point[2] ?? 0]), index] as const);
  drawn.sort((a, b) => a[2] - b[2]);
  context.strokeStyle = style.color; // the darkest points would be lost on a dark ground
  context.lineWidth = 0.5;
  for (const [x, y, z, index] of drawn) {
    context.beginPath();
    context.arc(x, y, 4 + 1.4 * z, 0, 2 * Math.PI);
    context.fillStyle = css(colour(shares[index] ?? 0));
    context.fill();
    context.stroke();
  }
  return drawn.map(([x, y, , index]) => [x, y, index]);
}
