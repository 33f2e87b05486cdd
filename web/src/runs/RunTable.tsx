import type { RunRow } from "../api/types";
import { moment, number } from "../logic/format";
import { Verdict } from "../parts/Verdict";

interface Props {
  rows: RunRow[];
  chosen: string[];
  onToggle: (digest: string) => void;
}

/** A row per run; on a narrow page, a card per run. */
export function RunTable({ rows, chosen, onToggle }: Props) {
  if (!rows.length) return null;
  return (
    <table className="stacked">
      <thead>
        <tr>
          <th scope="col">Compare</th>
          <th scope="col">Run</th>
          <th scope="col" className="right">
            Steps
          </th>
          <th scope="col" className="right">
            Shown
          </th>
          <th scope="col" className="right">
            Held out
          </th>
          <th scope="col">Measure</th>
          <th scope="col">Status</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.digest}>
            <td data-label="Compare">
              <input
                type="checkbox"
                aria-label={`Compare ${row.title}${row.details && `, ${row.details}`}`}
                checked={chosen.includes(row.digest)}
                onChange={() => onToggle(row.digest)}
              />
            </td>
            <td data-label="Run" className="run-name">
              <a href={`#/run/${row.digest}`}>{row.title}</a>
              {row.details && <small>{row.details}</small>}
              <small>
                {row.digest}, {row.source === "reference" ? "reference" : "own"}
                {row.weights ? ", with weights" : ""}
              </small>
            </td>
            <td data-label="Steps" className="right">
              {row.steps?.toLocaleString("en-GB") ?? "–"}
            </td>
            <td data-label="Shown" className="right">
              {number(row.measures.id)}
            </td>
            <td data-label="Held out" className="right">
              {number(row.measures.ood)}
            </td>
            <td data-label="Measure">{row.measures.name ?? "–"}</td>
            <td data-label="Status">
              <Verdict word={row.status} />
            </td>
            <td data-label="When">{moment(row.when)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
