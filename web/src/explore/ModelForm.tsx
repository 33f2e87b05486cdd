import type { Catalogue, Json, Settings } from "../api/types";
import { NumberField, SelectField } from "../parts/Fields";
import { SettingsForm } from "../parts/SettingsForm";
import { type Exploring, modelName } from "../state/exploring";

interface Props {
  catalogue: Catalogue;
  /** Networks that fit the problem; null while that is not known. */
  fitting: string[] | null;
  exploring: Exploring;
  onChange: (change: Partial<Exploring>) => void;
}

const MOST_SEED = 99_999; // that the server takes

/** The network with its settings, and how long and how fast it learns. */
export function ModelForm({ catalogue, fitting, exploring, onChange }: Props) {
  const { model, recipe, seed } = exploring;
  const name = modelName(model);
  const offered = catalogue.models.filter((each) => !fitting || fitting.includes(each.name) || each.name === name);
  const chosen = catalogue.models.find((each) => each.name === name);
  const settings: Settings = typeof model === "string" ? { kind: model } : model;

  const setModel = (setting: string, value: Json | undefined) => {
    const next: Settings = { ...settings };
    if (value === undefined) delete next[setting];
    else next[setting] = value;
    onChange({ model: next });
  };
  const setRecipe = (setting: string) => (value: number | null) => {
    const next: Settings = { ...recipe };
    if (value === null) delete next[setting];
    else next[setting] = value;
    onChange({ recipe: next });
  };
  const field = (setting: string) => {
    const value = recipe[setting];
    const { default: usual, minimum, maximum } = catalogue.recipe[setting] ?? {};
    const otherwise = String(value ?? usual ?? "");
    const now = typeof value === "number" ? value : null;
    return { value: now, otherwise, minimum, maximum, onChange: setRecipe(setting) };
  };

  return (
    <>
      <div className="fields">
        <SelectField
          label="Network"
          value={name}
          says={chosen?.says}
          options={offered.map((each) => ({ value: each.name, label: each.name }))}
          onChange={(kind) => onChange({ model: { kind } })}
        />
        <NumberField label="Steps" {...field("steps")} />
        <NumberField label="Batch" {...field("batch")} />
        <NumberField label="Rate" whole={false} {...field("rate")} />
        <NumberField
          label="Seed"
          value={seed}
          minimum={0}
          maximum={MOST_SEED}
          onChange={(value) => onChange({ seed: value ?? 0 })}
        />
      </div>
      {chosen && Object.keys(chosen.settings).length > 0 && (
        <details className="more">
          <summary>Settings of the network</summary>
          <SettingsForm key={name} settings={chosen.settings} values={settings} onChange={setModel} />
        </details>
      )}
    </>
  );
}
