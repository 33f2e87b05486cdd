import type { ClaimCheck, Measured, Range } from "../api/types";
import { interval, minus, number, plural, range } from "../logic/format";

/** What is measured and in which setting: "ood_accuracy (none)". */
export function quantityWords({ quantity, of }: Pick<ClaimCheck, "quantity" | "of">): string {
  return of ? `${quantity} (${of})` : quantity;
}

export function rangeWords(expected: Range | string): string {
  return typeof expected === "string" ? minus(expected) : range(expected.low, expected.high);
}

/** "0.91 (0.905 to 0.912, 5 seeds)". */
export function measuredWords(measured: Measured | string | null): string {
  if (measured === null) return "not measured";
  if (typeof measured === "string") return minus(measured);
  if (measured.estimate === null) return "not defined";
  return `${number(measured.estimate)} (${interval(measured.low, measured.high)}, ${plural(measured.seeds, "seed")})`;
}
