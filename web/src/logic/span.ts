// Ranges of levels of one factor. A periodic factor's range may run through the seam.

export interface Axis {
  name: string;
  size: number;
  periodic: boolean;
}

/** `length` levels from `start` on; `start + length` exceeds the size only where it runs through a seam. */
export interface Span {
  start: number;
  length: number;
}

export function wholeSpan(axis: Axis): Span {
  return { start: 0, length: axis.size };
}

export function isWhole(span: Span, axis: Axis): boolean {
  return span.length >= axis.size;
}

/** From a half-open pair as problems write it; null when it is not one of this axis. */
export function spanOf(low: number, high: number, axis: Axis): Span | null {
  if (!Number.isInteger(low) || !Number.isInteger(high) || low < 0 || low >= axis.size) return null;
  if (high > low && high <= axis.size) return { start: low, length: high - low };
  if (axis.periodic && high >= 0 && high < low) return { start: low, length: axis.size - low + high };
  return null;
}

export function pairOf(span: Span, axis: Axis): [number, number] {
  const end = span.start + span.length;
  return [span.start, end > axis.size ? end - axis.size : end];
}

export function spanHolds(span: Span, level: number, axis: Axis): boolean {
  const from = level - span.start;
  return (axis.periodic ? modulo(from, axis.size) : from) < span.length && (axis.periodic || from >= 0);
}

/** One or two stretches without a seam, as they are drawn. */
export function pieces(span: Span, axis: Axis): Span[] {
  const over = span.start + span.length - axis.size;
  if (over <= 0) return [span];
  return [
    { start: span.start, length: span.length - over },
    { start: 0, length: over },
  ];
}

export function moveSpan(span: Span, by: number, axis: Axis): Span {
  if (isWhole(span, axis)) return wholeSpan(axis);
  if (axis.periodic) return { ...span, start: modulo(span.start + by, axis.size) };
  return { ...span, start: clamp(span.start + by, 0, axis.size - span.length) };
}

/** Moves one end; the other stays, and at least one level is left. */
export function resizeSpan(span: Span, end: "low" | "high", by: number, axis: Axis): Span {
  if (end === "high") {
    const most = axis.periodic ? axis.size : axis.size - span.start;
    return settled({ ...span, length: clamp(span.length + by, 1, most) }, axis);
  }
  const least = axis.periodic ? span.length - axis.size : -span.start;
  const moved = clamp(by, least, span.length - 1);
  return settled({ start: span.start + moved, length: span.length - moved }, axis);
}

function settled(span: Span, axis: Axis): Span {
  return isWhole(span, axis) ? wholeSpan(axis) : { ...span, start: modulo(span.start, axis.size) };
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), Math.max(low, high));
}

function modulo(value: number, size: number): number {
  return ((value % size) + size) % size;
}
