import type { About } from "./api/types";
import { CopyButton } from "./parts/CopyButton";
import { Icon, type IconName } from "./parts/Icon";
import { nextTheme, type Theme, useTheme } from "./state/theme";

const VIEWS: [string, string][] = [
  ["explore", "Explore"],
  ["runs", "Runs"],
  ["compare", "Compare"],
  ["claims", "Claims"],
];
const ICONS: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" };

interface Props {
  view: string;
  lastOf: (view: string) => string;
  about: About | null;
}

export function Header({ view, lastOf, about }: Props) {
  const { theme, change } = useTheme();
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
      <button
        type="button"
        className="button-quiet theme"
        aria-label={`Theme: ${theme}. Switch to ${nextTheme(theme)}.`}
        onClick={() => change(nextTheme(theme))}
      >
        <Icon name={ICONS[theme]} />
        <span className="beside-icon">{theme}</span>
      </button>
    </header>
  );
}
