import { useState } from "react";
import { api } from "../api/client";
import type { Run } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { moment, number } from "../logic/format";
import { TextField } from "../parts/Fields";
import { Panel } from "../parts/Panel";
import { Problematic, Quiet } from "../parts/Sentence";

interface Props {
  title: string;
  run: Run | null;
  error: string | null;
  onChoose: (digest: string) => void;
}

const OFFERED = 6;

/** One side of a comparison: the chosen run, and a search for another. */
export function RunPicker({ title, run, error, onChoose }: Props) {
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const searching = open || !run;
  const asked = { offset: 0, limit: OFFERED, query };
  const found = useAnswer(searching ? JSON.stringify(asked) : null, (signal) => api.runs(asked, signal), 150);
  return (
    <Panel
      title={title}
      tools={
        run && (
          <button type="button" className="button-quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            Choose another
          </button>
        )
      }
    >
      <Problematic sentence={error} />
      {run && (
        <p>
          <a href={`#/run/${run.digest}`}>{run.title}</a>{" "}
          <span className="quiet">
            seed {run.seed ?? "–"}, {run.digest}
          </span>
        </p>
      )}
      {searching && (
        <>
          <TextField
            label="Search runs"
            type="search"
            value={query}
            placeholder="words, a digest…"
            onChange={setQuery}
          />
          <Problematic sentence={found.error} />
          {found.value?.rows.length === 0 && <Quiet>No run matches.</Quiet>}
          <ul className="offers">
            {found.value?.rows.map((row) => (
              <li key={row.digest}>
                <button
                  type="button"
                  className="button-link"
                  onClick={() => {
                    setOpen(false);
                    onChoose(row.digest);
                  }}
                >
                  {row.title}
                </button>{" "}
                <span className="quiet">
                  {row.details && `${row.details}, `}
                  {moment(row.when)}
                  {row.measures.ood !== null && `, held-out ${row.measures.name ?? ""} ${number(row.measures.ood)}`}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}
