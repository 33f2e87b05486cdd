import { api } from "../api/client";
import type { Claim } from "../api/types";
import { useAnswer } from "../api/useAnswer";
import { csv } from "../logic/csv";
import { ALL, type ClaimFilter, claimPapers, deciding, filterClaims } from "../logic/claims";
import { saveJson, saveText } from "../logic/download";
import { plural } from "../logic/format";
import { ExportMenu } from "../parts/ExportMenu";
import { SelectField } from "../parts/Fields";
import { Panel } from "../parts/Panel";
import { Problematic, Quiet } from "../parts/Sentence";
import type { Change } from "../state/usePlace";
import { ClaimCard } from "./ClaimCard";
import { ClaimFields, VerdictCounts } from "./ClaimFilters";
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
  const filter = { paper, verdict, query };
  const claims = value ?? [];
  const chosen = filterClaims(claims, filter);
  const choose = (part: Partial<ClaimFilter>) => change(part);

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
      <ClaimFields claims={claims} filter={filter} change={choose}>
        <SelectField
          label="Scale"
          value={scale}
          options={scales.map((each) => ({ value: each, label: each }))}
          onChange={(text) => change({ scale: text })}
        />
      </ClaimFields>
      <Problematic sentence={error} />
      {!value && !error && <Quiet>Judging the recorded runs…</Quiet>}
      {value && (
        <div className={pending ? "faded" : undefined} aria-busy={pending}>
          <VerdictCounts claims={claims} filter={filter} change={choose} />
          <p role="status" className="quiet">
            {plural(chosen.length, "claim")} at scale {scale}.
          </p>
          {claimPapers(chosen).map(({ id, title }) => (
            <section key={id} className="claim-group" aria-label={title}>
              <h3>{title}</h3>
              {filterClaims(chosen, { ...ALL, paper: id }).map((claim) => (
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
      "setting",
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
    claims.map((claim) => {
      const check = deciding(claim);
      const measured = check?.measured ?? null;
      return [
        claim.id,
        claim.paper,
        claim.place,
        claim.says,
        check?.quantity ?? claim.quantity,
        check?.of,
        rangeWords(check?.expected ?? claim.expected),
        measuredWords(measured),
        typeof measured === "string" ? undefined : measured?.seeds,
        claim.verdict,
        claim.control,
        claim.control_verdict,
        claim.scale,
        claim.seconds,
        claim.command,
      ];
    }),
  );
}
