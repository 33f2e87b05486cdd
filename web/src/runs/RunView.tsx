import { api } from "../api/client";
import type { Problem, Run } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { CellDrawer } from "../cell/CellDrawer";
import { saveJson, saveText } from "../logic/download";
import { ExportMenu } from "../parts/ExportMenu";
import { Problematic, Quiet } from "../parts/Sentence";
import { Tabs } from "../parts/Tabs";
import { Verdict } from "../parts/Verdict";
import { readCombination, writeCombination, writeExploring } from "../state/exploring";
import { writeHash } from "../state/hash";
import type { Change } from "../state/usePlace";
import { measuresCsv } from "../logic/measures";
import { InsideTab } from "./InsideTab";
import { OverviewTab } from "./OverviewTab";
import { RecordTab } from "./RecordTab";

interface Props {
  digest: string;
  params: Record<string, string>;
  change: Change;
}

const TABS = [
  { id: "overview", title: "Overview" },
  { id: "inside", title: "Inside" },
  { id: "record", title: "Record" },
];

/** One run: what it reached, what is inside it, and where it came from. */
export function RunView({ digest, params, change }: Props) {
  const { value: run, error } = useAnswer(digest, (signal) => api.run(digest, signal));
  const problem = run?.problem ?? null;
  const about = useAnswer(problem && JSON.stringify(problem), (signal) => api.problem(problem as Problem, signal));
  const tab = TABS.some(({ id }) => id === params.tab) ? (params.tab ?? "") : "overview";
  const cell = readCombination(params.cell);
  if (!run) return error ? <Problematic sentence={error} /> : <Quiet>Reading the record…</Quiet>;

  const open = (combination: number[]) => change({ cell: writeCombination(combination) });
  return (
    <div className="run">
      <header className="run-head">
        <div>
          <h1>{run.title}</h1>
          <p className="quiet">
            Record {run.digest} ({run.source === "reference" ? "reference" : "own"})
          </p>
        </div>
        <div className="panel-tools">
          <Verdict word={run.status} />
          {explored(run) && (
            <a className="button" href={explored(run)}>
              Explore and train again
            </a>
          )}
          <a className="button" href={`#/compare?a=${run.digest}`}>
            Compare
          </a>
          <ExportMenu
            of="the run"
            ways={[
              { label: "Measures as CSV", run: () => saveText("measures.csv", measuresCsv(run.measures), "text/csv") },
              { label: "Run as JSON", run: () => saveJson("run.json", run) },
              ...(run.yaml
                ? [
                    {
                      label: "Problem as YAML",
                      run: () => saveText("problem.yaml", run.yaml ?? "", "application/yaml"),
                    },
                  ]
                : []),
            ]}
          />
        </div>
      </header>
      <Problematic sentence={run.reason} />
      <Tabs
        label="Parts of the run"
        tabs={TABS}
        chosen={tab}
        onChoose={(id) => change({ tab: id === "overview" ? null : id })}
      >
        {tab === "overview" && <OverviewTab run={run} about={about.value} onOpen={open} />}
        {tab === "inside" && <InsideTab run={run} about={about.value} params={params} change={change} />}
        {tab === "record" && <RecordTab run={run} />}
      </Tabs>
      {cell && problem && about.value && (
        <CellDrawer
          problem={problem}
          factors={about.value.factors}
          combination={cell}
          run={run.digest}
          onClose={() => change({ cell: null })}
        />
      )}
    </div>
  );
}

/** The Explore view with all that this run was trained with; undefined for a calculation. */
function explored({ problem, model, recipe, seed }: Run): string | undefined {
  if (!problem || !model) return undefined;
  return writeHash({ path: ["explore"], params: writeExploring({ problem, model, recipe, seed: seed ?? 0 }) });
}
