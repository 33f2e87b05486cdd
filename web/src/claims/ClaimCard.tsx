import { useEffect, useId, useRef } from "react";
import type { Claim, ClaimCheck } from "../api/types";
import { IntervalChart, type IntervalRow } from "../charts/IntervalChart";
import { deciding } from "../logic/claims";
import { duration } from "../logic/format";
import { Command } from "../parts/Command";
import { Icon } from "../parts/Icon";
import { Verdict } from "../parts/Verdict";
import { ClaimChecks } from "./ClaimChecks";
import { ClaimFigure } from "./ClaimFigure";
import { measuredWords, quantityWords, rangeWords } from "./words";

interface Props {
  claim: Claim;
  open: boolean;
  onToggle: (open: boolean) => void;
}

/** One claim: a line, and when it is opened everything about how it was judged. */
export function ClaimCard({ claim, open, onToggle }: Props) {
  const id = useId();
  const check = deciding(claim);
  const card = useRef<HTMLElement>(null);
  // Only when it is there already as the list appears: then a link led to it.
  useEffect(() => {
    if (open) card.current?.scrollIntoView();
  }, []);
  return (
    <article ref={card} className="claim" id={`claim-${claim.id}`}>
      <h4>
        <button
          type="button"
          className="claim-head"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => onToggle(!open)}
        >
          <span className={open ? "turned" : undefined}>
            <Icon name="open" />
          </span>
          <span className="claim-id">{claim.id}</span>
          <Verdict word={claim.verdict} />
          <span className="claim-says">{claim.says}</span>
        </button>
      </h4>
      {open && (
        <div className="claim-body" id={id}>
          <dl className="facts">
            <Fact name="Paper" value={`${claim.paper_title || claim.paper}, ${claim.place}`} />
            {check && (
              <>
                <Fact name="Quantity" value={quantityWords(check)} />
                <Fact name="Must be" value={`${rangeWords(check.expected)} (${check.source})`} />
                <Fact name="Measured" value={measuredWords(check.measured)} />
              </>
            )}
            <div>
              <dt>Control</dt>
              <dd>
                {claim.control}: <ControlVerdict word={claim.control_verdict} />
              </dd>
            </div>
            <Fact
              name="Scale"
              value={claim.seconds ? `${claim.scale}, ${duration(claim.seconds)} of training` : claim.scale}
            />
          </dl>
          {check && <Measurement check={check} />}
          {claim.checks.length > 1 && <ClaimChecks checks={claim.checks} />}
          {claim.figure && <ClaimFigure claim={claim} />}
          <h5>Reproduce it</h5>
          <Command text={claim.command} />
        </div>
      )}
    </article>
  );
}

/** A control must come out the other way: contradicted is what is wanted of it. */
function ControlVerdict({ word }: { word: string }) {
  if (word === "contradicted") {
    return (
      <>
        <Verdict word={word} tone="good" /> as a control must be
      </>
    );
  }
  if (word !== "confirmed") return <Verdict word={word} />;
  return (
    <>
      <Verdict word={word} tone="bad" /> so this check tells nothing apart
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Measurement({ check }: { check: ClaimCheck }) {
  const { measured, expected } = check;
  if (measured === null || typeof measured === "string") return null; // a note says why
  const row: IntervalRow = {
    name: "measured",
    expected: measured.estimate,
    low: measured.low,
    high: measured.high,
    ...(typeof expected === "string" ? {} : { range: expected }),
  };
  return (
    <IntervalChart
      label={`Measured ${quantityWords(check)} against the range it must lie in`}
      quantity={`${check.quantity} (shaded: must be)`}
      rows={[row]}
    />
  );
}
