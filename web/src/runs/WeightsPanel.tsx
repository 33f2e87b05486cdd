import { useRef, useState } from "react";
import { api } from "../api/client";
import type { Run } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { MatrixView } from "../charts/MatrixView";
import { csv } from "../logic/csv";
import { captioned, saveCanvas, saveText } from "../logic/download";
import { hasMatrices, noMatrices, WITHOUT_WEIGHTS } from "../logic/looks";
import { ExportMenu } from "../parts/ExportMenu";
import { SelectField } from "../parts/Fields";
import { OnDemand } from "../parts/OnDemand";
import { Panel } from "../parts/Panel";
import { Problematic, Quiet } from "../parts/Sentence";

interface Props {
  run: Run;
  layer: string;
  onLayer: (layer: string) => void;
}

/** A weight matrix with its units sorted by the module they belong to. */
export function WeightsPanel({ run, layer, onLayer }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [asked, setAsked] = useState(hasMatrices(run));
  const none = noMatrices(run);
  const key = asked ? `${run.digest} ${layer}` : null;
  const { value, error, pending } = useAnswer(key, (signal) => api.weights(run.digest, layer, signal));
  return (
    <Panel
      title="Weights by module"
      tools={
        value && (
          <>
            <SelectField
              label="Matrix"
              value={value.layer}
              options={value.layers.map((each) => ({ value: each, label: each }))}
              onChange={onLayer}
            />
            <ExportMenu
              of="the weights"
              ways={[
                {
                  label: "PNG",
                  run: () =>
                    canvas.current
                      ? saveCanvas(
                          "weights.png",
                          captioned(canvas.current, [`Weights of ${value.layer}, sorted by ${value.sorted_by}`]),
                        )
                      : undefined,
                },
                {
                  label: "CSV",
                  run: () =>
                    saveText(
                      "weights.csv",
                      csv(
                        (value.matrix[0] ?? []).map((_, index) => `unit ${index}`),
                        value.matrix,
                      ),
                      "text/csv",
                    ),
                },
              ]}
            />
          </>
        )
      }
    >
      <Problematic sentence={error} />
      {asked && !value && !error && <Quiet>Reading the weights…</Quiet>}
      {none && <Quiet>{none}</Quiet>}
      {!asked && !none && <OnDemand why={WITHOUT_WEIGHTS} label="Look for its matrices" onAsk={() => setAsked(true)} />}
      {value && (
        <div className={pending ? "faded" : undefined}>
          <MatrixView weights={value} canvas={canvas} />
          <Quiet>Sorted by {value.sorted_by}.</Quiet>
        </div>
      )}
    </Panel>
  );
}
