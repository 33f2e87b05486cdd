// Choosing among claims.
import type { Claim, ClaimCheck } from "../api/types";

export const VERDICTS = ["confirmed", "contradicted", "undecided", "missing"] as const;
export type VerdictWord = (typeof VERDICTS)[number];

/** What claims are listed by, here and in the report. */
export type ListedClaim = Pick<
  Claim,
  "id" | "paper" | "paper_title" | "place" | "says" | "quantity" | "control" | "verdict"
>;

export interface ClaimFilter {
  paper: string;
  verdict: string;
  query: string;
}

export const ALL: ClaimFilter = { paper: "", verdict: "", query: "" };

/** The claims of a paper and a verdict that hold all words of the query; an empty part filters nothing. */
export function filterClaims<C extends ListedClaim>(claims: C[], { paper, verdict, query }: ClaimFilter): C[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return claims.filter((claim) => {
    const text = `${claim.id} ${claim.place} ${claim.says} ${claim.quantity} ${claim.control}`.toLowerCase();
    return (
      (!paper || claim.paper === paper) &&
      (!verdict || claim.verdict === verdict) &&
      wanted.every((word) => text.includes(word))
    );
  });
}

/** The first check that came out as the claim did: one that decided it. */
export function deciding({ verdict, checks }: Pick<Claim, "verdict" | "checks">): ClaimCheck | undefined {
  return checks.find((check) => check.verdict === verdict) ?? checks[0];
}

export function verdictCounts(claims: ListedClaim[]): Record<VerdictWord, number> {
  const counts = { confirmed: 0, contradicted: 0, undecided: 0, missing: 0 };
  for (const { verdict } of claims) if (verdict in counts) counts[verdict as VerdictWord] += 1;
  return counts;
}

export function claimPapers(claims: ListedClaim[]): { id: string; title: string }[] {
  return [...new Map(claims.map(({ paper, paper_title }) => [paper, paper_title || paper]))].map(([id, title]) => ({
    id,
    title,
  }));
}
