import { number, plural, words } from "../logic/format";
import { Quiet } from "../parts/Sentence";

type Pair = { name: string; a: number | null; b: number | null };

/** Measures of both runs and by how much the second is larger; those of one run alone are folded away. */
export function MeasurePairs({ pairs }: { pairs: Pair[] }) {
  const both = pairs.filter(({ a, b }) => a !== null && b !== null);
  const one = pairs.filter(({ a, b }) => (a === null) !== (b === null));
  return (
    <>
      {both.length ? <PairTable pairs={both} /> : <Quiet>The two runs have no measure in common.</Quiet>}
      {one.length > 0 && (
        <details className="more">
          <summary>{plural(one.length, "measure")} of one run alone</summary>
          <PairTable pairs={one} />
        </details>
      )}
    </>
  );
}

function PairTable({ pairs }: { pairs: Pair[] }) {
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col" className="right">
              First
            </th>
            <th scope="col" className="right">
              Second
            </th>
            <th scope="col" className="right">
              Second − first
            </th>
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
