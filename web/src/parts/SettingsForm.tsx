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
        <SettingField key={name} name={name} setting={setting} value={values[name]} onChange={(value) => onChange(name, value)} />
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
  if (setting.choices?.length) {
    const options = setting.choices.map((choice) => ({ value: JSON.stringify(choice), label: String(choice) }));
    const taken = (text: string) => onChange(JSON.parse(text) as Json);
    return <SelectField {...common} value={JSON.stringify(now)} options={options} onChange={taken} />;
  }
  if (/^bool/.test(setting.type)) return <CheckField {...common} value={now === true} onChange={onChange} />;
  if (!/^(int|float|number)/.test(setting.type) || (now !== null && typeof now !== "number")) return null;
  return (
    <NumberField
      {...common}
      value={now}
      minimum={setting.minimum}
      maximum={setting.maximum}
      whole={/^int/.test(setting.type)}
      onChange={(read) => onChange(read ?? undefined)}
    />
  );
}
