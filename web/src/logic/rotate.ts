// Turning points in space: first about the vertical axis, then about the horizontal one.

export interface Turn {
  yaw: number;
  pitch: number;
}

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
