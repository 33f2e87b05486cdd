import { useRef } from "react";
import type { Run } from "../api/types";
import { LayerChart } from "../charts/LayerChart";
import { csv } from "../logic/csv";
import { saveSvg, saveText } from "../logic/download";
import { words } from "../logic/format";
import { ExportMenu } from "../parts/ExportMenu";
import { SelectField } from "../parts/Fields";
import { Panel } from "../parts/Panel";
import { Quiet } from "../parts/Sentence";

interface Props {
  run: Run;
  measure: string;
  onMeasure: (measure: string) => void;
}

/** One measure from layer to layer. */
export function LayerMeasures({ run, measure, onMeasure }: Props) {
  const svg = useRef<SVGSVGElement>(null);
  const names = Object.keys(run.by_layer);
  const chosen = names.includes(measure) ? measure : (names[0] ?? "");
  const values = run.by_layer[chosen] ?? {};
  const rows = () =>
    names.flatMap((name) => Object.entries(run.by_layer[name] ?? {}).map(([layer, value]) => [name, layer, value]));
  return (
    <Panel
      title="Measures by layer"
      tools={
        names.length > 0 && (
          <>
            <SelectField
              label="Measure"
              value={chosen}
              options={names.map((value) => ({ value, label: words(value) }))}
              onChange={onMeasure}
            />
            <ExportMenu
              of="the measures by layer"
              ways={[
                { label: "PNG", run: () => (svg.current ? saveSvg("by-layer.png", svg.current) : undefined) },
                {
                  label: "CSV",
                  run: () => saveText("by-layer.csv", csv(["measure", "layer", "value"], rows()), "text/csv"),
                },
              ]}
            />
          </>
        )
      }
    >
      {names.length ? (
        <LayerChart measure={words(chosen)} values={Object.entries(values)} svg={svg} />
      ) : (
        <Quiet>No measure of this run is taken by layer.</Quiet>
      )}
    </Panel>
  );
}
