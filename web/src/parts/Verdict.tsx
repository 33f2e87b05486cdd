import { capital } from "../logic/format";
import { Icon, type IconName } from "./Icon";

type Tone = "good" | "bad" | "unsure" | "missing";

const TONES: Record<string, Tone> = {
  confirmed: "good",
  contradicted: "bad",
  undecided: "unsure",
  missing: "missing",
  done: "good",
  failed: "bad",
};
const ICONS: Record<Tone, IconName> = { good: "yes", bad: "no", unsure: "unsure", missing: "missing" };

/** A verdict as a word with a mark; colour only repeats what both say. */
export function Verdict({ word, tone }: { word: string; tone?: Tone }) {
  const shown = tone ?? TONES[word] ?? "missing";
  return (
    <span className={`verdict verdict-${shown}`}>
      <Icon name={ICONS[shown]} />
      {capital(word)}
    </span>
  );
}

export function Composes({ composes }: { composes: boolean | null }) {
  if (composes === null) return <Verdict word="undecided" tone="unsure" />;
  return composes ? <Verdict word="composes" tone="good" /> : <Verdict word="does not compose" tone="bad" />;
}
