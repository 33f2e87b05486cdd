import type { CellAnswer } from "../api/types";
import { differenceDomain, sharedDomain } from "../logic/answers";
import { combinationWords, number, words } from "../logic/format";
import { AnswerView } from "../parts/AnswerView";
import { Quiet } from "../parts/Sentence";

/** The answers of one cell, the training examples nearest to it, and what it is superposed of. */
export function CellContent({ cell, names }: { cell: CellAnswer; names: string[] }) {
  const { input, target, output, forecast, difference, nearest, superposed } = cell;
  const domain = sharedDomain([target]);
  const numbers = Object.entries(cell.numbers).filter(([, value]) => value !== null);
  return (
    <>
      <Quiet>
        {cell.section === "shown"
          ? "Shown in training."
          : cell.section === "not shown"
            ? "Not held out, but not among the training examples."
            : `Held out (${cell.section}).`}
      </Quiet>
      <div className="answers">
        {input && <AnswerView answer={input} title="Input" domain={sharedDomain([input])} />}
        <AnswerView answer={target} title="Target" domain={domain} />
        <AnswerView answer={forecast} title="Forecast" note={forecast === null ? "none" : undefined} domain={domain} />
        <AnswerView answer={output} title="Output" note={output === null ? "not trained" : undefined} domain={domain} />
        <AnswerView
          answer={difference}
          title="Difference"
          note={difference === null ? "not trained" : output === null ? "forecast − target" : "output − target"}
          domain={differenceDomain(difference)}
          difference
        />
      </div>
      {numbers.length > 0 && (
        <dl className="facts">
          {numbers.map(([name, value]) => (
            <div key={name}>
              <dt>{words(name)}</dt>
              <dd>{number(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {nearest.length > 0 && (
        <>
          <h3>Nearest training examples</h3>
          <div className="answers">
            {nearest.map((each) => (
              <AnswerView
                key={each.combination.join()}
                answer={each.picture}
                title={combinationWords(names, each.labels)}
                note={`distance ${number(each.distance)}`}
                domain={domain}
              />
            ))}
          </div>
        </>
      )}
      {superposed && superposed.parts.length > 0 && (
        <>
          <h3>What the {superposed.of} is superposed of</h3>
          <div className="answers">
            {superposed.parts.map((part) => (
              <AnswerView
                key={part.combination.join()}
                answer={part.picture}
                title={combinationWords(names, part.labels)}
                note={`weight ${number(part.weight)}`}
                domain={domain}
              />
            ))}
          </div>
          <Quiet>Share that these leave unexplained: {number(superposed.residual)}.</Quiet>
        </>
      )}
    </>
  );
}
