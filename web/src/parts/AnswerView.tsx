import type { Answer } from "../api/types";
import { isPicture } from "../logic/answers";
import { number } from "../logic/format";
import { PictureView } from "./PictureView";

interface Props {
  answer: Answer | null;
  title: string;
  note?: string | undefined;
  domain: [number, number];
  difference?: boolean;
}

/** An answer with its title: a picture, a number, or a dash where there is none. */
export function AnswerView({ answer, title, note, domain, difference = false }: Props) {
  return (
    <figure className="answer">
      {isPicture(answer) ? (
        <PictureView
          picture={answer}
          label={note ? `${title}: ${note}` : title}
          domain={domain}
          difference={difference}
        />
      ) : (
        <span className="answer-number">{number(answer)}</span>
      )}
      <figcaption>
        {title}
        {note && <small>{note}</small>}
      </figcaption>
    </figure>
  );
}
