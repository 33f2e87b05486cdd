import { type ReactNode, useEffect, useId, useState } from "react";

interface Common {
  label: string;
  says?: string | undefined;
}

function Field({ id, label, says, children }: Common & { id: string; children: ReactNode }) {
  return (
    <div className="field" title={says}>
      <label htmlFor={id}>{label}</label>
      {children}
    </div>
  );
}

interface SelectProps extends Common {
  value: string;
  options: { value: string; label: string; group?: string }[];
  onChange: (value: string) => void;
}

export function SelectField({ value, options, onChange, ...common }: SelectProps) {
  const id = useId();
  const groups = [...new Set(options.map(({ group }) => group))];
  const list = (group: string | undefined) =>
    options
      .filter((option) => option.group === group)
      .map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ));
  return (
    <Field id={id} {...common}>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {groups.map((group) =>
          group ? (
            <optgroup key={group} label={group}>
              {list(group)}
            </optgroup>
          ) : (
            list(undefined)
          ),
        )}
      </select>
    </Field>
  );
}

interface NumberProps extends Common {
  value: number | null;
  minimum?: number | undefined;
  maximum?: number | undefined;
  whole?: boolean;
  /** Shown where there is no number: what then holds. */
  otherwise?: string | undefined;
  onChange: (value: number | null) => void;
}

/** A number that is taken over when it is a number; while it is being typed it may be anything. */
export function NumberField({ value, minimum, maximum, whole = true, otherwise, onChange, ...common }: NumberProps) {
  const id = useId();
  const [text, setText] = useState(value === null ? "" : String(value));
  useEffect(() => setText(value === null ? "" : String(value)), [value]);
  const take = (typed: string) => {
    setText(typed);
    if (typed.trim() === "") return onChange(null);
    const read = Number(typed);
    if (Number.isFinite(read) && (!whole || Number.isInteger(read))) onChange(read);
  };
  return (
    <Field id={id} {...common}>
      <input
        id={id}
        type="number"
        inputMode={whole ? "numeric" : "decimal"}
        value={text}
        placeholder={otherwise}
        min={minimum}
        max={maximum}
        step={whole ? 1 : "any"}
        onChange={(event) => take(event.target.value)}
      />
    </Field>
  );
}

interface SliderProps extends Common {
  value: number;
  minimum: number;
  maximum: number;
  words: string;
  onChange: (value: number) => void;
}

export function SliderField({ value, minimum, maximum, words, onChange, ...common }: SliderProps) {
  const id = useId();
  return (
    <Field id={id} {...common}>
      <div className="slider">
        <input
          id={id}
          type="range"
          min={minimum}
          max={maximum}
          value={value}
          aria-valuetext={words}
          onChange={(event) => onChange(Number(event.target.value))}
        />
        <output htmlFor={id}>{words}</output>
      </div>
    </Field>
  );
}

interface TextProps extends Common {
  value: string;
  type?: "text" | "search";
  placeholder?: string;
  onChange: (value: string) => void;
}

export function TextField({ value, type = "text", placeholder, onChange, ...common }: TextProps) {
  const id = useId();
  return (
    <Field id={id} {...common}>
      <input
        id={id}
        type={type}
        value={value}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

export function CheckField({
  value,
  onChange,
  ...common
}: Common & { value: boolean; onChange: (value: boolean) => void }) {
  const id = useId();
  return (
    <div className="field field-check" title={common.says}>
      <input id={id} type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} />
      <label htmlFor={id}>{common.label}</label>
    </div>
  );
}
