import { type RefObject, useCallback } from "react";
import type { Combination, ProblemAnswer, ValueMap } from "../api/types";
import { CellMap, type Place } from "../charts/CellMap";
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
  const cells = about?.cells ?? [];
  const heldOut = useCallback((row: number, column: number) => isHeldOut(cells, row, column), [about]);
  const drawn = drawnPlane(about);
  if (!drawn) return <Quiet>{about ? "This task has no plane of two factors." : "…"}</Quiet>;
  const ends = domain ?? errorDomain(map?.values.flat() ?? []);
  const words = ([row, column]: Place) => {
    const here = combinationWords(
      [drawn.rows.name, drawn.columns.name],
      [drawn.rows.levels[row] ?? "", drawn.columns.levels[column] ?? ""],
    );
    const kind = isHeldOut(cells, row, column) ? `held out (${cells[row]?.[column]})` : cells[row]?.[column];
    return `${here}: ${kind}, ${map?.quantity ?? "error"} ${number(map?.values[row]?.[column])}`;
  };
  return (
    <CellMap
      label="Error map"
      rows={{ name: drawn.rows.name, labels: drawn.rows.levels }}
      columns={{ name: drawn.columns.name, labels: drawn.columns.levels }}
      values={map?.values ?? null}
      domain={ends}
      quantity={`${map?.quantity ?? "Error"} of the network`}
      heldOut={heldOut}
      words={words}
      tallest={tallest}
      {...(svg ? { svg } : {})}
      hint={map ? "Click a cell to look into it." : "No errors measured yet."}
      onOpen={([row, column]) => onOpen(combinationAt(drawn, row, column))}
    />
  );
}
