import { type MouseEvent, useEffect } from "react";
import { api } from "./api/client";
import { useAnswer } from "./api/useAnswer";
import { ClaimsView } from "./claims/ClaimsView";
import { CompareView } from "./compare/CompareView";
import { ExploreView } from "./explore/ExploreView";
import { Header } from "./Header";
import { Problematic, Quiet } from "./parts/Sentence";
import { RunsView } from "./runs/RunsView";
import { RunView } from "./runs/RunView";
import { usePlace } from "./state/usePlace";

const TITLES: Record<string, string> = {
  explore: "Explore",
  runs: "Runs",
  run: "Run",
  compare: "Compare",
  claims: "Claims",
};

export function App() {
  const { place, change, lastOf } = usePlace();
  const [view = "explore", name = ""] = place.path;
  const catalogue = useAnswer("catalogue", api.catalogue);
  const about = useAnswer("about", api.about);

  useEffect(() => {
    document.title = `${TITLES[view] ?? "Not found"} · recombine`;
  }, [view]);

  const props = { params: place.params, change };
  return (
    <>
      <a className="skip-link" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <Header view={view} lastOf={lastOf} about={about.value} />
      <main id="main" tabIndex={-1}>
        <Problematic sentence={catalogue.error} />
        {view === "explore" &&
          (catalogue.value ? <ExploreView {...props} catalogue={catalogue.value} /> : <Quiet>Loading…</Quiet>)}
        {view === "runs" && <RunsView {...props} catalogue={catalogue.value} papers={about.value?.papers ?? []} />}
        {view === "run" && <RunView {...props} digest={name} key={name} />}
        {view === "compare" && <CompareView {...props} />}
        {view === "claims" && (
          <ClaimsView {...props} scales={about.value?.scale_names ?? ["quick", "laptop", "paper"]} />
        )}
        {!(view in TITLES) && <Problematic sentence={`There is no view named “${view}”; choose one above.`} />}
      </main>
    </>
  );
}

// The part behind "#" is the state of the page, so a link within the page cannot use it.
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
