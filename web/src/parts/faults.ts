import { createContext, useCallback, useState } from "react";

export type Report = (field: string, fault: string | null) => void;

/** Where a field says what is wrong with it; whoever uses its value asks there. */
export const Faults = createContext<Report>(() => undefined);

/** The first fault of the fields inside, and what to give to them as `Faults`. */
export function useFaults(): { fault: string | null; report: Report } {
  const [faults, setFaults] = useState<Record<string, string>>({});
  const report = useCallback<Report>((field, fault) => {
    setFaults(({ [field]: before, ...others }) => (fault === null ? others : { ...others, [field]: fault }));
  }, []);
  return { fault: Object.values(faults)[0] ?? null, report };
}
