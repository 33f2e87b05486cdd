import { useEffect, useId, useState } from "react";
import type { Problem } from "../api/types";
import { Problematic } from "../parts/Sentence";

/** The whole problem as JSON, for what has no field of its own. */
export function ProblemText({ problem, onProblem }: { problem: Problem; onProblem: (problem: Problem) => void }) {
  const id = useId();
  const written = JSON.stringify(problem, null, 2);
  const [text, setText] = useState(written);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    setText(written);
    setError(null);
  }, [written]);

  const apply = () => {
    try {
      const read: unknown = JSON.parse(text);
      if (typeof read !== "object" || read === null || !("task" in read) || typeof read.task !== "object") {
        return setError('A problem is a mapping with a task, such as {"task": {"kind": "bump"}, "split": …}.');
      }
      setError(null);
      onProblem(read as Problem);
    } catch (failure) {
      setError(`This is not JSON: ${failure instanceof Error ? failure.message : String(failure)}.`);
    }
  };
  return (
    <div className="problem-text">
      <label htmlFor={id}>The problem as JSON</label>
      <textarea id={id} rows={8} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} />
      <Problematic sentence={error} />
      <button type="button" disabled={text === written} onClick={apply}>
        Use this problem
      </button>
    </div>
  );
}
