import type { Json, Run, Settings } from "../api/types";
import { duration, number, words } from "../logic/format";
import { Command } from "../parts/Command";
import { Panel } from "../parts/Panel";
import { Quiet } from "../parts/Sentence";

/** Where a run came from, and how to have it again. */
export function RecordTab({ run }: { run: Run }) {
  return (
    <div className="run-grid">
      <Panel title="The command that reproduces it" className="wide">
        {run.command ? (
          <Command text={run.command} />
        ) : (
          <Quiet>
            No single command says all of this run; `recombine reproduce` makes it again as a part of its claim.
          </Quiet>
        )}
      </Panel>
      {run.yaml && (
        <Panel title="Problem">
          <pre>{run.yaml}</pre>
        </Panel>
      )}
      <Panel title="Network and recipe">
        <pre>{JSON.stringify({ model: run.model, recipe: run.recipe, seed: run.seed }, null, 2)}</pre>
      </Panel>
      <Panel title="Cost">
        <Facts facts={run.cost} />
      </Panel>
      <Panel title="Provenance">
        <Facts facts={run.provenance} />
      </Panel>
      {Object.keys(run.undefined).length > 0 && (
        <Panel title="Not defined for this run" className="wide">
          <Facts facts={run.undefined} />
        </Panel>
      )}
    </div>
  );
}

function Facts({ facts }: { facts: Settings }) {
  return (
    <dl className="facts">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd>{said(name, value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function said(name: string, value: Json): string {
  if (typeof value === "number") return name.endsWith("seconds") ? duration(value) : number(value, 4);
  return typeof value === "string" ? value : JSON.stringify(value);
}
