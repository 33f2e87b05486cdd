import { useState } from "react";
import { api } from "../api/client";
import type { Catalogue, Combination, Job } from "../api/types";
import { messageOf } from "../api/useAnswer";
import { Panel } from "../parts/Panel";
import { Problematic } from "../parts/Sentence";
import { type Exploring, modelName } from "../state/exploring";
import { JobList } from "./JobList";
import { JobView } from "./JobView";
import { ModelForm } from "./ModelForm";

interface Props {
  catalogue: Catalogue;
  exploring: Exploring;
  fitting: string[] | null;
  ready: boolean;
  /** What is wrong with a field, so that nothing can be trained. */
  fault: string | null;
  job: Job | null;
  jobError: string | null;
  /** The record of a training that the server no longer knows. */
  record: string | null;
  onChange: (change: Partial<Exploring>) => void;
  onJob: (id: string | null) => void;
  onShow: (exploring: Exploring) => void;
  onOpen: (combination: Combination) => void;
}

/** Choose a network, train it, and watch. */
export function TrainPanel(props: Props) {
  const { catalogue, exploring, fitting, ready, fault, job, jobError, record, onChange, onJob, onShow, onOpen } = props;
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const gone = !job && jobError !== null && record !== null;

  const train = async () => {
    setBusy(true);
    setError(null);
    try {
      const { problem, model, recipe, seed } = exploring;
      onJob((await api.train({ problem, model, recipe, seed })).job);
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Panel title="Training" className="train-panel">
      <div className="train-form">
        <ModelForm catalogue={catalogue} fitting={fitting} exploring={exploring} onChange={onChange} />
        <button
          type="button"
          className="button-main"
          disabled={busy || !ready || fault !== null}
          onClick={() => void train()}
        >
          Train {modelName(exploring.model)}
        </button>
      </div>
      <Problematic sentence={fault ?? error ?? (gone ? null : jobError)} />
      {gone && (
        <p>
          The server no longer lists this training; <a href={`#/run/${record}`}>its record</a> is kept.
        </p>
      )}
      {job && <JobView job={job} lost={jobError !== null} key={job.id} onShow={onShow} onOpen={onOpen} />}
      <JobList chosen={job} onChoose={onJob} />
    </Panel>
  );
}
