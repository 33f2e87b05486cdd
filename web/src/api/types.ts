// The shapes of the server's answers. A combination is a list of level indices in the order of `factors`.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Settings = { [name: string]: Json };
export type Combination = number[];
/** Rows of grey values, or of [red, green, blue]. */
export type Picture = number[][] | number[][][];
/** What a task asks for: a picture, or one number. */
export type Answer = Picture | number;

export interface Setting {
  /** integer, number, boolean, word, choice, member (a registered kind), list or mapping. */
  type: string;
  default?: Json;
  choices?: Json[];
  minimum?: number;
  maximum?: number;
  says?: string;
}

export interface CatalogueTask {
  name: string;
  says: string;
  family: string;
  settings: Record<string, Setting>;
  drawable: boolean;
  isolates?: boolean;
}

export interface CatalogueModel {
  name: string;
  says: string;
  families: string[];
  settings: Record<string, Setting>;
}

export interface CatalogueRegion {
  name: string;
  says: string;
  settings: Record<string, Setting>;
}

export interface Problem {
  task: Settings;
  split?: Settings;
  support?: Settings;
  isolated?: string[];
  isolated_levels?: number;
  examples?: number;
  [name: string]: Json | undefined;
}

export type Model = string | Settings;

export interface Preset {
  id: string;
  title: string;
  says: string;
  problem: Problem;
  model: Model;
  recipe: Settings;
}

export interface Catalogue {
  tasks: CatalogueTask[];
  models: CatalogueModel[];
  regions: CatalogueRegion[];
  measures: { name: string; says: string }[];
  recipe: Record<string, Setting>;
  presets: Preset[];
}

export interface About {
  version: string;
  store: string;
  scale_names: string[];
  records: number;
  cores: number;
  papers?: { id: string; title: string }[];
}

export interface Factor {
  name: string;
  levels: string[];
  periodic: boolean;
}

export interface Plane {
  rows: number;
  columns: number;
  fixed: number[];
}

/** Labels of a combination; null where a factor is absent. */
export type Labels = (string | null)[];

export interface Shown {
  combination: (number | null)[] | null;
  labels: Labels | null;
  picture: Picture;
}

export interface ProblemAnswer {
  problem: Problem;
  yaml: string;
  digest: string;
  family: string;
  /** Networks that fit it as they are by default. */
  models: string[];
  factors: Factor[];
  plane: Plane | null;
  sections: string[];
  cells: string[][];
  counts: { shown: number; held_out: number | null; lone: number };
  certificate: { words?: string } | null;
  shown_pictures: Shown[];
}

export interface Interval {
  name: string;
  expected: number | null;
  low: number | null;
  high: number | null;
  accuracy?: number | null;
}

export interface Reason {
  name: string;
  text: string;
}

export interface ValueMap {
  quantity: string;
  /** Names of the two sides, where they are not factors of the plane. */
  axes?: { rows: string; columns: string };
  values: (number | null)[][];
}

export interface Outlook {
  verdict: string;
  composes?: boolean | null;
  calibrated: boolean;
  sections: Interval[];
  networks: Interval[];
  failures: { failure: string; text: string; share?: number | null }[];
  notes: string[];
}

export interface Threshold {
  threshold: number;
  reach: number;
  largest_share: number;
  within_reach: Record<string, number>;
  critical: number | null;
}

export interface Percolation {
  examples: number;
  density: number;
  thresholds: Threshold[];
}

export interface Forecast {
  problem: Problem;
  yaml: string;
  digest: string;
  composes: boolean | null;
  verdict: string;
  quantity: string;
  sections: Interval[];
  reasons: Reason[];
  outlook: Outlook | null;
  map: ValueMap | null;
  support: Settings | null;
  percolation: Percolation | null;
  seconds: number;
}

export interface Part {
  combination: (number | null)[];
  labels: Labels;
  weight: number;
  picture: Picture | null;
}

export interface Neighbour {
  combination: Combination;
  labels: Labels;
  distance: number;
  picture: Picture | null;
}

export interface CellAnswer {
  combination: Combination;
  labels: Labels;
  section: string;
  /** What the network is given, where that is a picture. */
  input: Picture | null;
  target: Answer | null;
  forecast: Answer | null;
  output: Answer | null;
  difference: Answer | null;
  nearest: Neighbour[];
  superposed: { of: "forecast" | "output"; parts: Part[]; residual: number } | null;
  numbers: Record<string, number | null>;
}

export type JobState = "waiting" | "running" | "paused" | "done" | "failed" | "stopped";

export interface JobRow {
  id: string;
  state: JobState;
  title: string;
  /** What tells it from others of the same title. */
  details: string;
  when: string;
  step: number;
  steps: number;
  digest: string | null;
  reason: string | null;
}

export interface Sample {
  /** Null where a task draws scenes from a continuous space. */
  combination: Combination | null;
  labels: Labels | null;
  target: Answer;
  output: Answer;
}

export type Course = Record<string, [number, number][]>;

export interface JobEvent extends JobRow {
  losses: [number, number][];
  map: ValueMap | null;
  course: Course;
  samples: Sample[];
  seconds: number | null;
  left: number | null;
}

export interface Job extends JobEvent {
  problem: Problem;
  yaml: string;
  model: Model;
  recipe: Settings;
  seed: number;
}

export interface RunRow {
  digest: string;
  title: string;
  details: string;
  task: string | null;
  model: string;
  seed: number | null;
  steps: number | null;
  status: string;
  when: string | null;
  source: "store" | "reference";
  measures: { ood: number | null; id: number | null; name: string | null };
  weights: boolean;
}

export interface RunPage {
  total: number;
  rows: RunRow[];
}

export interface Run {
  digest: string;
  title: string;
  /** Null for a calculation, which trains nothing. */
  problem: Problem | null;
  yaml: string | null;
  model: Model | null;
  recipe: Settings;
  seed: number | null;
  status: string;
  reason: string | null;
  measures: Settings;
  undefined: Settings;
  layers: string[];
  by_layer: Record<string, Record<string, number | null>>;
  losses: (number | null)[][];
  map: ValueMap | null;
  plane: Plane | null;
  samples: Sample[];
  course: Course;
  cost: Settings;
  provenance: Settings;
  command: string | null;
  weights: boolean;
  source: "store" | "reference";
}

export interface Inside {
  layers: string[];
  layer: string;
  points: number[][];
  explained: number[];
  combinations: Combination[];
  labels: Labels[];
  persistence: Record<string, [number, number | null][]> | null;
  seconds: number;
}

export interface Weights {
  layers: string[];
  layer: string;
  matrix: number[][];
  row_order: number[];
  column_order: number[];
  row_modules: number[];
  column_modules: number[];
  sorted_by: string;
}

export interface Explanation {
  verdict: string;
  shares: { failure: string; share: number | null; text: string }[];
  sentences: string[];
}

export interface Measured {
  estimate: number | null;
  low: number | null;
  high: number | null;
  seeds: number;
}

export interface Range {
  low: number | null;
  high: number | null;
}

export interface ClaimCheck {
  quantity: string;
  /** The setting, or the two that are compared. */
  of: string;
  expected: Range | string;
  source: string;
  verdict: string;
  measured: Measured | string | null;
  beside: string;
}

export interface Claim {
  id: string;
  paper: string;
  paper_title: string;
  place: string;
  says: string;
  quantity: string;
  expected: Range | string;
  source: string;
  control: string;
  verdict: string;
  control_verdict: string;
  measured: Measured | null;
  checks: ClaimCheck[];
  scale: string;
  seconds: number;
  command: string;
  figure: boolean;
}
