import type { Catalogue, Json, Problem, Settings } from "../api/types";
import { type Axes, readRegion, regionWords } from "../logic/region";
import { firstRegion, kindOf, OFFERED } from "../logic/regionKinds";
import { SelectField } from "../parts/Fields";
import { SettingsForm } from "../parts/SettingsForm";

interface Props {
  catalogue: Catalogue;
  problem: Problem;
  axes: Axes;
  onProblem: (problem: Problem) => void;
}

/** The kind of the held-out region and, for those that cannot be dragged, its settings. */
export function RegionControls({ catalogue, problem, axes, onProblem }: Props) {
  const kind = kindOf(problem.split);
  const region = readRegion(problem.split, axes);
  const known = catalogue.regions.find(({ name }) => name === kind);
  const names = catalogue.regions.map(({ name }) => name);
  const offered = [...new Set([...OFFERED.filter((name) => names.includes(name)), kind])].filter(Boolean);

  const choose = (next: string) => {
    const split = firstRegion(next, axes);
    if (split) onProblem({ ...problem, split });
  };
  const set = (name: string, value: Json | undefined) => {
    const split: Settings = { ...problem.split };
    if (value === undefined) delete split[name];
    else split[name] = value;
    onProblem({ ...problem, split });
  };

  return (
    <div className="region">
      <SelectField
        label="Region"
        value={kind}
        says={known?.says}
        options={offered.map((value) => ({ value, label: value }))}
        onChange={choose}
      />
      {region && <output className="region-words">{regionWords(region, axes)}</output>}
      {!region && known && problem.split && (
        <SettingsForm settings={known.settings} values={problem.split} onChange={set} />
      )}
    </div>
  );
}
