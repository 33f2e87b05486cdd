import type { Percolation } from "../api/types";
import { number, percent, plural } from "../logic/format";

/** Whether what is shown hangs together, and how much of what is held out is within its reach. */
export function Connectivity({ percolation, words }: { percolation: Percolation; words: string }) {
  return (
    <>
      <h3>Connectivity</h3>
      <p className="quiet">
        {plural(percolation.examples, "centre")}, {number(percolation.density)} per pixel; two are joined where their
        pictures overlap.
      </p>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Overlap above</th>
              <th scope="col">Reach (pixels)</th>
              <th scope="col">Largest cluster</th>
              <th scope="col">Held out within reach</th>
            </tr>
          </thead>
          <tbody>
            {percolation.thresholds.map((row) => (
              <tr key={row.threshold}>
                <td>{number(row.threshold)}</td>
                <td>{number(row.reach)}</td>
                <td>{percent(row.largest_share)}</td>
                <td>{percent(row.within_reach.ood)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {words && (
        <details className="more">
          <summary>In words</summary>
          <p>{words}</p>
        </details>
      )}
    </>
  );
}
