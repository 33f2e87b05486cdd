import { useRef } from "react";
import type { Forecast, Interval, ProblemAnswer } from "../api/types";
import type { Asked } from "../api/useAnswer";
import { IntervalChart } from "../charts/IntervalChart";
import { csv } from "../logic/csv";
import { saveJson, saveSvg, saveText } from "../logic/download";
import { capital, duration, minus, plural, sectionWords, words } from "../logic/format";
import { ExportMenu } from "../parts/ExportMenu";
import { OnDemand } from "../parts/OnDemand";
import { Panel } from "../parts/Panel";
import { Problematic, Quiet } from "../parts/Sentence";
import { useLong } from "../parts/useLong";
import { Composes } from "../parts/Verdict";
import { Connectivity } from "./Connectivity";
import { OutlookPart } from "./OutlookPart";
import { SupportTable } from "./SupportTable";

const CONNECTIVITY = "percolation"; // a reason that has a table of its own

const LONG = 3000; // milliseconds, several times what most forecasts take

interface Props {
  forecast: Asked<Forecast> & { again: () => void };
  problem: ProblemAnswer | null;
  /** Whether it is asked for at all. */
  wanted: boolean;
  /** What is wrong with a field of the problem, so that nothing is asked. */
  fault: string | null;
  onWant: () => void;
}

/** What theory says before training: the verdict, by section, with its reasons. */
export function ForecastPanel({ forecast, problem, wanted, fault, onWant }: Props) {
  const sections = useRef<SVGSVGElement>(null);
  const networks = useRef<SVGSVGElement>(null);
  const { value, error, pending } = forecast;
  const long = useLong(wanted && pending && !fault, LONG);
  const reasons = value?.reasons.filter(({ name }) => !(value.percolation && name === CONNECTIVITY)) ?? [];
  const ways = value
    ? [
        {
          label: "Sections as PNG",
          run: () => (sections.current ? saveSvg("forecast.png", sections.current) : undefined),
        },
        ...(value.outlook?.networks.length
          ? [
              {
                label: "Networks as PNG",
                run: () => (networks.current ? saveSvg("outlook.png", networks.current) : undefined),
              },
            ]
          : []),
        { label: "Numbers as CSV", run: () => saveText("forecast.csv", numbers(value), "text/csv") },
        { label: "Forecast as JSON", run: () => saveJson("forecast.json", value) },
        { label: "Problem as YAML", run: () => saveText("problem.yaml", value.yaml, "application/yaml") },
      ]
    : [];

  return (
    <Panel title="Forecast" className="forecast-panel" tools={value && <ExportMenu of="the forecast" ways={ways} />}>
      <Problematic sentence={fault ?? (long ? null : error)} />
      {error && !long && (
        <button type="button" onClick={forecast.again}>
          Ask again
        </button>
      )}
      <p role="status" className="quiet" hidden={!long}>
        {long && longWords(problem)}
      </p>
      {wanted && !value && !error && !fault && !long && <Quiet>Working out the forecast…</Quiet>}
      {!wanted && <OnDemand why="For scenes this takes some seconds." label="Work out the forecast" onAsk={onWant} />}
      {value && (
        <div className={pending || error ? "faded" : undefined} aria-busy={pending}>
          <div className="forecast-verdict" aria-live="polite">
            <Composes composes={value.composes} />
            <p>{minus(value.verdict)}</p>
          </div>
          <h3>Expected error by section</h3>
          <IntervalChart
            label="Expected error by section"
            quantity={quantityWords(value.quantity)}
            rows={value.sections.map((row) => ({ ...row, name: sectionWords(row.name) }))}
            marks={value.quantity === "nMSE" ? [0, 1] : []}
            svg={sections}
          />
          {reasons.length > 0 && <h3>Why</h3>}
          <dl className="reasons">
            {reasons.map((reason) => (
              <div key={reason.name}>
                <dt>{capital(words(reason.name))}</dt>
                <dd>{capital(minus(reason.text))}</dd>
              </div>
            ))}
          </dl>
          {value.percolation && (
            <Connectivity
              percolation={value.percolation}
              words={value.reasons.find(({ name }) => name === CONNECTIVITY)?.text ?? ""}
            />
          )}
          {value.support && <SupportTable support={value.support} />}
          {value.outlook && <OutlookPart outlook={value.outlook} svg={networks} />}
          <Quiet>
            Worked out in {duration(value.seconds)} without training; problem {value.digest}
            {problem && problem.digest !== value.digest && " (an earlier one)"}.
          </Quiet>
        </div>
      )}
    </Panel>
  );
}

/** While it takes long: what is going on, and what to do should the server give it up. */
function longWords(problem: ProblemAnswer | null): string {
  const size = problem ? ` of ${plural(problem.counts.shown, "example")}` : "";
  return `This forecast${size} takes longer than most, and is given up if it takes too long: use fewer levels (a smaller n) or examples then, or save the problem as YAML and run \`recombine forecast problem.yaml\`.`;
}

function quantityWords(quantity: string): string {
  return quantity === "nMSE" ? "nMSE (0 perfect, 1 no better than nothing)" : quantity;
}

function numbers(forecast: Forecast): string {
  const rows = (about: string, list: Interval[]) =>
    list.map((row) => [about, row.name, row.expected, row.low, row.high, row.accuracy ?? null]);
  return csv(
    ["about", "name", "expected", "low", "high", "accuracy"],
    [
      ...rows(forecast.quantity, forecast.sections),
      ...rows("performance", forecast.outlook?.sections ?? []),
      ...rows("performance by network", forecast.outlook?.networks ?? []),
    ],
  );
}
