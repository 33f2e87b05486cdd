import type React from "react";

/** What went wrong, in the words of whoever found it. */
export function Problematic({ sentence }: { sentence: string | null }) {
  return sentence ? (
    <p className="sentence sentence-error" role="alert">
      {sentence}
    </p>
  ) : null;
}

export function Quiet({ children }: { children: React.ReactNode }) {
  return <p className="quiet">{children}</p>;
}
