// Turning points in space: first about the vertical axis, then about the horizontal one.

export interface Turn {
  yaw: number;
  pitch: number;
}

const DEGREE = Math.PI / 180;
export const START: Turn = { yaw: 40 * DEGREE, pitch: 26 * DEGREE };
export const STEP = 8 * DEGREE; // of an arrow key

export type Point = [number, number, number];

export function turned([x, y, z]: Point, { yaw, pitch }: Turn): Point {
  const [cosYaw, sinYaw, cosPitch, sinPitch] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const [across, depth] = [x * cosYaw + z * sinYaw, z * cosYaw - x * sinYaw];
  return [across, y * cosPitch - depth * sinPitch, y * sinPitch + depth * cosPitch];
}

export function turnedBy(turn: Turn, yaw: number, pitch: number): Turn {
  const limit = Math.PI / 2; // beyond it, what is up would be down
  return { yaw: turn.yaw + yaw, pitch: Math.min(Math.max(turn.pitch + pitch, -limit), limit) };
}

/** Whole degrees, as a link has them: "48,26"; nothing where the points are as they begin. */
export function writeTurn(turn: Turn): string {
  const degrees = ({ yaw, pitch }: Turn) =>
    `${((Math.round(yaw / DEGREE) % 360) + 360) % 360},${Math.round(pitch / DEGREE)}`;
  return degrees(turn) === degrees(START) ? "" : degrees(turn);
}

/** The turn of a link; where it has none, or nothing that can be read, the points are as they begin. */
export function readTurn(text: string | undefined): Turn {
  const found = /^(\d{1,3}),(-?\d{1,2})$/.exec(text ?? "");
  return found ? turnedBy({ yaw: 0, pitch: 0 }, Number(found[1]) * DEGREE, Number(found[2]) * DEGREE) : START;
}
