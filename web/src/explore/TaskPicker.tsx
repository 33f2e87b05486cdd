import { useRef } from "react";
import type { Catalogue, Json, Preset, Problem, Settings } from "../api/types";
import { rescale } from "../logic/regionKinds";
import { SelectField } from "../parts/Fields";
import { SettingsForm } from "../parts/SettingsForm";
import { ProblemText } from "./ProblemText";

interface Props {
  catalogue: Catalogue;
  preset: Preset;
  problem: Problem;
  onPreset: (id: string) => void;
  onProblem: (problem: Problem) => void;
}

const TASK = "task:";

/** The problem's task: a preset, or any task with its settings. */
export function TaskPicker({ catalogue, preset, problem, onPreset, onProblem }: Props) {
  const kind = String(problem.task.kind ?? "");
  const task = catalogue.tasks.find(({ name }) => name === kind);
  const ofPreset = preset.problem.task.kind === kind;
  const drawable = catalogue.tasks.filter((each) => each.drawable || each.name === kind);
  const options = [
    ...catalogue.presets.map(({ id, title }) => ({ value: id, label: title, group: "Presets" })),
    ...drawable.map(({ name }) => ({ value: TASK + name, label: name, group: "All tasks" })),
  ];

  const choose = (value: string) => {
    if (!value.startsWith(TASK)) return onPreset(value);
    const name = value.slice(TASK.length);
    const known = catalogue.presets.find((each) => each.problem.task.kind === name);
    if (known) onPreset(known.id);
    else onProblem({ task: { kind: name }, split: { kind: "random", fraction: 0.3, seed: 1 } });
  };
  // Sizes that are tried one after the other all begin at the region that a person made, so that none is lost.
  const made = useRef<{ split: Settings; n: number; scaled: string } | null>(null);
  const resized = (to: Json | undefined): Settings | undefined => {
    const from = problem.task.n ?? task?.settings.n?.default;
    if (typeof to !== "number" || typeof from !== "number" || !problem.split) return undefined;
    const begun =
      made.current?.scaled === JSON.stringify(problem.split) ? made.current : { split: problem.split, n: from };
    const scaled = begun.n === to ? begun.split : rescale(begun.split, begun.n, to);
    made.current = { ...begun, scaled: JSON.stringify(scaled) };
    return scaled;
  };
  const set = (name: string, value: Json | undefined) => {
    const next: Settings = { ...problem.task };
    if (value === undefined) delete next[name];
    else next[name] = value;
    const split = name === "n" ? resized(value ?? task?.settings.n?.default) : undefined;
    onProblem({ ...problem, task: next, ...(split ? { split } : {}) });
  };

  return (
    <section className="picker" aria-label="Problem">
      <div className="picker-row">
        <SelectField label="Task" value={ofPreset ? preset.id : TASK + kind} options={options} onChange={choose} />
        <p className="picker-says">{ofPreset ? preset.says : task?.says}</p>
      </div>
      <details className="more">
        <summary>Settings of the task, and the problem as text</summary>
        {task && <SettingsForm key={kind} settings={task.settings} values={problem.task} onChange={set} />}
        <ProblemText problem={problem} onProblem={onProblem} />
      </details>
    </section>
  );
}
