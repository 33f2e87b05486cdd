import { Quiet } from "./Sentence";

/** A look that may be refused: a person is told why, and may ask all the same. */
export function OnDemand({ why, label, onAsk }: { why: string; label: string; onAsk: () => void }) {
  return (
    <>
      <Quiet>{why}</Quiet>
      <button type="button" onClick={onAsk}>
        {label}
      </button>
    </>
  );
}
