import { useRef } from "react";
import { api } from "../api/client";
import type { Run } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { LineChart } from "../charts/LineChart";
import { errorDomain } from "../logic/colour";
import { csv } from "../logic/csv";
import { differences } from "../logic/differences";
import { saveJson, saveSvg, saveText } from "../logic/download";
import { lossSeries } from "../logic/losses";
import { pairedMeasures } from "../logic/measures";
import { ExportMenu } from "../parts/ExportMenu";
import { Panel } from "../parts/Panel";
import { Quiet } from "../parts/Sentence";
import type { Change } from "../state/usePlace";
import { MeasurePairs } from "./MeasurePairs";
import { RunPicker } from "./RunPicker";
import { RunSide } from "./RunSide";

interface Props {
  params: Record<string, string>;
  change: Change;
}

/** Two runs beside each other: what differs, their errors on one scale, their losses and their measures. */
export function CompareView({ params, change }: Props) {
  const a = useRun(params.a);
  const b = useRun(params.b);
  const loss = useRef<SVGSVGElement>(null);
  const both = a.value && b.value ? ([a.value, b.value] as const) : null;
  const domain = errorDomain(
    a.value?.map?.quantity ?? "",
    [a.value, b.value].flatMap((run) => run?.map?.values.flat() ?? []),
  );
  const series = both ? [...lossSeries(both[0].losses, "first"), ...lossSeries(both[1].losses, "second")] : [];

  return (
    <div className="compare">
      <h1>Compare two runs</h1>
      <div className="compare-pair">
        <RunPicker title="First run" run={a.value} error={a.error} onChoose={(digest) => change({ a: digest })} />
        <RunPicker title="Second run" run={b.value} error={b.error} onChoose={(digest) => change({ b: digest })} />
      </div>
      {!both && <Quiet>Choose two runs to see them side by side.</Quiet>}
      {both && (
        <>
          <Panel title="What differs">
            <Differences a={both[0]} b={both[1]} />
          </Panel>
          <div className="compare-pair">
            <RunSide title="First" run={both[0]} domain={domain} />
            <RunSide title="Second" run={both[1]} domain={domain} />
          </div>
          {series.some(({ points }) => points.length > 0) && (
            <Panel
              title="Loss"
              tools={
                <ExportMenu
                  of="both losses"
                  ways={[{ label: "PNG", run: () => (loss.current ? saveSvg("losses.png", loss.current) : undefined) }]}
                />
              }
            >
              <LineChart label="Loss of both trainings" x="Step" y="Loss" series={series} log svg={loss} height={320} />
            </Panel>
          )}
          <Panel
            title="Measures"
            tools={
              <ExportMenu
                of="the comparison"
                ways={[
                  {
                    label: "Measures as CSV",
                    run: () =>
                      saveText(
                        "comparison.csv",
                        csv(
                          ["measure", "first", "second"],
                          pairedMeasures(both[0].measures, both[1].measures).map((row) => [row.name, row.a, row.b]),
                        ),
                        "text/csv",
                      ),
                  },
                  { label: "Both runs as JSON", run: () => saveJson("comparison.json", both) },
                ]}
              />
            }
          >
            <MeasurePairs pairs={pairedMeasures(both[0].measures, both[1].measures)} />
          </Panel>
        </>
      )}
    </div>
  );
}

function useRun(digest: string | undefined) {
  return useAnswer<Run>(digest || null, (signal) => api.run(digest ?? "", signal));
}

function Differences({ a, b }: { a: Run; b: Run }) {
  const said = ({ problem, model, recipe, seed }: Run) => ({ problem, model, recipe, seed });
  const rows = differences(said(a), said(b));
  if (!rows.length) return <Quiet>Both runs have the same problem, network, recipe and seed.</Quiet>;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">First</th>
            <th scope="col">Second</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td>{row.a}</td>
              <td>{row.b}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
