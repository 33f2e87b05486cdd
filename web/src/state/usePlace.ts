import { useCallback, useEffect, useRef, useState } from "react";
import { type Place, readHash, writeHash } from "./hash";

const SETTLED = 300; // milliseconds; browsers refuse hundreds of changes of the address in half a minute

export type Change = (params: Record<string, string | null>) => void;

/** Where the page is, and a way to change its parameters; the address follows once they settle. */
export function usePlace(): { place: Place; change: Change; lastOf: (view: string) => string } {
  const [place, setPlace] = useState<Place>(() => readHash(location.hash));
  const latest = useRef(place);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const visited = useRef<Record<string, string>>({ [place.path[0] ?? ""]: writeHash(place) });

  const remember = useCallback((next: Place) => {
    latest.current = next;
    visited.current[next.path[0] ?? ""] = writeHash(next);
    setPlace(next);
  }, []);

  useEffect(() => {
    const moved = () => {
      clearTimeout(timer.current);
      remember(readHash(location.hash));
    };
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, [remember]);

  const change = useCallback<Change>(
    (params) => {
      const merged = { ...latest.current.params };
      for (const [name, value] of Object.entries(params)) {
        if (value === null || value === "") delete merged[name];
        else merged[name] = value;
      }
      remember({ path: latest.current.path, params: merged });
      clearTimeout(timer.current);
      timer.current = setTimeout(() => history.replaceState(null, "", writeHash(latest.current)), SETTLED);
    },
    [remember],
  );

  const lastOf = useCallback((view: string) => visited.current[view] ?? `#/${view}`, []);
  return { place, change, lastOf };
}
