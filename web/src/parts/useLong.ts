import { useEffect, useState } from "react";

/** Whether something has gone on for so many milliseconds. */
export function useLong(goesOn: boolean, milliseconds: number): boolean {
  const [long, setLong] = useState(false);
  useEffect(() => {
    if (!goesOn) return;
    const timer = setTimeout(() => setLong(true), milliseconds);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [goesOn, milliseconds]);
  return goesOn && long;
}
