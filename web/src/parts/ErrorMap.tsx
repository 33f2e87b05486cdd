import { type RefObject, useCallback, useMemo } from "react";
import type { Combination, ProblemAnswer, ValueMap } from "../api/types";
import { CellMap, type MapAxis, type Place } from "../charts/CellMap";
import { errorDomain } from "../logic/colour";
import { combinationWords, number } from "../logic/format";
import { combinationAt, drawnPlane, isHeldOut } from "../logic/plane";
import { Quiet } from "./Sentence";

interface Props {
  about: ProblemAnswer | null;
  map: ValueMap | null;
  /** Ends of the colour scale, to share it between maps; otherwise this map's own. */
  domain?: [number, number];
  svg?: RefObject<SVGSVGElement | null>;
  tallest?: number;
  onOpen: (combination: Combination) => void;
}

/** The error of a network on every cell of the plane, the held-out ones outlined. */
export function ErrorMap({ about, map, domain, svg, tallest = 360, onOpen }: Props) {
  const cells = useMemo(() => (map?.axes ? [] : (about?.cells ?? [])), [about, map?.axes]);
  const heldOut = useCallback((row: number, column: number) => isHeldOut(cells, row, column), [cells]);
  const drawn = drawnPlane(about);
  const [rows, columns] = sides(drawn, map);
  if (!rows || !columns) return <Quiet>{about ? "There is no map of this task's errors." : "…"}</Quiet>;

  const words = ([row, column]: Place) => {
    const here = combinationWords([rows.name, columns.name], [rows.labels[row] ?? "", columns.labels[column] ?? ""]);
    const section = cells[row]?.[column];
    const kind = isHeldOut(cells, row, column) ? `held out (${section})` : section;
    return `${here}: ${kind ? `${kind}, ` : ""}${map?.quantity ?? "error"} ${number(map?.values[row]?.[column])}`;
  };
  const opens = drawn && !map?.axes;
  return (
    <CellMap
      label="Error map"
      rows={rows}
      columns={columns}
      values={map?.values ?? null}
      domain={domain ?? errorDomain(map?.quantity ?? "", map?.values.flat() ?? [])}
      quantity={`${map?.quantity ?? "Error"} of the network`}
      heldOut={heldOut}
      words={words}
      tallest={tallest}
      {...(svg ? { svg } : {})}
      hint={!map ? "No errors measured yet." : opens ? "Click a cell to look into it." : ""}
      onOpen={([row, column]) => opens && onOpen(combinationAt(drawn, row, column))}
    />
  );
}

/** The two sides: factors of the plane, or latents from 0 to 1 in as many stretches as the map has. */
function sides(drawn: ReturnType<typeof drawnPlane>, map: ValueMap | null): [MapAxis, MapAxis] | [null, null] {
  if (map?.axes) {
    const axis = (name: string, size: number): MapAxis => ({
      name,
      labels: Array.from({ length: size }, (_, index) => number((index + 0.5) / size, 2)),
    });
    return [axis(map.axes.rows, map.values.length), axis(map.axes.columns, map.values[0]?.length ?? 0)];
  }
  if (!drawn) return [null, null];
  return [
    { name: drawn.rows.name, labels: drawn.rows.levels },
    { name: drawn.columns.name, labels: drawn.columns.levels },
  ];
}
