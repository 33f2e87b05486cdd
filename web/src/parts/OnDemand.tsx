import { Quiet } from "./Sentence";

/** What is asked only when a person asks for it: because it takes long, or may be refused. */
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
