import { api } from "../api/client";
import type { Catalogue, RunRow } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { csv } from "../logic/csv";
import { saveJson, saveText } from "../logic/download";
import { plural } from "../logic/format";
import { ExportMenu } from "../parts/ExportMenu";
import { SelectField, TextField } from "../parts/Fields";
import { Panel } from "../parts/Panel";
import { Problematic, Quiet } from "../parts/Sentence";
import { wholeNumber } from "../state/exploring";
import type { Change } from "../state/usePlace";
import { RunTable } from "./RunTable";

interface Props {
  params: Record<string, string>;
  change: Change;
  catalogue: Catalogue | null;
  papers: { id: string; title: string }[];
}

const PAGE = 25;

/** Every recorded run, to be searched, opened and chosen for comparison. */
export function RunsView({ params, change, catalogue, papers }: Props) {
  const offset = wholeNumber(params.offset) ?? 0;
  const { query = "", task = "", model = "", paper = "" } = params;
  const asked = { offset, limit: PAGE, query, task, model, paper };
  const { value, error, pending } = useAnswer(JSON.stringify(asked), (signal) => api.runs(asked, signal), 150);
  const chosen = (params.chosen ?? "").split(",").filter(Boolean);
  const filter = (name: string) => (text: string) => change({ [name]: text, offset: null });
  const toggle = (digest: string) => {
    const without = chosen.filter((each) => each !== digest);
    change({ chosen: (without.length < chosen.length ? without : [...chosen, digest].slice(-2)).join(",") });
  };
  const any = (label: string, names: string[]) => [
    { value: "", label },
    ...names.map((name) => ({ value: name, label: name })),
  ];

  return (
    <Panel
      title="Runs"
      tools={
        value && (
          <ExportMenu
            of="these runs"
            ways={[
              { label: "Rows as CSV", run: () => saveText("runs.csv", table(value.rows), "text/csv") },
              { label: "Rows as JSON", run: () => saveJson("runs.json", value) },
            ]}
          />
        )
      }
    >
      <div className="fields">
        <TextField
          label="Search"
          type="search"
          value={query}
          placeholder="words, a digest…"
          onChange={filter("query")}
        />
        <SelectField
          label="Task"
          value={task}
          options={any("any task", catalogue?.tasks.map(({ name }) => name) ?? [])}
          onChange={filter("task")}
        />
        <SelectField
          label="Network"
          value={model}
          options={any("any network", catalogue?.models.map(({ name }) => name) ?? [])}
          onChange={filter("model")}
        />
        <SelectField
          label="Paper"
          value={paper}
          options={[{ value: "", label: "any paper" }, ...papers.map(({ id, title }) => ({ value: id, label: title }))]}
          onChange={filter("paper")}
        />
      </div>
      <Problematic sentence={error} />
      {value && (
        <div className={pending ? "faded" : undefined} aria-busy={pending}>
          <div className="runs-bar">
            <p role="status">
              {value.total === 0
                ? "No run matches."
                : `${offset + 1} to ${offset + value.rows.length} of ${plural(value.total, "run")}`}
            </p>
            <Compare chosen={chosen} />
          </div>
          <RunTable rows={value.rows} chosen={chosen} onToggle={toggle} />
          <nav className="pager" aria-label="Pages of runs">
            <button
              type="button"
              disabled={offset === 0}
              onClick={() => change({ offset: String(Math.max(0, offset - PAGE)) })}
            >
              Earlier rows
            </button>
            <button
              type="button"
              disabled={offset + PAGE >= value.total}
              onClick={() => change({ offset: String(offset + PAGE) })}
            >
              Further rows
            </button>
          </nav>
        </div>
      )}
      {!value && !error && <Quiet>Reading the records…</Quiet>}
    </Panel>
  );
}

function Compare({ chosen }: { chosen: string[] }) {
  if (chosen.length < 2) return <span className="quiet">Tick two runs to compare them.</span>;
  return (
    <a className="button button-main" href={`#/compare?a=${chosen[0]}&b=${chosen[1]}`}>
      Compare the two
    </a>
  );
}

function table(rows: RunRow[]): string {
  return csv(
    ["digest", "title", "task", "model", "seed", "steps", "status", "when", "source", "measure", "id", "ood"],
    rows.map((row) => [
      row.digest,
      row.title,
      row.task,
      row.model,
      row.seed,
      row.steps,
      row.status,
      row.when,
      row.source,
      row.measures.name,
      row.measures.id,
      row.measures.ood,
    ]),
  );
}
