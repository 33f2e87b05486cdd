import { useState } from "react";
import { api } from "../api/client";
import type { Claim } from "../api/types";
import { Problematic, Quiet } from "../parts/Sentence";

/** The figure of a claim, which the server draws when it is asked for. */
export function ClaimFigure({ claim }: { claim: Claim }) {
  const [state, setState] = useState<"drawing" | "drawn" | "failed">("drawing");
  return (
    <>
      {state === "drawing" && <Quiet>Drawing the figure…</Quiet>}
      {state === "failed" && <Problematic sentence={`The figure of claim ${claim.id} could not be drawn.`} />}
      <img
        className="claim-figure"
        hidden={state !== "drawn"}
        src={api.figure(claim.id, claim.scale)}
        alt={`Figure of claim ${claim.id}: ${claim.says}`}
        onLoad={() => setState("drawn")}
        onError={() => setState("failed")}
      />
    </>
  );
}
