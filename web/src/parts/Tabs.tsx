import { type KeyboardEvent, useId, useRef } from "react";
import type { ReactNode } from "react";

interface Props {
  label: string;
  tabs: { id: string; title: string }[];
  chosen: string;
  onChoose: (id: string) => void;
  children: ReactNode;
}

/** A row of tabs, one of them open; arrow keys go along the row. */
export function Tabs({ label, tabs, chosen, onChoose, children }: Props) {
  const base = useId();
  const row = useRef<HTMLDivElement>(null);
  const key = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = (tabs.findIndex(({ id }) => id === chosen) + step + tabs.length) % tabs.length;
    onChoose(tabs[at]?.id ?? chosen);
    row.current?.querySelectorAll<HTMLElement>("[role=tab]")[at]?.focus();
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} ref={row} onKeyDown={key}>
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${base}-${id}`}
            aria-selected={id === chosen}
            aria-controls={`${base}-panel`}
            tabIndex={id === chosen ? 0 : -1}
            onClick={() => onChoose(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
