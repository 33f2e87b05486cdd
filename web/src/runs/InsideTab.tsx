import { useState } from "react";
import { api } from "../api/client";
import type { ProblemAnswer, Run } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { isTrained, nothingInside, WITHOUT_WEIGHTS } from "../logic/looks";
import { SelectField } from "../parts/Fields";
import { OnDemand } from "../parts/OnDemand";
import { Panel } from "../parts/Panel";
import { Problematic, Quiet } from "../parts/Sentence";
import type { Change } from "../state/usePlace";
import { LayerMeasures } from "./LayerMeasures";
import { PersistencePanel } from "./PersistencePanel";
import { RepresentationPanel } from "./RepresentationPanel";
import { WeightsPanel } from "./WeightsPanel";

interface Props {
  run: Run;
  about: ProblemAnswer | null;
  params: Record<string, string>;
  change: Change;
}

/** What is inside a trained network: measures by layer, its representation, its shape and its weights. */
export function InsideTab({ run, about, params, change }: Props) {
  const layer = params.layer ?? "";
  const [asked, setAsked] = useState(isTrained(run));
  const nothing = nothingInside(run);
  const inside = useAnswer(asked ? `${run.digest} ${layer}` : null, (signal) => api.inside(run.digest, layer, signal));
  const layers = inside.value?.layers ?? [];
  return (
    <div className="run-grid">
      <div className="run-column">
        <LayerMeasures run={run} measure={params.measure ?? ""} onMeasure={(measure) => change({ measure })} />
        {inside.value && <PersistencePanel inside={inside.value} />}
      </div>
      <div className="run-column">
        <Panel
          title="Representation"
          tools={
            layers.length > 0 && (
              <SelectField
                label="Layer"
                value={inside.value?.layer ?? layer}
                options={layers.map((value) => ({ value, label: value }))}
                onChange={(next) => change({ layer: next })}
              />
            )
          }
        >
          <Problematic sentence={inside.error} />
          {nothing && <Quiet>{nothing}</Quiet>}
          {!asked && !nothing && (
            <OnDemand why={WITHOUT_WEIGHTS} label="Look for points that its record kept" onAsk={() => setAsked(true)} />
          )}
          {asked && !inside.value && !inside.error && <Quiet>Running the network over the grid…</Quiet>}
          {inside.value && (
            <RepresentationPanel
              inside={inside.value}
              factors={about?.factors ?? []}
              pending={inside.pending}
              colour={params.colour ?? ""}
              onColour={(colour) => change({ colour })}
              turn={params.turn ?? ""}
              onTurn={(turn) => change({ turn })}
            />
          )}
        </Panel>
        <WeightsPanel run={run} layer={params.matrix ?? ""} onLayer={(matrix) => change({ matrix })} />
      </div>
    </div>
  );
}
