// What the Explore view shows, read from the parameters of its address and written to them.
import type { Combination, Model, Plane, Preset, Problem, Settings } from "../api/types";

export interface Exploring {
  problem: Problem;
  model: Model;
  recipe: Settings;
  seed: number;
}

/** The state of an address; what it leaves out is the preset's. A part that cannot be read counts as left out. */
export function readExploring(params: Record<string, string>, presets: Preset[]): Exploring & { preset: Preset } {
  const preset = presets.find(({ id }) => id === params.preset) ?? presets[0];
  if (!preset) throw new Error("the server's catalogue has no presets");
  const problem = mapping(params.problem);
  return {
    preset,
    problem: isProblem(problem) ? problem : preset.problem,
    model: modelOf(params.model) ?? preset.model,
    recipe: mapping(params.recipe) ?? preset.recipe,
    seed: wholeNumber(params.seed) ?? 0,
  };
}

/** The names of those parts of an address that say something, but nothing that there is. */
export function unreadParts(
  params: Record<string, string>,
  { presets, models }: { presets: { id: string }[]; models: { name: string }[] },
): string[] {
  const problem = mapping(params.problem);
  const model = modelOf(params.model);
  const read: Record<string, boolean> = {
    preset: presets.some(({ id }) => id === params.preset),
    problem: isProblem(problem),
    model: model !== null && models.some(({ name }) => name === modelName(model)),
    recipe: mapping(params.recipe) !== null,
    seed: wholeNumber(params.seed) !== null,
    cell: readCombination(params.cell) !== null,
    plane: readPlane(params.plane) !== null,
  };
  return Object.keys(read).filter((name) => params[name] && !read[name]);
}

export function writeExploring(change: Partial<Exploring>): Record<string, string> {
  const written: Record<string, string> = {};
  if (change.problem) written.problem = JSON.stringify(change.problem);
  if (change.model) written.model = JSON.stringify(change.model);
  if (change.recipe) written.recipe = JSON.stringify(change.recipe);
  if (change.seed !== undefined) written.seed = change.seed === 0 ? "" : String(change.seed);
  return written;
}

export function readCombination(text: string | undefined): Combination | null {
  if (!text || !/^\d{1,6}(,\d{1,6})*$/.test(text)) return null;
  return text.split(",").map(Number);
}

export function writeCombination(combination: Combination): string {
  return combination.join(",");
}

/** A plane as "rows,columns,fixed,…"; null when it is not one. */
export function readPlane(text: string | undefined): Plane | null {
  const [rows, columns, ...fixed] = readCombination(text) ?? [];
  return rows === undefined || columns === undefined ? null : { rows, columns, fixed };
}

export function writePlane({ rows, columns, fixed }: Plane): string {
  return writeCombination([rows, columns, ...fixed]);
}

export function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

export function modelName(model: Model): string {
  return typeof model === "string" ? model : String(model.kind ?? "");
}

function parsed(text: string | undefined): unknown {
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function mapping(text: string | undefined): Settings | null {
  const value = parsed(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Settings) : null;
}

function isProblem(read: Settings | null): read is Settings & Problem {
  return typeof read?.task === "object" && read.task !== null && !Array.isArray(read.task);
}

function modelOf(text: string | undefined): Model | null {
  const value = parsed(text);
  return typeof value === "string" ? value : mapping(text);
}
