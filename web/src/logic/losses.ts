import type { Course } from "../api/types";
import type { Series } from "../charts/LineChart";
import { sectionWords } from "./format";

/** Rows of step, loss and error as curves; the error, which leaves penalties out, only where it is another one. */
export function lossSeries(rows: (number | null)[][], prefix = ""): Series[] {
  const curve = (column: number): [number, number][] =>
    rows.flatMap((row): [number, number][] => {
      const [step, value] = [row[0], row[column]];
      return typeof step === "number" && typeof value === "number" ? [[step, value]] : [];
    });
  const loss = { name: prefix || "loss", points: curve(1) };
  const penalised = rows.some((row) => typeof row[2] === "number" && row[2] !== row[1]);
  return penalised
    ? [loss, { name: prefix ? `${prefix}, without penalties` : "without penalties", points: curve(2) }]
    : [loss];
}

/** The curves of one measure of a course, a section each: those named id_nmse and ood_nmse for "nmse". */
export function courseSeries(course: Course, measure: string): Series[] {
  return Object.entries(course).flatMap(([name, points]) => {
    const [section = "", ...rest] = name.split("_");
    return rest.join("_") === measure ? [{ name: sectionWords(section), points }] : [];
  });
}

/** The measures of a course: "nmse" where there are id_nmse and ood_nmse. */
export function courseMeasures(course: Course): string[] {
  return [...new Set(Object.keys(course).map((name) => name.split("_").slice(1).join("_")))].filter(Boolean);
}
