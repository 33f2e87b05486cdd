import type { ProblemAnswer } from "../api/types";
import { sharedDomain } from "../logic/answers";
import { combinationWords } from "../logic/format";
import { PictureView } from "../parts/PictureView";

/** A few of the pictures that training shows. */
export function ShownPictures({ answer }: { answer: ProblemAnswer }) {
  if (!answer.shown_pictures.length) return null;
  const names = answer.factors.map(({ name }) => name);
  const domain = sharedDomain(answer.shown_pictures.map(({ picture }) => picture));
  return (
    <div className="shown-pictures">
      <h3>Shown in training</h3>
      <ul className="pictures">
        {answer.shown_pictures.map(({ labels, picture }, index) => {
          const words = labels ? combinationWords(names, labels) : "";
          return (
            <li key={index}>
              <PictureView picture={picture} label={`Training picture ${words}`} domain={domain} />
              <small>{words}</small>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
