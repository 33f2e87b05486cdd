import type { Sample } from "../api/types";
import { differenceDomain, differenceOf, sharedDomain } from "../logic/answers";
import { combinationWords } from "../logic/format";
import { AnswerView } from "./AnswerView";
import { Quiet } from "./Sentence";

/** Targets, outputs and their differences side by side, for a few combinations. */
export function Samples({ samples, names }: { samples: Sample[]; names: string[] }) {
  if (!samples.length) return <Quiet>No answers yet.</Quiet>;
  return (
    <ul className="samples">
      {samples.map((sample, index) => {
        const domain = sharedDomain([sample.target]);
        const difference = differenceOf(sample.output, sample.target);
        return (
          <li key={index}>
            <h4>{sample.labels ? combinationWords(names, sample.labels) : `Scene ${index + 1}`}</h4>
            <div className="answers">
              <AnswerView answer={sample.target} title="Target" domain={domain} />
              <AnswerView answer={sample.output} title="Output" domain={domain} />
              <AnswerView answer={difference} title="Difference" domain={differenceDomain(difference)} difference />
            </div>
          </li>
        );
      })}
    </ul>
  );
}
