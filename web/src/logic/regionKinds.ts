// A first region of each kind that the page offers, for a plane of any size.
import type { Settings } from "../api/types";
import type { Axes } from "./region";

type Maker = (axes: Axes) => Settings;

function middle(size: number, share: number): [number, number] {
  const length = Math.max(1, Math.round(size * share));
  const low = Math.floor((size - length) / 2);
  return [low, low + length];
}

function sides(axes: Axes, share: number): Settings {
  return {
    [axes.columns.name]: middle(axes.columns.size, share),
    [axes.rows.name]: middle(axes.rows.size, share),
  };
}

const MAKERS: Record<string, Maker> = {
  block: (axes) => ({ kind: "block", ...sides(axes, 0.55) }),
  // Levels of a cross or a band are never seen, so training has to declare that this is meant.
  cross: (axes) => ({ kind: "extrapolation", of: { kind: "cross", ...sides(axes, 0.2) } }),
  band: (axes) => {
    const [low, high] = middle(axes.columns.size, 0.2);
    return { kind: "extrapolation", of: { kind: "band", factor: axes.columns.name, low, high } };
  },
  corner: (axes) => ({
    kind: "corner",
    [axes.columns.name]: Math.floor(axes.columns.size / 2),
    [axes.rows.name]: Math.floor(axes.rows.size / 2),
  }),
  diagonal: (axes) => ({ kind: "diagonal", width: Math.max(1, Math.round(axes.rows.size / 8)) }),
  orthogonal: (axes) => ({
    kind: "orthogonal",
    at: { [axes.columns.name]: Math.floor(axes.columns.size / 2), [axes.rows.name]: Math.floor(axes.rows.size / 2) },
  }),
  anchors: (axes) => ({
    kind: "anchors",
    [axes.rows.name]: [Math.floor(axes.rows.size / 2)],
    [axes.columns.name]: [Math.floor(axes.columns.size / 2)],
  }),
  random: () => ({ kind: "random", fraction: 0.3, seed: 1 }),
};

export const OFFERED = Object.keys(MAKERS);

export function firstRegion(kind: string, axes: Axes): Settings | null {
  return MAKERS[kind]?.(axes) ?? null;
}

/** The kind that a person chose: what an extrapolation is of, rather than the declaration around it. */
export function kindOf(split: Settings | undefined): string {
  if (!split) return "";
  const inner = split.kind === "extrapolation" ? split.of : null;
  return typeof inner === "object" && inner !== null && !Array.isArray(inner)
    ? kindOf(inner)
    : String(split.kind ?? "");
}

/** The same region on factors of another size: numbers that are levels are scaled and kept apart. */
export function rescale(split: Settings, from: number, to: number): Settings {
  const scaled = (level: number) => Math.min(Math.round((level * to) / from), to);
  const changed: Settings = {};
  for (const [name, value] of Object.entries(split)) {
    if (Array.isArray(value) && value.length === 2 && typeof value[0] === "number" && typeof value[1] === "number") {
      const low = Math.min(scaled(value[0]), to - 1);
      changed[name] = [low, Math.max(scaled(value[1]), low + 1)];
    } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      changed[name] = rescale(value, from, to);
    } else if (typeof value === "number" && (split.kind === "corner" || name === "low" || name === "high")) {
      changed[name] = Math.min(scaled(value), name === "high" ? to : to - 1);
    } else {
      changed[name] = value;
    }
  }
  return changed;
}
