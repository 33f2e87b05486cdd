import { type ReactNode, useId } from "react";

interface Props {
  title: ReactNode;
  tools?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A titled part of a view. */
export function Panel({ title, tools, className = "", children }: Props) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        {tools && <div className="panel-tools">{tools}</div>}
      </header>
      {children}
    </section>
  );
}
