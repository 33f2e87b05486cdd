import type { Course } from "../api/types";
import { LineChart } from "../charts/LineChart";
import { courseMeasures, courseSeries } from "../logic/losses";

const WORDS: Record<string, string> = {
  nmse: "nMSE (0 perfect)",
  mse: "MSE (0 perfect)",
  error: "Error rate (0 perfect)",
};

/** How the error on what is shown and on what is held out goes on while a network trains. */
export function CourseChart({ course, until }: { course: Course; until: number }) {
  const measure = courseMeasures(course).find((name) => name in WORDS);
  if (!measure) return null;
  return (
    <>
      <h3>Shown and held out</h3>
      <LineChart
        label="Error on shown and on held-out combinations"
        x="Step"
        y={WORDS[measure] ?? measure}
        series={courseSeries(course, measure)}
        log
        until={until}
        height={220}
      />
    </>
  );
}
