// Choosing among claims.
import type { Claim } from "../api/types";

export const VERDICTS = ["confirmed", "contradicted", "undecided", "missing"] as const;
export type VerdictWord = (typeof VERDICTS)[number];

export interface ClaimFilter {
  paper: string;
  verdict: string;
  query: string;
}

/** The claims of a paper and a verdict that hold all words of the query; an empty part filters nothing. */
export function filterClaims(claims: Claim[], { paper, verdict, query }: ClaimFilter): Claim[] {
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

export function verdictCounts(claims: Claim[]): Record<VerdictWord, number> {
  const counts = { confirmed: 0, contradicted: 0, undecided: 0, missing: 0 };
  for (const { verdict } of claims) if (verdict in counts) counts[verdict as VerdictWord] += 1;
  return counts;
}

export function claimPapers(claims: Claim[]): { id: string; title: string }[] {
  return [...new Map(claims.map(({ paper, paper_title }) => [paper, paper_title || paper]))].map(([id, title]) => ({
    id,
    title,
  }));
}
