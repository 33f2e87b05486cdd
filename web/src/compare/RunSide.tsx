import { useRef } from "react";
import { api } from "../api/client";
import type { Combination, Problem, Run } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { saveSvg } from "../logic/download";
import { ErrorMap } from "../parts/ErrorMap";
import { ExportMenu } from "../parts/ExportMenu";
import { Panel } from "../parts/Panel";
import { Samples } from "../parts/Samples";
import { Quiet } from "../parts/Sentence";
import { modelName, writeCombination } from "../state/exploring";

interface Props {
  title: string;
  run: Run;
  /** The colour scale of both sides. */
  domain: [number, number];
}

/** One of two runs: its error map and some answers. */
export function RunSide({ title, run, domain }: Props) {
  const svg = useRef<SVGSVGElement>(null);
  const { problem } = run;
  const about = useAnswer(problem && JSON.stringify(problem), (signal) => api.problem(problem as Problem, signal));
  const open = (combination: Combination) => {
    location.hash = `#/run/${run.digest}?cell=${writeCombination(combination)}`;
  };
  return (
    <Panel
      title={`${title}: ${run.model ? modelName(run.model) : run.title}`}
      tools={
        run.map && (
          <ExportMenu
            of={`the ${title.toLowerCase()} error map`}
            ways={[{ label: "PNG", run: () => (svg.current ? saveSvg("error-map.png", svg.current) : undefined) }]}
          />
        )
      }
    >
      {run.map ? (
        <ErrorMap about={about.value} map={run.map} domain={domain} svg={svg} onOpen={open} />
      ) : (
        <Quiet>No map of errors was recorded.</Quiet>
      )}
      {run.samples.length > 0 && (
        <Samples samples={run.samples.slice(0, 3)} names={about.value?.factors.map(({ name }) => name) ?? []} />
      )}
    </Panel>
  );
}
