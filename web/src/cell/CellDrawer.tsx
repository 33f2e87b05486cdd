import { useEffect, useRef } from "react";
import { api, type CellQuestion } from "../api/client";
import type { Combination, Factor, Problem } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { combinationWords } from "../logic/format";
import { saveJson } from "../logic/download";
import { labelsOf } from "../logic/plane";
import { ExportMenu } from "../parts/ExportMenu";
import { Icon } from "../parts/Icon";
import { Problematic, Quiet } from "../parts/Sentence";
import { CellContent } from "./CellContent";
import { saveAnswers } from "./saveAnswers";

interface Props {
  problem: Problem;
  factors: Factor[];
  combination: Combination;
  run?: string | undefined;
  job?: string | undefined;
  /** Changes when the answer may have changed, as when a training ends. */
  stamp?: string | undefined;
  onClose: () => void;
}

/** One cell beside the plane: what it should be, what came out, and of what that is made. */
export function CellDrawer({ problem, factors, combination, run, job, stamp, onClose }: Props) {
  const question: CellQuestion = { problem, combination, ...(run ? { run } : {}), ...(job ? { job } : {}) };
  const { value, error, pending, again } = useAnswer(
    `${JSON.stringify(question)} ${stamp ?? ""}`,
    (signal) => api.cell(question, signal),
    50,
  );
  const frame = useRef<HTMLElement>(null);
  const before = useRef<Element | null>(null);
  const names = factors.map(({ name }) => name);
  const title = combinationWords(names, labelsOf(factors, combination));

  useEffect(() => {
    before.current = document.activeElement;
    frame.current?.focus({ preventScroll: true });
    const key = (event: KeyboardEvent) => event.key === "Escape" && close.current();
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  const close = useRef(onClose);
  close.current = () => {
    if (before.current instanceof HTMLElement || before.current instanceof SVGElement)
      before.current.focus({ preventScroll: true });
    onClose();
  };

  return (
    <aside className="drawer" ref={frame} tabIndex={-1} aria-label={`Cell ${title}`}>
      <header className="drawer-head">
        <h2>{title}</h2>
        <div className="panel-tools">
          {job && stamp === "running" && (
            <button type="button" className="button-quiet" onClick={again}>
              Refresh
            </button>
          )}
          {value && (
            <ExportMenu
              of="the cell"
              ways={[
                { label: "Pictures as PNG", run: () => saveAnswers("cell.png", value) },
                { label: "Cell as JSON", run: () => saveJson("cell.json", value) },
              ]}
            />
          )}
          <button type="button" className="button-quiet" aria-label="Close the cell" onClick={() => close.current()}>
            <Icon name="close" />
          </button>
        </div>
      </header>
      <Problematic sentence={error} />
      {!value && !error && <Quiet>Looking into the cell…</Quiet>}
      {value && (
        <div className={pending ? "faded" : undefined} aria-busy={pending}>
          <CellContent cell={value} names={names} />
        </div>
      )}
    </aside>
  );
}
