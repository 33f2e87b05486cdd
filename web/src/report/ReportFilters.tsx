import { useEffect, useLayoutEffect, useState } from "react";
import { ClaimFields, VerdictCounts } from "../claims/ClaimFilters";
import { ALL, filterClaims, type ListedClaim } from "../logic/claims";
import { plural } from "../logic/format";

/** The explorer's filters over the claims that the page holds; what is not chosen is hidden. */
export function ReportFilters({ claims }: { claims: ListedClaim[] }) {
  const [filter, setFilter] = useState(ALL);
  const chosen = filterClaims(claims, filter);
  const shared = { claims, filter, change: (part: Partial<typeof filter>) => setFilter({ ...filter, ...part }) };

  useLayoutEffect(() => {
    const shown = new Set(chosen.map(({ id }) => `claim-${id}`));
    for (const claim of document.querySelectorAll<HTMLElement>(".claim")) claim.hidden = !shown.has(claim.id);
    for (const paper of document.querySelectorAll<HTMLElement>(".paper"))
      paper.hidden = !paper.querySelector(".claim:not([hidden])");
  }, [filter]);

  // A link may lead to a claim that is hidden: then all are shown.
  useEffect(() => {
    const follow = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!target?.closest("[hidden]")) return;
      setFilter(ALL);
      setTimeout(() => target.scrollIntoView());
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);

  return (
    <>
      <ClaimFields {...shared} />
      <VerdictCounts {...shared} />
      <p role="status" className="quiet">
        {plural(chosen.length, "claim")} of {claims.length}.
      </p>
    </>
  );
}
