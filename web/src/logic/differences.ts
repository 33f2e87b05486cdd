// Where two descriptions differ, setting by setting.

export interface Difference {
  name: string;
  a: string;
  b: string;
}

const NONE = "–";

/** Dotted names of the settings that differ, with both values as text; what one side lacks is a dash. */
export function differences(a: unknown, b: unknown, name = ""): Difference[] {
  if (isMapping(a) || isMapping(b)) {
    const [left, right] = [isMapping(a) ? a : {}, isMapping(b) ? b : {}];
    const kinds = isMapping(a) && isMapping(b) ? [] : shown(a, b, name);
    if (kinds.length && a !== undefined && b !== undefined) return kinds;
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((key) =>
      differences(left[key], right[key], name ? `${name}.${key}` : key),
    );
  }
  return shown(a, b, name);
}

function shown(a: unknown, b: unknown, name: string): Difference[] {
  const [left, right] = [said(a), said(b)];
  return left === right ? [] : [{ name, a: left, b: right }];
}

function said(value: unknown): string {
  if (value === undefined || value === null) return NONE;
  return typeof value === "string" ? value : JSON.stringify(value).replaceAll(",", ", ");
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
