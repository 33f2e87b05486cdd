import { useRef } from "react";
import { api } from "../api/client";
import type { Combination, ProblemAnswer, Run } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { LineChart } from "../charts/LineChart";
import { csv, mapRows } from "../logic/csv";
import { saveSvg, saveText } from "../logic/download";
import { lossSeries } from "../logic/losses";
import { number, percent, words } from "../logic/format";
import { isTrained, nothingInside, WITHOUT_WEIGHTS } from "../logic/looks";
import { flatMeasures } from "../logic/measures";
import { drawnPlane } from "../logic/plane";
import { ErrorMap } from "../parts/ErrorMap";
import { ExportMenu } from "../parts/ExportMenu";
import { Panel } from "../parts/Panel";
import { Samples } from "../parts/Samples";
import { Problematic, Quiet } from "../parts/Sentence";

interface Props {
  run: Run;
  about: ProblemAnswer | null;
  onOpen: (combination: Combination) => void;
}

/** What a run reached: errors on the plane, the loss, some answers, its measures, and why it failed if it did. */
export function OverviewTab({ run, about, onOpen }: Props) {
  const map = useRef<SVGSVGElement>(null);
  const loss = useRef<SVGSVGElement>(null);
  const explanation = useAnswer(isTrained(run) ? run.digest : null, (signal) => api.explain(run.digest, signal));
  const measures = flatMeasures(run.measures).filter(({ value }) => value !== null);
  const drawn = drawnPlane(about);
  const names = about?.factors.map(({ name }) => name) ?? [];

  return (
    <div className="run-grid">
      {run.map && (
        <Panel
          title="Error on every cell"
          tools={
            <ExportMenu
              of="the error map"
              ways={[
                { label: "PNG", run: () => (map.current ? saveSvg("error-map.png", map.current) : undefined) },
                {
                  label: "CSV",
                  run: () =>
                    saveText(
                      "error-map.csv",
                      csv(
                        [drawn?.rows.name ?? "row", drawn?.columns.name ?? "column", run.map?.quantity ?? ""],
                        mapRows(run.map?.values ?? [], drawn?.rows.levels ?? [], drawn?.columns.levels ?? []),
                      ),
                      "text/csv",
                    ),
                },
              ]}
            />
          }
        >
          <ErrorMap about={about} map={run.map} svg={map} onOpen={onOpen} />
        </Panel>
      )}
      <div className="run-column">
        {run.losses.length > 0 && (
          <Panel
            title="Loss"
            tools={
              <ExportMenu
                of="the loss"
                ways={[
                  { label: "PNG", run: () => (loss.current ? saveSvg("loss.png", loss.current) : undefined) },
                  {
                    label: "CSV",
                    run: () => saveText("loss.csv", csv(["step", "loss", "without penalties"], run.losses), "text/csv"),
                  },
                ]}
              />
            }
          >
            <LineChart
              label="Loss of the training"
              x="Step"
              y="Loss"
              series={lossSeries(run.losses)}
              log
              svg={loss}
              height={320}
            />
          </Panel>
        )}
        <Panel title="Which failure it is">
          <Problematic sentence={explanation.error} />
          {explanation.value ? (
            <>
              <p>{explanation.value.verdict}</p>
              <dl className="reasons">
                {explanation.value.shares.map((share) => (
                  <div key={share.failure}>
                    <dt>
                      {words(share.failure)}: {percent(share.share)}
                    </dt>
                    <dd>{share.text}</dd>
                  </div>
                ))}
              </dl>
            </>
          ) : (
            !explanation.error && (
              <Quiet>{isTrained(run) ? "Looking for the failure…" : (nothingInside(run) ?? WITHOUT_WEIGHTS)}</Quiet>
            )
          )}
        </Panel>
      </div>
      {run.samples.length > 0 && (
        <Panel title="Answers" className="wide">
          <Samples samples={run.samples} names={names} />
        </Panel>
      )}
      <Panel title="Measures" className="wide">
        {measures.length === 0 && <Quiet>No measures were recorded.</Quiet>}
        <dl className="facts facts-columns">
          {measures.map(({ name, value }) => (
            <div key={name}>
              <dt>{words(name)}</dt>
              <dd>{number(value)}</dd>
            </div>
          ))}
        </dl>
      </Panel>
    </div>
  );
}
