// Places of ticks on an axis, and the way from a value to a pixel.

export interface Scale {
  low: number;
  high: number;
  log: boolean;
  at: (value: number) => number;
}

/** Maps [low, high] to pixels [from, to]. A logarithmic scale needs low > 0. */
export function scale(low: number, high: number, from: number, to: number, log = false): Scale {
  const place = log ? Math.log10 : (value: number) => value;
  const [a, b] = [place(low), place(high)];
  const width = b - a || 1;
  return {
    low,
    high,
    log,
    at: (value) => from + ((place(Math.max(value, log ? Number.MIN_VALUE : value)) - a) / width) * (to - from),
  };
}

/** Round values within [low, high], about `count` of them. */
export function ticks(low: number, high: number, count = 5): number[] {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw * 0.999) ?? raw;
  const first = Math.ceil(low / step - 1e-9);
  const found: number[] = [];
  for (let index = first; index * step <= high + step * 1e-9; index++)
    found.push(Number((index * step).toPrecision(12)));
  return found;
}

/** Powers of ten within [low, high]; thinned to about `count`. */
export function logTicks(low: number, high: number, count = 5): number[] {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const every = Math.max(1, Math.ceil((last - first + 1) / count));
  const found: number[] = [];
  for (let power = first; power <= last; power += every) found.push(10 ** power);
  return found;
}

/** Ends rounded outwards so that the data do not touch the frame; equal ends are put apart. */
export function widened(low: number, high: number): [number, number] {
  if (low === high) return low === 0 ? [-1, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  const margin = (high - low) * 0.05;
  return [low - margin, high + margin];
}

/** Which of `size` levels get a label so that labels are at least `gap` pixels apart. */
export function labelledLevels(size: number, cell: number, gap: number): number[] {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500];
  const every = steps.find((step) => step * cell >= gap) ?? size;
  return Array.from({ length: Math.ceil(size / every) }, (_, index) => index * every);
}
