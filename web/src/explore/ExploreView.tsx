import { useCallback, useEffect, useMemo } from "react";
import { api } from "../api/client";
import type { Catalogue, Combination, Problem } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { useJob } from "../api/useJob";
import { CellDrawer } from "../cell/CellDrawer";
import { Faults, useFaults } from "../parts/faults";
import {
  type Exploring,
  modelName,
  readCombination,
  readExploring,
  readPlane,
  unreadParts,
  writeCombination,
  writeExploring,
  writePlane,
} from "../state/exploring";
import { Problematic } from "../parts/Sentence";
import type { Change } from "../state/usePlace";
import { ForecastPanel } from "./ForecastPanel";
import { PlanePanel } from "./PlanePanel";
import { TaskPicker } from "./TaskPicker";
import { TrainPanel } from "./TrainPanel";

interface Props {
  params: Record<string, string>;
  change: Change;
  catalogue: Catalogue;
}

const SETTLED = 120; // milliseconds without a change before the server is asked

/** Choose a problem, read its forecast, train it, and open its cells. */
export function ExploreView({ params, change, catalogue }: Props) {
  const unread = unreadParts(params, catalogue);
  const chosen = unread.includes("model") ? "" : params.model;
  const state = readExploring({ ...params, model: chosen ?? "" }, catalogue.presets);
  const key = JSON.stringify(state.problem);
  const problem = useMemo(() => JSON.parse(key) as Problem, [key]);
  const plane = readPlane(params.plane);
  const asked = `${key} ${params.plane ?? ""}`;
  const about = useAnswer(asked, (signal) => api.problem(problem, signal, plane), SETTLED);
  // Of scenes it takes many seconds, so that it waits for a person to ask; a link that has it asks too.
  const wanted = !problem.support || params.forecast === "yes";
  const ofProblem = useFaults();
  const ofTraining = useFaults();
  const forecast = useAnswer(
    wanted && !ofProblem.fault ? asked : null,
    (signal) => api.forecast(problem, signal, plane),
    SETTLED,
  );
  const { job, error: jobError } = useJob(params.job ?? null);

  // A network that nobody chose gives way to one that fits.
  const known = about.value?.problem.task.kind === problem.task.kind;
  const fitting = (known && about.value?.models) || [];
  const given = chosen || !fitting.length || fitting.includes(modelName(state.model));
  const model = given ? state.model : { kind: fitting[0] ?? "" };

  // A server that is started again has forgotten its trainings, so that a link names the record too.
  const record = job?.state === "done" ? job.digest : null;
  useEffect(() => {
    if (record) change({ record });
  }, [record, change]);

  const cell = readCombination(params.cell);
  const put = useCallback((next: Partial<Exploring>) => change(writeExploring(next)), [change]);
  const open = useCallback((combination: Combination) => change({ cell: writeCombination(combination) }), [change]);
  const trained = job && about.value?.yaml === job.yaml ? job : null;

  return (
    <div className="explore">
      {unread.length > 0 && (
        <Problematic sentence={`The link could not be read in full; left out: its ${unread.join(", ")}.`} />
      )}
      <Faults value={ofProblem.report}>
        <TaskPicker
          catalogue={catalogue}
          preset={state.preset}
          problem={problem}
          onPreset={(id) =>
            change({ preset: id, problem: null, model: null, recipe: null, cell: null, plane: null, forecast: null })
          }
          onProblem={(next) => {
            const other = next.task.kind === problem.task.kind ? {} : { model: null, recipe: null };
            change({ ...writeExploring({ problem: next }), ...other, plane: null, cell: null });
          }}
        />
      </Faults>
      <div className="explore-pair">
        <Faults value={ofProblem.report}>
          <PlanePanel
            catalogue={catalogue}
            problem={problem}
            about={about}
            forecast={forecast}
            cell={cell}
            onProblem={(next) => put({ problem: next })}
            onOpen={open}
            onPlane={(next) => change({ plane: writePlane(next) })}
          />
        </Faults>
        <ForecastPanel
          forecast={forecast}
          problem={about.value}
          wanted={wanted}
          fault={ofProblem.fault}
          onWant={() => change({ forecast: "yes" })}
        />
      </div>
      <Faults value={ofTraining.report}>
        <TrainPanel
          catalogue={catalogue}
          exploring={{ ...state, problem, model }}
          fitting={fitting.length ? fitting : null}
          ready={about.error === null && (known || !about.value)}
          fault={ofProblem.fault ?? ofTraining.fault}
          job={job}
          jobError={jobError}
          record={params.record ?? null}
          onChange={put}
          onJob={(id) => change({ job: id, record: null })}
          onShow={(shown) => change({ ...writeExploring(shown), cell: null, plane: null })}
          onOpen={open}
        />
      </Faults>
      {cell && about.value && (
        <CellDrawer
          problem={problem}
          factors={about.value.factors}
          combination={cell}
          job={trained?.id}
          stamp={trained?.state}
          onClose={() => change({ cell: null })}
        />
      )}
    </div>
  );
}
