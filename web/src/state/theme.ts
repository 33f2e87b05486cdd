import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "recombine-theme";
const CHANGED = "recombine-theme-changed";
const systemDark = () => matchMedia("(prefers-color-scheme: dark)");

let chosen: Theme = "system"; // where nothing can be stored: some browsers refuse that to files

function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? chosen;
  } catch {
    return chosen;
  }
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
}

/** Called before anything is drawn too, so that no page flashes in the other theme. */
export function showStoredTheme(): void {
  const theme = stored();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function change(theme: Theme): void {
  chosen = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It then holds until the page is left.
  }
  showStoredTheme();
  dispatchEvent(new Event(CHANGED));
}

function subscribe(changed: () => void): () => void {
  const query = systemDark();
  addEventListener(CHANGED, changed);
  query.addEventListener("change", changed);
  return () => {
    removeEventListener(CHANGED, changed);
    query.removeEventListener("change", changed);
  };
}

/** The chosen theme, and whether the page is dark now. */
export function useTheme(): { theme: Theme; dark: boolean; change: (theme: Theme) => void } {
  const theme = useSyncExternalStore(subscribe, stored);
  const dark = useSyncExternalStore(subscribe, () => theme === "dark" || (theme === "system" && systemDark().matches));
  return { theme, dark, change };
}
