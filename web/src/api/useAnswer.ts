import { useEffect, useRef, useState } from "react";

export interface Asked<T> {
  /** The last good answer, kept while a newer one is on its way. */
  value: T | null;
  /** The sentence of the last failure; null once something newer was answered. */
  error: string | null;
  /** Whether `value` is not yet the answer to what is asked now. */
  pending: boolean;
}

/**
 * The answer to the question that `key` names; null asks nothing.
 *
 * Waits `delay` milliseconds for the question to settle. A newer question aborts the older one, so that a late answer
 * to an old question is never shown.
 */
export function useAnswer<T>(
  key: string | null,
  ask: (signal: AbortSignal) => Promise<T>,
  delay = 0,
): Asked<T> & { again: () => void } {
  const [state, setState] = useState<Asked<T> & { key: string | null }>({
    value: null,
    error: null,
    pending: false,
    key: null,
  });
  const [round, setRound] = useState(0);
  const asking = useRef(ask);
  asking.current = ask;

  useEffect(() => {
    if (key === null) {
      setState({ value: null, error: null, pending: false, key: null });
      return;
    }
    const abort = new AbortController();
    setState((before) => ({ ...before, pending: true }));
    const timer = setTimeout(() => {
      asking.current(abort.signal).then(
        (value) => abort.signal.aborted || setState({ value, error: null, pending: false, key }),
        (error: unknown) => {
          if (abort.signal.aborted) return;
          setState((before) => ({ ...before, error: messageOf(error), pending: false, key }));
        },
      );
    }, delay);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, delay, round]);

  return {
    ...state,
    pending: state.pending || (key !== null && state.key !== key),
    again: () => setRound((n) => n + 1),
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
