import type { ClaimCheck } from "../api/types";
import { minus } from "../logic/format";
import { Verdict } from "../parts/Verdict";
import { measuredWords, quantityWords, rangeWords } from "./words";

/** The parts that a claim was judged by. */
export function ClaimChecks({ checks }: { checks: ClaimCheck[] }) {
  return (
    <div className="scroll">
      <table className="stacked">
        <thead>
          <tr>
            <th scope="col">Check</th>
            <th scope="col">Must be</th>
            <th scope="col">Measured</th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check, index) => (
            <tr key={index}>
              <th scope="row">{quantityWords(check)}</th>
              <td data-label="Must be">{rangeWords(check.expected)}</td>
              <td data-label="Measured">
                {measuredWords(check.measured)}
                {check.beside && <p className="quiet">{minus(check.beside)}</p>}
              </td>
              <td data-label="Verdict">
                <Verdict word={check.verdict} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
