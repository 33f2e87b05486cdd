import { useMemo, useRef } from "react";
import type { Factor, Inside } from "../api/types";
import { Scatter3d } from "../charts/Scatter3d";
import { csv } from "../logic/csv";
import { cyclic, sequential } from "../logic/colour";
import { captioned, saveCanvas, saveJson, saveText } from "../logic/download";
import { combinationWords, minus, percent } from "../logic/format";
import { readTurn, writeTurn } from "../logic/rotate";
import { ExportMenu } from "../parts/ExportMenu";
import { SelectField } from "../parts/Fields";
import { Quiet } from "../parts/Sentence";

interface Props {
  inside: Inside;
  factors: Factor[];
  pending: boolean;
  /** The factor that colours the points; the first one unless it is among them. */
  colour: string;
  onColour: (factor: string) => void;
  /** How the points are turned, as links have it. */
  turn: string;
  onTurn: (turn: string) => void;
}

/** The representation of every combination in its first three principal components. */
export function RepresentationPanel({ inside, factors, pending, colour, onColour, turn, onTurn }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const names = factors.map(({ name }) => name);
  const at = Math.max(0, names.includes(colour) ? names.indexOf(colour) : names.indexOf("x"));
  const factor = factors[at];
  const shares = useMemo(() => {
    const last = Math.max(1, (factor?.levels.length ?? 2) - (factor?.periodic ? 0 : 1));
    return inside.combinations.map((combination) => (combination[at] ?? 0) / last);
  }, [inside.combinations, at, factor]);
  const labels = useMemo(
    () => inside.labels.map((each) => combinationWords(names, each)),
    [inside.labels, names.join()],
  );
  const title = `Representation of layer ${inside.layer}, coloured by ${factor?.name ?? "nothing"}`;
  const rows = () => inside.points.map((point, index) => [...(inside.labels[index] ?? []), ...point]);

  return (
    <div className={pending ? "faded" : undefined}>
      <div className="panel-tools">
        {factors.length > 0 && (
          <SelectField
            label="Colour by"
            value={factor?.name ?? ""}
            options={names.map((value) => ({ value, label: value }))}
            onChange={onColour}
          />
        )}
        <ExportMenu
          of="the representation"
          ways={[
            {
              label: "PNG",
              run: () =>
                canvas.current
                  ? saveCanvas("representation.png", captioned(canvas.current, [title, ...legendWords(factor)]))
                  : undefined,
            },
            {
              label: "CSV",
              run: () => saveText("representation.csv", csv([...names, "pc1", "pc2", "pc3"], rows()), "text/csv"),
            },
            { label: "JSON", run: () => saveJson("representation.json", inside) },
          ]}
        />
      </div>
      <Scatter3d
        label={title}
        points={inside.points}
        shares={shares}
        labels={labels}
        colour={factor?.periodic ? cyclic : sequential}
        legend={factor ? { name: factor.name, low: factor.levels[0] ?? "", high: factor.levels.at(-1) ?? "" } : null}
        canvas={canvas}
        turn={useMemo(() => readTurn(turn), [turn])}
        onTurn={(next) => onTurn(writeTurn(next))}
      />
      <Quiet>
        First three principal components: {inside.explained.map(percent).join(", ")} of the variance. Drag to turn, or
        use the arrow keys.
      </Quiet>
    </div>
  );
}

function legendWords(factor: Factor | undefined): string[] {
  if (!factor) return [];
  const [low, high] = [factor.levels[0], factor.levels.at(-1)];
  return [
    minus(
      factor.periodic
        ? `${factor.name} = ${low} to ${high}, round`
        : `${factor.name} = ${low} (dark) to ${high} (light)`,
    ),
  ];
}
