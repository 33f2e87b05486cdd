// Asking the server. An error is the sentence that the server wrote, or one that says that it is gone.
import type {
  About,
  Catalogue,
  CellAnswer,
  Claim,
  Combination,
  Explanation,
  Forecast,
  Inside,
  Job,
  JobRow,
  Model,
  Plane,
  Problem,
  ProblemAnswer,
  Run,
  RunPage,
  Settings,
  Weights,
} from "./types";

export class ServerError extends Error {
  constructor(
    sentence: string,
    readonly status: number,
  ) {
    super(sentence);
  }
}

function token(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="recombine-token"]')?.content ?? "";
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ServerError(
      "The explorer's server does not answer; start `recombine explore` again and reload this page.",
      0,
    );
  }
  const text = await response.text();
  if (!response.ok) throw new ServerError(sentenceOf(text, response.status), response.status);
  return JSON.parse(text) as T;
}

/** The sentence in an error's body; a server in between may have sent something else. */
export function sentenceOf(body: string, status: number): string {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === "object" && parsed !== null && "error" in parsed && typeof parsed.error === "string") {
      return parsed.error;
    }
  } catch {
    // Not JSON: said below.
  }
  return `The server answered with status ${status} and no explanation.`;
}

function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, signal ? { signal } : {});
}

function post<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Recombine-Token": token() },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

function query(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  return given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
}

const part = encodeURIComponent;

export interface CellQuestion {
  problem: Problem;
  combination: Combination;
  run?: string;
  job?: string;
}

export interface TrainQuestion {
  problem: Problem;
  model: Model;
  recipe: Settings;
  seed: number;
}

export const api = {
  about: (signal?: AbortSignal) => get<About>("/api/about", signal),
  catalogue: (signal?: AbortSignal) => get<Catalogue>("/api/catalogue", signal),
  problem: (problem: Problem, signal?: AbortSignal, plane?: Plane | null) =>
    post<ProblemAnswer>("/api/problem", { problem, ...(plane ? { plane } : {}) }, signal),
  forecast: (problem: Problem, signal?: AbortSignal, plane?: Plane | null) =>
    post<Forecast>("/api/forecast", { problem, ...(plane ? { plane } : {}) }, signal),
  cell: (question: CellQuestion, signal?: AbortSignal) => post<CellAnswer>("/api/cell", question, signal),
  train: (question: TrainQuestion) => post<{ job: string }>("/api/train", question),
  jobs: (signal?: AbortSignal) => get<JobRow[]>("/api/jobs", signal),
  job: (id: string, signal?: AbortSignal) => get<Job>(`/api/jobs/${part(id)}`, signal),
  command: (id: string, verb: "stop" | "resume" | "discard") => post<unknown>(`/api/jobs/${part(id)}/${verb}`, {}),
  runs: (asked: Record<string, string | number>, signal?: AbortSignal) =>
    get<RunPage>(`/api/runs${query(asked)}`, signal),
  run: (digest: string, signal?: AbortSignal) => get<Run>(`/api/runs/${part(digest)}`, signal),
  inside: (digest: string, layer: string, signal?: AbortSignal) =>
    get<Inside>(`/api/runs/${part(digest)}/inside${query({ layer })}`, signal),
  weights: (digest: string, layer: string, signal?: AbortSignal) =>
    get<Weights>(`/api/runs/${part(digest)}/weights${query({ layer })}`, signal),
  explain: (digest: string, signal?: AbortSignal) => get<Explanation>(`/api/runs/${part(digest)}/explain`, signal),
  claims: (scale: string, signal?: AbortSignal) => get<Claim[]>(`/api/claims${query({ scale })}`, signal),
  figure: (claim: string, scale: string) => `/api/claims/${part(claim)}/figure.svg${query({ scale })}`,
  events: (id: string) => `/api/jobs/${part(id)}/events`,
};
