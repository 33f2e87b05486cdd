import { useEffect, useState } from "react";
import { api } from "./client";
import { messageOf } from "./useAnswer";
import type { Job, JobEvent, JobState } from "./types";

const FINAL: JobState[] = ["done", "failed", "stopped"];

export function isFinal(state: JobState): boolean {
  return FINAL.includes(state);
}

/** A training as it goes on: asked once, then kept up to date by the server's events. */
export function useJob(id: string | null): { job: Job | null; error: string | null } {
  const [job, setJob] = useState<Job | null>(null);
  const [error, setError] = useState<string | null>(null);

  useEffect(() => {
    setJob(null);
    setError(null);
    if (id === null) return;
    const abort = new AbortController();
    let source: EventSource | null = null;

    api.job(id, abort.signal).then(
      (first) => {
        if (abort.signal.aborted) return;
        setJob(first);
        if (isFinal(first.state)) return;
        source = new EventSource(api.events(id));
        source.onmessage = (message: MessageEvent<string>) => {
          const event = JSON.parse(message.data) as JobEvent;
          setError(null);
          setJob((before) => (before ? { ...before, ...event } : before));
          if (isFinal(event.state)) source?.close();
        };
        // The browser tries again by itself; why nothing comes is what a question is answered with.
        source.onerror = () => {
          api.job(id, abort.signal).then(
            (now) => abort.signal.aborted || (setJob(now), setError(null)),
            (failure: unknown) => abort.signal.aborted || setError(messageOf(failure)),
          );
        };
      },
      (failure: unknown) => abort.signal.aborted || setError(messageOf(failure)),
    );
    return () => {
      abort.abort();
      source?.close();
    };
  }, [id]);

  return { job, error };
}
