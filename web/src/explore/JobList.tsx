import { api } from "../api/client";
import type { JobRow } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { moment } from "../logic/format";

interface Props {
  /** The training that is shown; its line is as new as what is shown of it. */
  chosen: JobRow | null;
  onChoose: (id: string) => void;
}

/** The trainings of this server since it was started, and a way to put the last two beside each other. */
export function JobList({ chosen, onChoose }: Props) {
  const { value } = useAnswer(`${chosen?.id} ${chosen?.state}`, api.jobs);
  if (!value?.length) return null;
  const rows = value.map((job) => (chosen?.id === job.id ? chosen : job));
  const digests = rows.flatMap((job) => (job.state === "done" && job.digest ? [job.digest] : []));
  const [second, first] = new Set(digests); // the newest comes first; one may have been asked for twice

  return (
    <div className="jobs">
      <h3>Trainings</h3>
      <ul>
        {rows.map((job) => (
          <li key={job.id}>
            <button
              type="button"
              className="button-link"
              aria-current={job.id === chosen?.id}
              onClick={() => onChoose(job.id)}
            >
              {job.title}
            </button>{" "}
            <span className="quiet">
              {job.details}; begun {moment(job.when)}; {job.state}, step {job.step.toLocaleString("en-GB")} of{" "}
              {job.steps.toLocaleString("en-GB")}
            </span>
          </li>
        ))}
      </ul>
      {first && second && (
        <a className="button" href={`#/compare?a=${first}&b=${second}`}>
          Compare the last two
        </a>
      )}
    </div>
  );
}
