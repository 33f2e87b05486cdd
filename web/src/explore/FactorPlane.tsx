import { type PointerEvent, type RefObject, useCallback, useMemo, useRef } from "react";
import type { Settings, ValueMap } from "../api/types";
import { CellMap, type Place } from "../charts/CellMap";
import { cellAt, type Geometry, STILL } from "../charts/geometry";
import { errorDomain } from "../logic/colour";
import { combinationWords, number } from "../logic/format";
import { axesOf, type Drawn, isHeldOut, NOT_SHOWN, OUTSIDE } from "../logic/plane";
import { type Box, boxBetween, holds, readRegion, writeRegion } from "../logic/region";
import { RegionBox } from "./RegionBox";

interface Props {
  drawn: Drawn;
  split: Settings | undefined;
  cells: string[][];
  /** Whether `cells` are of an older region; the dragged one is then drawn from its own box. */
  stale: boolean;
  map: ValueMap | null;
  faded: boolean;
  selected: Place | null;
  svg: RefObject<SVGSVGElement | null>;
  onSplit: (split: Settings) => void;
  onOpen: (row: number, column: number) => void;
}

/** The plane with a region that can be dragged, drawn anew, and changed by keys. */
export function FactorPlane({ drawn, split, cells, stale, map, faded, selected, svg, onSplit, onOpen }: Props) {
  const axes = useMemo(() => axesOf(drawn), [drawn.rows, drawn.columns]);
  const region = useMemo(() => readRegion(split, axes), [split, axes]);
  const press = useRef<{ x: number; y: number; cell: Place | null; drawing: boolean } | null>(null);

  const heldOut = useCallback(
    (row: number, column: number) =>
      stale && region ? holds(region, row, column, axes) : isHeldOut(cells, row, column),
    [stale, region, axes, cells],
  );
  const left = useCallback(
    (row: number, column: number) => [NOT_SHOWN, OUTSIDE].includes(cells[row]?.[column] ?? ""),
    [cells],
  );
  const values = useMemo(
    () => map?.values.map((line, row) => line.map((value, column) => (heldOut(row, column) ? value : null))) ?? null,
    [map, heldOut],
  );
  const domain = useMemo(() => errorDomain(map?.quantity ?? "", map?.values.flat() ?? []), [map]);

  const words = ([row, column]: Place) => {
    const names = [drawn.rows.name, drawn.columns.name];
    const here = combinationWords(names, [drawn.rows.levels[row] ?? "", drawn.columns.levels[column] ?? ""]);
    const section = cells[row]?.[column] ?? "";
    const value = values?.[row]?.[column];
    const kind = isHeldOut(cells, row, column) ? `held out (${section})` : section;
    return value === null || value === undefined
      ? `${here}: ${kind}`
      : `${here}: ${kind}, forecast ${map?.quantity} ${number(value)}`;
  };
  const setBox = (box: Box) => split && onSplit(writeRegion(split, box, axes));

  // A press on the plane opens a cell; dragged with a mouse it draws the region anew (a finger scrolls the page).
  const down = (event: PointerEvent<SVGGElement>, g: Geometry) => {
    if (event.button !== 0) return;
    const target = event.currentTarget;
    const frame = target.ownerSVGElement?.getBoundingClientRect();
    if (!frame) return;
    const at = (x: number, y: number) => cellAt(g, x - frame.left, y - frame.top);
    const redraws =
      region && region.free.rows === "both" && region.free.columns === "both" && event.pointerType === "mouse";
    press.current = { x: event.clientX, y: event.clientY, cell: at(event.clientX, event.clientY), drawing: false };
    const moved = (move: globalThis.PointerEvent) => {
      const from = press.current;
      const to = at(move.clientX, move.clientY);
      if (!from?.cell || !to || !redraws) return;
      if (Math.hypot(move.clientX - from.x, move.clientY - from.y) > STILL) from.drawing = true;
      if (from.drawing) setBox(boxBetween(from.cell, to));
    };
    const ended = (up: globalThis.PointerEvent) => {
      removeEventListener("pointermove", moved);
      removeEventListener("pointerup", ended);
      removeEventListener("pointercancel", ended);
      const from = press.current;
      press.current = null;
      if (!from?.cell || from.drawing || up.type === "pointercancel") return;
      if (Math.hypot(up.clientX - from.x, up.clientY - from.y) <= STILL) onOpen(...from.cell);
    };
    addEventListener("pointermove", moved);
    addEventListener("pointerup", ended);
    addEventListener("pointercancel", ended);
  };

  return (
    <CellMap
      label="Factor plane"
      rows={{ name: drawn.rows.name, labels: drawn.rows.levels }}
      columns={{ name: drawn.columns.name, labels: drawn.columns.levels }}
      values={values}
      domain={domain}
      quantity={`Forecast ${map?.quantity ?? ""} of held-out cells`}
      heldOut={heldOut}
      left={left}
      selected={selected}
      words={words}
      faded={faded}
      svg={svg}
      hint={region ? "Drag the red box; click a cell to look into it." : "Click a cell to look into it."}
      onOpen={(place) => onOpen(...place)}
      onPress={down}
      overlay={(g) => region && <RegionBox g={g} axes={axes} region={region} onBox={setBox} onClick={onOpen} />}
    />
  );
}
