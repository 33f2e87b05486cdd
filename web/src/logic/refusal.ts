import type { Run } from "../api/types";

const KEPT =
  "This run was recorded without its weights, so nothing can be asked of it; train it again, and look inside that run.";

/** Why a look into a run is not possible, in one sentence; null where it is. */
export function refusal(run: Run, look: "inside" | "weights" | "explain"): string | null {
  return run.able ? run.able[look] : run.weights ? null : KEPT;
}
