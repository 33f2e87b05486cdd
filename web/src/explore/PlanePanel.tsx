import { useRef } from "react";
import type { Catalogue, Combination, Forecast, Plane, Problem, ProblemAnswer } from "../api/types";
import type { Asked } from "../api/useAnswer";
import { plural } from "../logic/format";
import { axesOf, combinationAt, drawnPlane, placeOf } from "../logic/plane";
import { ExportMenu } from "../parts/ExportMenu";
import { Panel } from "../parts/Panel";
import { Problematic, Quiet } from "../parts/Sentence";
import { FactorPlane } from "./FactorPlane";
import { Isolated } from "./Isolated";
import { PlaneChoice } from "./PlaneChoice";
import { planeExports } from "./planeExports";
import { RegionControls } from "./RegionControls";
import { ShownPictures } from "./ShownPictures";

interface Props {
  catalogue: Catalogue;
  problem: Problem;
  about: Asked<ProblemAnswer>;
  forecast: Asked<Forecast>;
  cell: Combination | null;
  onProblem: (problem: Problem) => void;
  onOpen: (combination: Combination) => void;
  onPlane: (plane: Plane) => void;
}

/** What is shown and what is held out, on the plane, with the forecast error of every held-out cell. */
export function PlanePanel({ catalogue, problem, about, forecast, cell, onProblem, onOpen, onPlane }: Props) {
  const svg = useRef<SVGSVGElement>(null);
  const answer = about.value;
  const drawn = drawnPlane(answer);
  const task = catalogue.tasks.find(({ name }) => name === problem.task.kind);
  const map = forecast.value?.map ?? null;
  const ways = planeExports(problem, answer, map, svg);

  return (
    <Panel title="What is held out" className="plane-panel" tools={<ExportMenu of="the problem" ways={ways} />}>
      {drawn && <RegionControls catalogue={catalogue} problem={problem} axes={axesOf(drawn)} onProblem={onProblem} />}
      {drawn && <PlaneChoice drawn={drawn} onPlane={onPlane} />}
      <Problematic sentence={about.error} />
      {!answer && !about.error && <Quiet>Reading the problem…</Quiet>}
      {drawn && answer && (
        <FactorPlane
          drawn={drawn}
          split={problem.split}
          cells={answer.cells}
          stale={about.pending}
          map={map}
          faded={forecast.pending}
          selected={placeOf(drawn, cell)}
          svg={svg}
          onSplit={(split) => onProblem({ ...problem, split })}
          onOpen={(row, column) => onOpen(combinationAt(drawn, row, column))}
        />
      )}
      {answer && (
        <Quiet>
          {plural(answer.counts.shown, answer.plane ? "combination" : "example")} shown
          {answer.counts.held_out !== null && `, ${answer.counts.held_out.toLocaleString("en-GB")} held out`}
          {answer.counts.lone > 0 && `, and ${plural(answer.counts.lone, "example")} of a factor alone`}.{" "}
          {answer.certificate?.words}
        </Quiet>
      )}
      {answer && task?.isolates && <Isolated problem={problem} factors={answer.factors} onProblem={onProblem} />}
      {answer && <ShownPictures answer={answer} />}
    </Panel>
  );
}
