// Recorded measures, nested by name, as a flat list.
import type { Json, Settings } from "../api/types";
import { csv } from "./csv";

export interface Measure {
  name: string;
  value: number | null;
}

/** Every number with its dotted name, in the order of the record: "nmse_by_section.ood". */
export function flatMeasures(measures: Settings, prefix = ""): Measure[] {
  return Object.entries(measures).flatMap(([name, value]): Measure[] => {
    const path = prefix ? `${prefix}.${name}` : name;
    if (value === null || typeof value === "number") return [{ name: path, value }];
    if (Array.isArray(value))
      return flatMeasures(Object.fromEntries(value.map((each: Json, index) => [String(index), each])), path);
    return typeof value === "object" ? flatMeasures(value, path) : [];
  });
}

export function measuresCsv(measures: Settings): string {
  return csv(
    ["measure", "value"],
    flatMeasures(measures).map(({ name, value }) => [name, value]),
  );
}

/** Measures of two runs beside each other; one that a run lacks is null there. */
export function pairedMeasures(a: Settings, b: Settings): { name: string; a: number | null; b: number | null }[] {
  const [left, right] = [flatMeasures(a), flatMeasures(b)].map(
    (list) => new Map(list.map(({ name, value }) => [name, value])),
  ) as [Map<string, number | null>, Map<string, number | null>];
  return [...new Set([...left.keys(), ...right.keys()])].map((name) => ({
    name,
    a: left.get(name) ?? null,
    b: right.get(name) ?? null,
  }));
}
