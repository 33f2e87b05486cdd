import type { Series } from "../charts/LineChart";

/** Rows of step, loss and, where it was measured, error on what is held out, as curves. */
export function lossSeries(rows: (number | null)[][], prefix = ""): Series[] {
  const curve = (column: number): [number, number][] =>
    rows.flatMap((row): [number, number][] => {
      const [step, value] = [row[0], row[column]];
      return typeof step === "number" && typeof value === "number" ? [[step, value]] : [];
    });
  const error = curve(2);
  const loss = { name: prefix || "loss", points: curve(1) };
  return error.length ? [loss, { name: prefix ? `${prefix}, held out` : "held-out error", points: error }] : [loss];
}
