// What a task answers: a picture, or one number.
import type { Answer, Picture } from "../api/types";

export function isPicture(answer: Answer | null | undefined): answer is Picture {
  return Array.isArray(answer);
}

/** The ends of a grey scale that fits all of these pictures; 0 to 1 unless one goes beyond.
 *
 * Of targets alone: an output that overshoots would turn their white grey, and its difference says by how much.
 */
export function sharedDomain(answers: (Answer | null | undefined)[]): [number, number] {
  let [low, high] = [0, 1];
  for (const answer of answers) {
    if (!isPicture(answer)) continue;
    for (const value of (answer as (number | number[])[][]).flat(2)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return [low, high];
}

/** Output minus target, or null where either is missing or they do not match. */
export function differenceOf(output: Answer | null, target: Answer | null): Answer | null {
  if (typeof output === "number" && typeof target === "number") return output - target;
  if (!isPicture(output) || !isPicture(target) || output.length !== target.length) return null;
  const less = (a: number | number[], b: number | number[]): number | number[] =>
    typeof a === "number" && typeof b === "number"
      ? a - b
      : (a as number[]).map((value, index) => value - ((b as number[])[index] ?? 0));
  return output.map((row, y) => row.map((value, x) => less(value, target[y]?.[x] ?? 0))) as Picture;
}

/** The largest size of a difference, so that its colours are even around 0; at least a quarter. */
export function differenceDomain(answer: Answer | null): [number, number] {
  if (!isPicture(answer)) return [-1, 1];
  const largest = Math.max(0.25, ...(answer as (number | number[])[][]).flat(2).map(Math.abs));
  return [-largest, largest];
}
