import type { About } from "./api/types";
import { CopyButton } from "./parts/CopyButton";
import { ThemeButton } from "./parts/ThemeButton";

const VIEWS: [string, string][] = [
  ["explore", "Explore"],
  ["runs", "Runs"],
  ["compare", "Compare"],
  ["claims", "Claims"],
];

interface Props {
  view: string;
  lastOf: (view: string) => string;
  about: About | null;
}

export function Header({ view, lastOf, about }: Props) {
  const shown = view === "run" ? "runs" : view;
  return (
    <header className="page-head">
      <a className="brand" href="#/explore" title={about ? `version ${about.version}` : undefined}>
        recombine
      </a>
      <nav aria-label="Views">
        {VIEWS.map(([id, title]) => (
          <a key={id} href={lastOf(id)} aria-current={id === shown ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <CopyButton text={() => new URL(lastOf(view), location.href).href} label="Copy link" icon="link" />
      <ThemeButton />
    </header>
  );
}
