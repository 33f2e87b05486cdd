// Tables as comma-separated values (RFC 4180), safe to open in a spreadsheet.

export type Cell = string | number | boolean | null | undefined;

export function csv(columns: string[], rows: Cell[][]): string {
  return [columns, ...rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

function field(value: Cell): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  // A spreadsheet would run text that begins like a formula.
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A row per cell of a map: its two levels and its value. */
export function mapRows(values: (number | null)[][], rows: string[], columns: string[]): Cell[][] {
  return values.flatMap((line, row) =>
    line.map((value, column): Cell[] => [rows[row] ?? row, columns[column] ?? column, value]),
  );
}
