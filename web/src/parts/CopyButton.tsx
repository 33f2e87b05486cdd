import { useState } from "react";
import { Icon, type IconName } from "./Icon";

/** Copies a text and says so; where the browser forbids it, the text is shown to be copied by hand. */
export function CopyButton({ text, label, icon }: { text: () => string; label: string; icon?: IconName }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid("Copied");
    } catch {
      prompt("Copy this text:", text());
    }
    setTimeout(() => setSaid(""), 2000);
  };
  return (
    <>
      <button type="button" className="button-quiet" onClick={() => void copy()}>
        {icon && <Icon name={icon} />}
        <span className={icon && !said ? "beside-icon" : undefined}>{said || label}</span>
      </button>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  );
}
