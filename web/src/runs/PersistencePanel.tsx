import { useRef } from "react";
import type { Inside } from "../api/types";
import { PersistenceDiagram } from "../charts/PersistenceDiagram";
import { csv } from "../logic/csv";
import { saveSvg, saveText } from "../logic/download";
import { ExportMenu } from "../parts/ExportMenu";
import { Panel } from "../parts/Panel";
import { Quiet } from "../parts/Sentence";

/** Holes of the representation: when each appears and when it is filled. */
export function PersistencePanel({ inside }: { inside: Inside }) {
  const svg = useRef<SVGSVGElement>(null);
  const { persistence } = inside;
  const rows = () =>
    Object.entries(persistence ?? {}).flatMap(([degree, bars]) => bars.map(([birth, death]) => [degree, birth, death]));
  return (
    <Panel
      title="Persistence"
      tools={
        persistence && (
          <ExportMenu
            of="the persistence diagram"
            ways={[
              { label: "PNG", run: () => (svg.current ? saveSvg("persistence.png", svg.current) : undefined) },
              {
                label: "CSV",
                run: () => saveText("persistence.csv", csv(["degree", "birth", "death"], rows()), "text/csv"),
              },
            ]}
          />
        )
      }
    >
      {persistence ? (
        <PersistenceDiagram persistence={persistence} svg={svg} />
      ) : (
        <Quiet>The persistence of this layer was not worked out.</Quiet>
      )}
    </Panel>
  );
}
