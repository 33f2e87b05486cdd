import { api } from "../api/client";
import type { Claim } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { csv } from "../logic/csv";
import { claimPapers, filterClaims, VERDICTS, verdictCounts } from "../logic/claims";
import { saveJson, saveText } from "../logic/download";
import { plural } from "../logic/format";
import { ExportMenu } from "../parts/ExportMenu";
import { SelectField, TextField } from "../parts/Fields";
import { Panel } from "../parts/Panel";
import { Problematic, Quiet } from "../parts/Sentence";
import { Verdict } from "../parts/Verdict";
import type { Change } from "../state/usePlace";
import { ClaimCard } from "./ClaimCard";
import { measuredWords, rangeWords } from "./words";

interface Props {
  params: Record<string, string>;
  change: Change;
  scales: string[];
}

/** Every claim of the five papers with its verdict; filtered by paper, verdict and words. */
export function ClaimsView({ params, change, scales }: Props) {
  const scale = params.scale ?? "laptop";
  const { value, error, pending } = useAnswer(scale, (signal) => api.claims(scale, signal));
  const { paper = "", verdict = "", query = "", claim: open = "" } = params;
  const chosen = filterClaims(value ?? [], { paper, verdict, query });
  const counts = verdictCounts(filterClaims(value ?? [], { paper, verdict: "", query }));
  const set = (name: string) => (text: string) => change({ [name]: text });

  return (
    <Panel
      title="Claims of the papers"
      tools={
        value && (
          <ExportMenu
            of="these claims"
            ways={[
              { label: "Claims as CSV", run: () => saveText("claims.csv", table(chosen), "text/csv") },
              { label: "Claims as JSON", run: () => saveJson("claims.json", chosen) },
            ]}
          />
        )
      }
    >
      <div className="fields">
        <SelectField
          label="Paper"
          value={paper}
          options={[
            { value: "", label: "all papers" },
            ...claimPapers(value ?? []).map(({ id, title }) => ({ value: id, label: title })),
          ]}
          onChange={set("paper")}
        />
        <SelectField
          label="Verdict"
          value={verdict}
          options={[{ value: "", label: "any verdict" }, ...VERDICTS.map((each) => ({ value: each, label: each }))]}
          onChange={set("verdict")}
        />
        <SelectField
          label="Scale"
          value={scale}
          options={scales.map((each) => ({ value: each, label: each }))}
          onChange={set("scale")}
        />
        <TextField label="Search" type="search" value={query} placeholder="words, an id…" onChange={set("query")} />
      </div>
      <Problematic sentence={error} />
      {!value && !error && <Quiet>Judging the recorded runs…</Quiet>}
      {value && (
        <div className={pending ? "faded" : undefined} aria-busy={pending}>
          <ul className="verdict-counts" aria-label="Verdicts of these claims">
            {VERDICTS.map((each) => (
              <li key={each}>
                <button
                  type="button"
                  aria-pressed={verdict === each}
                  onClick={() => change({ verdict: verdict === each ? null : each })}
                >
                  <Verdict word={each} /> <strong>{counts[each]}</strong>
                </button>
              </li>
            ))}
          </ul>
          <p role="status" className="quiet">
            {plural(chosen.length, "claim")} at scale {scale}.
          </p>
          {claimPapers(chosen).map(({ id, title }) => (
            <section key={id} className="claim-group" aria-label={title}>
              <h3>{title}</h3>
              {filterClaims(chosen, { paper: id, verdict: "", query: "" }).map((claim) => (
                <ClaimCard
                  key={claim.id}
                  claim={claim}
                  open={claim.id === open}
                  onToggle={(opened) => change({ claim: opened ? claim.id : null })}
                />
              ))}
            </section>
          ))}
        </div>
      )}
    </Panel>
  );
}

function table(claims: Claim[]): string {
  return csv(
    [
      "id",
      "paper",
      "place",
      "says",
      "quantity",
      "expected",
      "measured",
      "seeds",
      "verdict",
      "control",
      "control verdict",
      "scale",
      "seconds",
      "command",
    ],
    claims.map((claim) => [
      claim.id,
      claim.paper,
      claim.place,
      claim.says,
      claim.quantity,
      rangeWords(claim.expected),
      measuredWords(claim.measured),
      claim.measured?.seeds,
      claim.verdict,
      claim.control,
      claim.control_verdict,
      claim.scale,
      claim.seconds,
      claim.command,
    ]),
  );
}
