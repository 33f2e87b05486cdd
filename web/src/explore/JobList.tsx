import { api } from "../api/client";
import { useAnswer } from "../api/useAnswer";

interface Props {
  chosen: string | null;
  /** Changes when the list may have changed. */
  stamp: string;
  onChoose: (id: string) => void;
}

/** The trainings of this server since it was started, and a way to put the last two beside each other. */
export function JobList({ chosen, stamp, onChoose }: Props) {
  const { value } = useAnswer(`${chosen} ${stamp}`, api.jobs);
  if (!value?.length) return null;
  const done = value.filter((job) => job.state === "done" && job.digest);
  const [first, second] = done.slice(-2);
  return (
    <div className="jobs">
      <h3>Trainings</h3>
      <ul>
        {value.map((job) => (
          <li key={job.id}>
            <button
              type="button"
              className="button-link"
              aria-current={job.id === chosen}
              onClick={() => onChoose(job.id)}
            >
              {job.title}
            </button>{" "}
            <span className="quiet">
              {job.state}, step {job.step.toLocaleString("en-GB")} of {job.steps.toLocaleString("en-GB")}
            </span>
          </li>
        ))}
      </ul>
      {first?.digest && second?.digest && first.digest !== second.digest && (
        <a className="button" href={`#/compare?a=${first.digest}&b=${second.digest}`}>
          Compare the last two
        </a>
      )}
    </div>
  );
}
