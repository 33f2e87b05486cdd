// Colour scales that people with any colour vision can read: they also grow in lightness.

export type Rgb = [number, number, number];

const VIRIDIS = [
  "#440154",
  "#482878",
  "#3e4989",
  "#31688e",
  "#26828e",
  "#1f9e89",
  "#35b779",
  "#6ece58",
  "#b5de2b",
  "#fde725",
];
const DIVERGING = ["#053c6e", "#2a6cab", "#6ea6cf", "#b9d5e8", "#f6f5f2", "#f7cf9f", "#e79a4c", "#b75d0c", "#723600"];
const CYCLIC = ["#e2d9e2", "#7ea3c5", "#5b57b2", "#2f1436", "#8a2e54", "#c3816a", "#e2d9e2"]; // after twilight

export const STEPS = 64; // shades in which a map is drawn

export const sequential = (share: number): Rgb => along(VIRIDIS, share);
export const diverging = (share: number): Rgb => along(DIVERGING, share);
export const cyclic = (share: number): Rgb => along(CYCLIC, share);

export function css([red, green, blue]: Rgb): string {
  return `rgb(${red}, ${green}, ${blue})`;
}

export function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** 0 is the first colour and 1 the last; what lies beyond is clipped. */
function along(stops: string[], share: number): Rgb {
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(at), stops.length - 2);
  const [from, to] = [rgbOf(stops[index] ?? "#000000"), rgbOf(stops[index + 1] ?? "#000000")];
  const mix = (channel: 0 | 1 | 2) => Math.round(from[channel] + (to[channel] - from[channel]) * (at - index));
  return [mix(0), mix(1), mix(2)];
}

/** Relative luminance of WCAG 2: 0 black, 1 white. */
export function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of WCAG 2: 1 none, 21 black on white; text needs 4.5. */
export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((first, second) => second - first) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The ends of a scale of errors: from 0 to the largest, and at least to 1 for what is relative to knowing nothing. */
export function errorDomain(quantity: string, values: Iterable<number | null>): [number, number] {
  let high = quantity === "nMSE" || quantity === "error rate" ? 1 : 0;
  for (const value of values) if (value !== null && value > high) high = value;
  return [0, high || 1];
}
