// Which looks into a run are sure to be answered. A browser logs each refused request as an error, so that what may be
// refused is asked only when a person asks for it.
import type { Run } from "../api/types";
import { modelName } from "../state/exploring";

const PLAIN = ["feedforward", "mlp", "mlp-decoder"]; // networks whose layers are matrices

export const WITHOUT_WEIGHTS =
  "This run was recorded without its weights, so that its network cannot be asked; explore and train it again, and look inside that run.";

/** Why there is nothing to look into, as a sentence; null where there may be something. */
export function nothingInside(run: Run): string | null {
  if (run.model === null)
    return "This is a calculation, in which nothing was trained, so that there is nothing inside.";
  if (run.status === "done") return null;
  return "This training failed, so that there is no network to look into; explore and train it again with other settings.";
}

/** Why there is no matrix of weights to sort, as a sentence; null where there may be one. */
export function noMatrices(run: Run): string | null {
  const name = run.model === null ? "" : modelName(run.model);
  if (PLAIN.includes(name)) return nothingInside(run);
  const why = `The layers of ${name} are not plain matrices, so that there is none to sort; ${PLAIN.join(", ")} have them.`;
  return nothingInside(run) ?? why;
}

export function isTrained(run: Run): boolean {
  return run.weights && run.status === "done";
}

export function hasMatrices(run: Run): boolean {
  return isTrained(run) && noMatrices(run) === null;
}
