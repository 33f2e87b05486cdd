// Numbers, times and names as people read them.

const MINUS = "−";
const RAISED: Record<string, string> = {
  "-": "⁻",
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "7": "⁷",
  "8": "⁸",
  "9": "⁹",
};
const NOTHING = 1e-9; // what is left of zero after arithmetic

/** Three significant digits, plain where that is short: 0.947, 12.3, 1,234, 2.1 × 10⁻⁵; missing is a dash. */
export function number(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < NOTHING) return "0";
  const sign = value < 0 ? MINUS : "";
  if (size < 1e-3 || size >= 1e6) {
    const [mantissa = "", exponent = "0"] = size.toExponential(1).split("e");
    const raised = [...exponent.replace("+", "")].map((mark) => RAISED[mark] ?? mark).join("");
    return `${sign}${mantissa.replace(/\.0$/, "")} × 10${raised}`;
  }
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const rounded = Number(size.toFixed(places));
  return `${sign}${rounded.toLocaleString("en-GB", { maximumFractionDigits: places })}`;
}

export function interval(low: number | null | undefined, high: number | null | undefined): string {
  return `${number(low)} to ${number(high)}`;
}

/** A range that may be open at one end: "at least 0.8", "at most 0.4", "0.1 to 0.3", "exactly 1". */
export function range(low: number | null, high: number | null): string {
  if (low !== null && low === high) return `exactly ${number(low)}`;
  if (low !== null && high !== null) return interval(low, high);
  if (low !== null) return `at least ${number(low)}`;
  return high !== null ? `at most ${number(high)}` : "any value";
}

export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return "–";
  return `${number(100 * share)} %`;
}

/** "4 s", "3 min 20 s", "2 h 5 min". */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  if (seconds < 10) return `${number(seconds, 2)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
  const left = Math.round(whole / 60) % 60;
  const hours = Math.floor(Math.round(whole / 60) / 60);
  return left ? `${hours} h ${left} min` : `${hours} h`;
}

/** A day and a time of it, where the reader is: "2026-03-01 14:05". */
export function moment(when: string | null): string {
  const at = new Date(when ?? "");
  if (Number.isNaN(at.getTime())) return "–";
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

const SECTIONS: Record<string, string> = { id: "shown", ood: "held out", all: "whole space" };

/** A section of combinations as words: "ood" is "held out"; most names are words already. */
export function sectionWords(name: string): string {
  return SECTIONS[name] ?? words(name);
}

/** As many decimals as an axis of this length deserves: 2 for one from 0 to 1.5. */
export function fixed(value: number | null, length: number): string {
  if (value === null || !Number.isFinite(value)) return "–";
  if (!(length > 0) || length < 0.001 || length >= 1e6) return number(value);
  const places = Math.min(5, Math.max(0, 2 - Math.floor(Math.log10(length))));
  return (Math.abs(value) < 0.5 * 10 ** -places ? 0 : value)
    .toLocaleString("en-GB", { minimumFractionDigits: places, maximumFractionDigits: places })
    .replace("-", MINUS);
}

/** A text with a true minus before its negative numbers, which the server writes with a hyphen. */
export function minus(text: string): string {
  return text.replace(/(^|[\s(=,:[])-(?=\.?\d)/g, `$1${MINUS}`);
}

/** A name of a measure or reason as words: "ood_accuracy" is "ood accuracy". */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "x = 3, y = 5" from the labels of a combination: x first, although grids have y first. */
export function combinationWords(names: string[], labels: (string | null)[]): string {
  const said = labels.map((label, index) =>
    label === null ? `no ${names[index] ?? "factor"}` : minus(names[index] ? `${names[index]} = ${label}` : label),
  );
  return (names.join() === "y,x" ? said.toReversed() : said).join(", ");
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;
}
