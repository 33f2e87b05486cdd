import { useState } from "react";

/** Copies a text and says so; where the browser forbids it, the text is shown to be copied by hand. */
export function CopyButton({ text, label }: { text: () => string; label: string }) {
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
    <button type="button" className="button-quiet" onClick={() => void copy()}>
      <span role="status">{said || label}</span>
    </button>
  );
}
