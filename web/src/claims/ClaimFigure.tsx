import { useRef, useState } from "react";
import { api } from "../api/client";
import type { Claim } from "../api/types";
import { saveImage } from "../logic/download";
import { ExportMenu } from "../parts/ExportMenu";
import { Problematic, Quiet } from "../parts/Sentence";

/** The figure of a claim, which the server draws when it is asked for. */
export function ClaimFigure({ claim }: { claim: Claim }) {
  const [state, setState] = useState<"drawing" | "drawn" | "failed">("drawing");
  const image = useRef<HTMLImageElement>(null);
  const png = () => (image.current ? saveImage(`${claim.id}-${claim.scale}.png`, image.current) : undefined);
  return (
    <>
      <div className="claim-figure-head">
        <h5>Figure</h5>
        {state === "drawn" && (
          <ExportMenu of={`the figure of ${claim.id}`} ways={[{ label: "Figure as PNG", run: png }]} />
        )}
      </div>
      {state === "drawing" && <Quiet>Drawing the figure…</Quiet>}
      {state === "failed" && <Problematic sentence={`The figure of claim ${claim.id} could not be drawn.`} />}
      <img
        ref={image}
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
