import type { RefObject } from "react";
import type { Problem, ProblemAnswer, ValueMap } from "../api/types";
import { csv, mapRows } from "../logic/csv";
import { saveJson, saveSvg, saveText } from "../logic/download";
import { drawnPlane, isHeldOut } from "../logic/plane";
import type { Export } from "../parts/ExportMenu";

/** Ways to save the plane, the forecast of its held-out cells, and the problem. */
export function planeExports(
  problem: Problem,
  answer: ProblemAnswer | null,
  map: ValueMap | null,
  svg: RefObject<SVGSVGElement | null>,
): Export[] {
  const ways: Export[] = [];
  const drawn = drawnPlane(answer);
  if (drawn) {
    ways.push({ label: "Plane as PNG", run: () => (svg.current ? saveSvg("plane.png", svg.current) : undefined) });
  }
  if (drawn && map && answer) {
    const columns = [drawn.rows.name, drawn.columns.name, map.quantity];
    const forecast = map.values.map((line, row) =>
      line.map((value, at) => (isHeldOut(answer.cells, row, at) ? value : null)),
    );
    const table = () => csv(columns, mapRows(forecast, drawn.rows.levels, drawn.columns.levels));
    ways.push({ label: "Forecast map as CSV", run: () => saveText("forecast-map.csv", table(), "text/csv") });
  }
  if (answer) {
    ways.push({ label: "Problem as YAML", run: () => saveText("problem.yaml", answer.yaml, "application/yaml") });
  }
  ways.push({ label: "Problem as JSON", run: () => saveJson("problem.json", answer?.problem ?? problem) });
  return ways;
}
