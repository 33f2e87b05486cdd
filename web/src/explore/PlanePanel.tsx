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
      {answer && <Quiet>{countWords(answer)}</Quiet>}
      {answer && task?.isolates && <Isolated problem={problem} factors={answer.factors} onProblem={onProblem} />}
      {answer && <ShownPictures answer={answer} />}
    </Panel>
  );
}

/** What training shows and what is held out; scenes have no certificate. */
function countWords({ counts, certificate }: ProblemAnswer): string {
  const shown = certificate?.words ?? `Training shows ${plural(counts.shown, "example")}.`;
  return counts.lone ? `${shown} It also shows ${plural(counts.lone, "example")} of a factor alone.` : shown;
}
