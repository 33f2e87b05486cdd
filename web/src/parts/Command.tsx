import { CopyButton } from "./CopyButton";

/** A command to be typed in a terminal. */
export function Command({ text }: { text: string }) {
  return (
    <div className="command">
      <code>{text}</code>
      <CopyButton text={() => text} label="Copy" />
    </div>
  );
}
