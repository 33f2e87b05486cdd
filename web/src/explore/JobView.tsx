import { useMemo, useRef, useState } from "react";
import { api } from "../api/client";
import { isFinal } from "../api/useJob";
import type { Combination, Job } from "../api/types";
import { messageOf, useAnswer } from "../api/useAnswer";
import { LineChart } from "../charts/LineChart";
import { csv } from "../logic/csv";
import { saveJson, saveSvg, saveText } from "../logic/download";
import { capital, duration } from "../logic/format";
import { lossSeries } from "../logic/losses";
import { ErrorMap } from "../parts/ErrorMap";
import { ExportMenu } from "../parts/ExportMenu";
import { Samples } from "../parts/Samples";
import { Problematic, Quiet } from "../parts/Sentence";
import type { Exploring } from "../state/exploring";
import { CourseChart } from "./CourseChart";

interface Props {
  job: Job;
  /** Whether nothing more is heard of it. */
  lost: boolean;
  onShow: (exploring: Exploring) => void;
  onOpen: (combination: Combination) => void;
}

/** One training: how far it is, its loss, its errors on the plane and some of its answers. */
export function JobView({ job, lost, onShow, onOpen }: Props) {
  const [error, setError] = useState<string | null>(null);
  const loss = useRef<SVGSVGElement>(null);
  const mapSvg = useRef<SVGSVGElement>(null);
  const text = JSON.stringify(job.problem);
  const about = useAnswer(text, (signal) => api.problem(job.problem, signal));
  // A training that was recorded before is not repeated: what it did is in its record.
  const recorded = useAnswer(job.digest && !job.losses.length ? job.digest : null, (signal) =>
    api.run(job.digest ?? "", signal),
  );
  const { losses, map, samples, course } = recorded.value ?? job;
  const names = useMemo(() => about.value?.factors.map(({ name }) => name) ?? [], [about.value]);

  const command = (verb: "stop" | "resume" | "discard") => {
    setError(null);
    api.command(job.id, verb).catch((failure: unknown) => setError(messageOf(failure)));
  };
  const ways = [
    { label: "Loss as PNG", run: () => (loss.current ? saveSvg("loss.png", loss.current) : undefined) },
    { label: "Error map as PNG", run: () => (mapSvg.current ? saveSvg("error-map.png", mapSvg.current) : undefined) },
    {
      label: "Loss as CSV",
      run: () =>
        saveText(
          "loss.csv",
          csv(
            ["step", "loss"],
            losses.map(([step, loss]) => [step, loss]),
          ),
          "text/csv",
        ),
    },
    { label: "Training as JSON", run: () => saveJson("training.json", job) },
    { label: "Problem as YAML", run: () => saveText("problem.yaml", job.yaml, "application/yaml") },
  ];

  return (
    <div className="job" aria-label={`Training ${job.title}`} role="group">
      <div className="job-head">
        <div className="job-progress">
          <progress max={job.steps} value={job.step} aria-label="Progress of the training" />
          <p role="status">{statusWords(job, lost)}</p>
        </div>
        <div className="job-buttons">
          {!lost && job.state === "running" && job.step < job.steps && (
            <button type="button" onClick={() => command("stop")}>
              Stop
            </button>
          )}
          {!lost && job.state === "paused" && (
            <button type="button" className="button-main" onClick={() => command("resume")}>
              Resume
            </button>
          )}
          {!lost && !isFinal(job.state) && (
            <button type="button" onClick={() => command("discard")}>
              Discard
            </button>
          )}
          {job.digest && (
            <a className="button" href={`#/run/${job.digest}`}>
              {job.state === "failed" ? "See its record" : "Look inside"}
            </a>
          )}
          <button
            type="button"
            onClick={() => onShow({ problem: job.problem, model: job.model, recipe: job.recipe, seed: job.seed })}
          >
            Show its problem above
          </button>
          <ExportMenu of="the training" ways={ways} />
        </div>
      </div>
      <Problematic sentence={error ?? (job.state === "failed" ? job.reason : null)} />
      {job.state !== "failed" && job.reason && <Quiet>{capital(job.reason)}.</Quiet>}
      <div className="job-pair">
        <div>
          <h3>Loss</h3>
          <LineChart
            label="Loss of the training"
            x="Step"
            y="Loss"
            series={lossSeries(losses)}
            log
            until={job.steps}
            svg={loss}
            height={240}
          />
          <CourseChart course={course} until={job.steps} />
        </div>
        <div>
          <h3>Error on every cell</h3>
          <ErrorMap about={about.value} map={map} svg={mapSvg} onOpen={onOpen} />
        </div>
      </div>
      <h3>Answers to held-out combinations</h3>
      <Samples samples={samples} names={names} />
    </div>
  );
}

function statusWords(job: Job, lost: boolean): string {
  const over = job.state === "running" && job.step >= job.steps;
  const at = over
    ? "all steps taken, measuring"
    : `step ${job.step.toLocaleString("en-GB")} of ${job.steps.toLocaleString("en-GB")}`;
  if (lost && !isFinal(job.state)) return `Last heard of: ${job.title}, ${at}; whether it goes on is not known.`;
  const times = [
    job.seconds ? `${duration(job.seconds)}${isFinal(job.state) ? "" : " so far"}` : "",
    job.state === "running" && !over && job.left !== null ? `about ${duration(job.left)} left` : "",
  ].filter(Boolean);
  return `${capital(job.state)}: ${[job.title, at, ...times].join(", ")}.`;
}
