// Which looks into a run are sure to be answered. A browser logs each refused request as an error, so that what may be
// refused is asked only when a person asks for it.
import type { Run } from "../api/types";
import { modelName } from "../state/exploring";

const PLAIN = ["feedforward", "mlp", "mlp-decoder"]; // networks whose layers are matrices

export const WITHOUT_WEIGHTS =
  "This run was recorded without its weights, so that its network cannot be asked; explore and train it again, and look inside that run.";

export function isTrained(run: Run): boolean {
  return run.weights && run.status === "done";
}

export function hasMatrices(run: Run): boolean {
  return isTrained(run) && run.model !== null && PLAIN.includes(modelName(run.model));
}
