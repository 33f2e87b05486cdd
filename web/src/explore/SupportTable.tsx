import type { Json, Settings } from "../api/types";
import { capital, number, words } from "../logic/format";

/** What was found about the training support, a line each. */
export function SupportTable({ support }: { support: Settings }) {
  const rows = Object.entries(support).filter(([, value]) => value !== null && !isLarge(value));
  if (!rows.length) return null;
  return (
    <>
      <h3>Support</h3>
      <dl className="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{capital(words(name))}</dt>
            <dd>{said(value)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Maps and long lists are for the JSON. */
function isLarge(value: Json): boolean {
  return Array.isArray(value) && (value.length > 8 || value.some((each) => typeof each === "object"));
}

function said(value: Json): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return value.length ? value.map(said).join(", ") : "none";
  if (value !== null && typeof value === "object") {
    return (
      Object.entries(value)
        .map(([name, each]) => `${words(name)} ${said(each)}`)
        .join("; ") || "none"
    );
  }
  return value ?? "–";
}
