import { nextTheme, type Theme, useTheme } from "../state/theme";
import { Icon, type IconName } from "./Icon";

const ICONS: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" };

export function ThemeButton() {
  const { theme, change } = useTheme();
  return (
    <button
      type="button"
      className="button-quiet theme"
      aria-label={`Theme: ${theme}. Switch to ${nextTheme(theme)}.`}
      onClick={() => change(nextTheme(theme))}
    >
      <Icon name={ICONS[theme]} />
      <span className="beside-icon">{theme}</span>
    </button>
  );
}
