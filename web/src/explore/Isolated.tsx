import type { Factor, Problem } from "../api/types";
import { isolatedLevels, withIsolated } from "../logic/isolated";
import { SliderField } from "../parts/Fields";

interface Props {
  problem: Problem;
  factors: Factor[];
  onProblem: (problem: Problem) => void;
}

/** How many levels of each factor training also shows alone: none, some or all. */
export function Isolated({ problem, factors, onProblem }: Props) {
  const most = Math.min(...factors.map(({ levels }) => levels.length));
  const now = isolatedLevels(problem, most);
  const words = now === 0 ? "none" : now === most ? `all ${most}` : `${now} of ${most}`;
  return (
    <div className="isolated">
      <SliderField
        label="Levels of each factor shown alone"
        value={now}
        minimum={0}
        maximum={most}
        words={words}
        onChange={(levels) =>
          onProblem(
            withIsolated(
              problem,
              levels,
              most,
              factors.map(({ name }) => name),
            ),
          )
        }
      />
      <p className="quiet">Shown alone, factors can be learned apart.</p>
    </div>
  );
}
