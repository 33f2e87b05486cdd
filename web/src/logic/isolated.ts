// Examples that show one factor alone, counted by levels of each factor.
import type { Problem } from "../api/types";

/** How many levels of each factor are shown alone: 0 none, `most` all. */
export function isolatedLevels(problem: Problem, most: number): number {
  if (!problem.isolated?.length) return 0;
  return Math.min(problem.isolated_levels ?? most, most);
}

/** The problem with that many levels of each factor shown alone. */
export function withIsolated(problem: Problem, levels: number, most: number, names: string[]): Problem {
  const { isolated: _isolated, isolated_levels: _levels, ...rest } = problem;
  if (levels <= 0) return rest as Problem;
  const kept = problem.isolated?.length ? problem.isolated : names;
  return { ...rest, isolated: kept, ...(levels < most ? { isolated_levels: levels } : {}) } as Problem;
}
