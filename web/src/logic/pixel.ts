import { diverging, type Rgb } from "./colour";

/** The colour of one pixel: grey or its own between the ends of the domain; a difference from blue to orange. */
export function pixelColour(value: number | number[], [low, high]: [number, number], difference: boolean): Rgb {
  const share = (each: number) => Math.min(Math.max((each - low) / (high - low || 1), 0), 1);
  if (typeof value === "number" && difference) return diverging(share(value));
  const channels = typeof value === "number" ? [value, value, value] : value;
  return channels.map((each) => Math.round(255 * share(each))) as Rgb;
}
