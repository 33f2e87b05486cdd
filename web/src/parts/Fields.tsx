import { type KeyboardEvent, type ReactNode, useContext, useEffect, useId, useRef, useState } from "react";
import { numberFault } from "../logic/numbers";
import { Faults } from "./faults";

const SETTLED = 500; // milliseconds without a key before a typed number is taken over

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

/** A number that is taken over once typing rests or ends; one that is not right is marked and reported instead. */
export function NumberField({ value, minimum, maximum, whole = true, otherwise, onChange, ...common }: NumberProps) {
  const id = useId();
  const shown = value === null ? "" : String(value);
  const [text, setText] = useState(shown);
  const [unread, setUnread] = useState(false); // the browser gives no text for what is no number at all
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const take = useRef(onChange);
  take.current = onChange;
  const report = useContext(Faults);
  const fault = numberFault(common.label, unread ? "?" : text, { whole, minimum, maximum });

  useEffect(() => {
    setText(shown);
    setUnread(false);
  }, [shown]);
  useEffect(() => {
    report(id, fault);
    return () => report(id, null);
  }, [report, id, fault]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const commit = (typed: string) => {
    clearTimeout(timer.current);
    if (numberFault(common.label, typed, { whole, minimum, maximum }) !== null) return;
    const read = typed.trim() === "" ? null : Number(typed);
    if (read !== value) take.current(read);
  };
  const type = (input: HTMLInputElement) => {
    const typed = input.value;
    setText(typed);
    setUnread(input.validity.badInput);
    clearTimeout(timer.current);
    // While it is edited a field may be empty.
    if (typed.trim() !== "") timer.current = setTimeout(() => commit(typed), SETTLED);
  };
  const leave = () => {
    if (unread || text === shown) return;
    if (text.trim() === "") setText(shown); // stays if the default is the same
    commit(text);
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
        aria-invalid={fault !== null}
        aria-describedby={fault === null ? undefined : `${id}-fault`}
        onChange={(event) => type(event.target)}
        onBlur={leave}
        onKeyDown={(event: KeyboardEvent) => event.key === "Enter" && leave()}
      />
      {fault && (
        <p className="field-fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
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
