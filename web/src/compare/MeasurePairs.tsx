import { number, words } from "../logic/format";
import { Quiet } from "../parts/Sentence";

/** Measures of both runs and by how much the second is larger. */
export function MeasurePairs({ pairs }: { pairs: { name: string; a: number | null; b: number | null }[] }) {
  if (!pairs.length) return <Quiet>No measures were recorded.</Quiet>;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col" className="right">First</th>
            <th scope="col" className="right">Second</th>
            <th scope="col" className="right">Second − first</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map(({ name, a, b }) => (
            <tr key={name}>
              <th scope="row">{words(name)}</th>
              <td className="right">{number(a)}</td>
              <td className="right">{number(b)}</td>
              <td className="right">{a !== null && b !== null ? number(b - a) : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
