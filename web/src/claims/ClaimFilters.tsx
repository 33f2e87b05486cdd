import type { ReactNode } from "react";
import {
  type ClaimFilter,
  claimPapers,
  type ListedClaim,
  VERDICTS,
  verdictCounts,
  filterClaims,
} from "../logic/claims";
import { SelectField, TextField } from "../parts/Fields";
import { Verdict } from "../parts/Verdict";

interface Props {
  claims: ListedClaim[];
  filter: ClaimFilter;
  change: (part: Partial<ClaimFilter>) => void;
}

/** Fields that choose among claims; more fields may stand between verdict and search. */
export function ClaimFields({ claims, filter, change, children }: Props & { children?: ReactNode }) {
  return (
    <div className="fields">
      <SelectField
        label="Paper"
        value={filter.paper}
        options={[
          { value: "", label: "all papers" },
          ...claimPapers(claims).map(({ id, title }) => ({ value: id, label: title })),
        ]}
        onChange={(paper) => change({ paper })}
      />
      <SelectField
        label="Verdict"
        value={filter.verdict}
        options={[{ value: "", label: "any verdict" }, ...VERDICTS.map((each) => ({ value: each, label: each }))]}
        onChange={(verdict) => change({ verdict })}
      />
      {children}
      <TextField
        label="Search"
        type="search"
        value={filter.query}
        placeholder="words, an id…"
        onChange={(query) => change({ query })}
      />
    </div>
  );
}

/** How many claims came out which way, whatever verdict is chosen; a press chooses it, another takes that back. */
export function VerdictCounts({ claims, filter, change }: Props) {
  const counts = verdictCounts(filterClaims(claims, { ...filter, verdict: "" }));
  return (
    <ul className="verdict-counts" aria-label="Verdicts of these claims">
      {VERDICTS.map((each) => (
        <li key={each}>
          <button
            type="button"
            aria-pressed={filter.verdict === each}
            onClick={() => change({ verdict: filter.verdict === each ? "" : each })}
          >
            <Verdict word={each} /> <strong>{counts[each]}</strong>
          </button>
        </li>
      ))}
    </ul>
  );
}
