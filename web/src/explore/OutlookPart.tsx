import type { RefObject } from "react";
import type { Outlook } from "../api/types";
import { IntervalChart } from "../charts/IntervalChart";
import { capital, minus, percent, sectionWords } from "../logic/format";

/** What trained networks should reach, by trials with similar problems. */
export function OutlookPart({ outlook, svg }: { outlook: Outlook; svg: RefObject<SVGSVGElement | null> }) {
  return (
    <>
      <h3>What trained networks should reach</h3>
      <p>{minus(outlook.verdict)}</p>
      {!outlook.calibrated && <p className="quiet">These numbers are not calibrated by trials of such tasks.</p>}
      <IntervalChart
        label="Expected held-out performance by section and by network"
        quantity="Performance (1 perfect, 0 knows nothing)"
        rows={[...outlook.sections.map((row) => ({ ...row, name: sectionWords(row.name) })), ...outlook.networks]}
        marks={[0, 1]}
        svg={svg}
      />
      {outlook.failures.length > 0 && (
        <dl className="reasons">
          {outlook.failures.map((failure) => (
            <div key={failure.failure}>
              <dt>
                Expected failure: {failure.failure}
                {typeof failure.share === "number" && ` (${percent(failure.share)})`}
              </dt>
              <dd>{capital(minus(failure.text))}</dd>
            </div>
          ))}
        </dl>
      )}
      {outlook.notes.map((note) => (
        <p className="quiet" key={note}>
          {note}
        </p>
      ))}
    </>
  );
}
