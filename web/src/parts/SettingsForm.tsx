import type { Json, Setting, Settings } from "../api/types";
import { words } from "../logic/format";
import { CheckField, NumberField, SelectField } from "./Fields";

interface Props {
  settings: Record<string, Setting>;
  values: Settings;
  onChange: (name: string, value: Json | undefined) => void;
}

/** Fields for the settings that are one number, one choice or a yes; lists and mappings are left to the problem's text. */
export function SettingsForm({ settings, values, onChange }: Props) {
  return (
    <div className="fields">
      {Object.entries(settings).map(([name, setting]) => (
        <SettingField
          key={name}
          name={name}
          setting={setting}
          value={values[name]}
          onChange={(value) => onChange(name, value)}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  name: string;
  setting: Setting;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
}

function SettingField({ name, setting, value, onChange }: FieldProps) {
  const now = value ?? setting.default ?? null;
  const common = { label: words(name), says: setting.says };
  if (setting.choices?.length && (setting.type === "choice" || setting.type === "member")) {
    const chosen = kindOf(now);
    const options = setting.choices.map((choice) => ({ value: JSON.stringify(choice), label: String(choice) }));
    const none = chosen === null ? [{ value: "null", label: "none" }] : [];
    const taken = (text: string) => onChange(JSON.parse(text) as Json);
    return <SelectField {...common} value={JSON.stringify(chosen)} options={[...none, ...options]} onChange={taken} />;
  }
  if (setting.type === "boolean") return <CheckField {...common} value={now === true} onChange={onChange} />;
  if (setting.type !== "integer" && setting.type !== "number") return null;
  const word = typeof now === "string" ? now : undefined; // such as a batch of "all"
  return (
    <NumberField
      {...common}
      value={typeof now === "number" ? now : null}
      otherwise={word}
      minimum={setting.minimum}
      maximum={setting.maximum}
      whole={setting.type === "integer"}
      onChange={(read) => onChange(read ?? undefined)}
    />
  );
}

/** The name of a registered kind, with or without settings of its own. */
function kindOf(value: Json): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value.kind ?? null) : value;
}
