import { useEffect, useId, useRef, useState } from "react";
import { messageOf } from "../api/useAnswer";
import { Icon } from "./Icon";

export interface Export {
  label: string;
  run: () => void | Promise<void>;
}

/** A button that opens a list of ways to save what is beside it. */
export function ExportMenu({ of, ways }: { of: string; ways: Export[] }) {
  const [open, setOpen] = useState(false);
  const [said, setSaid] = useState("");
  const frame = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();

  useEffect(() => {
    if (!open) return;
    const outside = (event: Event) => {
      if (event.target instanceof Node && !frame.current?.contains(event.target)) setOpen(false);
    };
    addEventListener("pointerdown", outside);
    addEventListener("focusin", outside);
    return () => {
      removeEventListener("pointerdown", outside);
      removeEventListener("focusin", outside);
    };
  }, [open]);

  const use = async (way: Export) => {
    setOpen(false);
    button.current?.focus();
    try {
      await way.run();
      setSaid(`${way.label} of ${of}: saved.`);
    } catch (error) {
      setSaid(`${way.label} of ${of} could not be saved: ${messageOf(error)}.`);
    }
  };

  return (
    <div
      className="menu"
      ref={frame}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        type="button"
        className="button-quiet"
        ref={button}
        aria-expanded={open}
        aria-controls={id}
        aria-label={`Export ${of}`}
        onClick={() => setOpen(!open)}
      >
        <Icon name="download" />
        Export
      </button>
      {open && (
        <ul className="menu-list" id={id}>
          {ways.map((way) => (
            <li key={way.label}>
              <button type="button" onClick={() => void use(way)}>
                {way.label}
              </button>
            </li>
          ))}
        </ul>
      )}
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </div>
  );
}
