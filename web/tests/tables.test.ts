import { describe, expect, it } from "vitest";
import type { Claim, Course } from "../src/api/types";
import { claimPapers, deciding, filterClaims, verdictCounts } from "../src/logic/claims";
import { csv, mapRows } from "../src/logic/csv";
import { differences } from "../src/logic/differences";
import { courseMeasures, courseSeries, lossSeries } from "../src/logic/losses";
import { flatMeasures, pairedMeasures } from "../src/logic/measures";

describe("comma-separated values", () => {
  it("quote what needs it", () => {
    expect(
      csv(
        ["a", "b"],
        [
          ["x,y", 'say "so"'],
          ["two\nlines", null],
        ],
      ),
    ).toBe('a,b\r\n"x,y","say ""so"""\r\n"two\nlines",\r\n');
  });

  it("keep numbers as they are and text from being run as a formula", () => {
    expect(csv(["a"], [[-0.5], ["=1+1"], ["-x"]])).toBe("a\r\n-0.5\r\n'=1+1\r\n'-x\r\n");
  });

  it("have a row per cell of a map", () => {
    expect(
      mapRows(
        [
          [1, null, 3],
          [4, 5, 6],
        ],
        ["0", "1"],
        ["a", "b", "c"],
      ),
    ).toEqual([
      ["0", "a", 1],
      ["0", "b", null],
      ["0", "c", 3],
      ["1", "a", 4],
      ["1", "b", 5],
      ["1", "c", 6],
    ]);
  });
});

it("flattens measures, and pairs those of two runs", () => {
  const nested = { ood: 0.5, by: { rim: 1, deep: { a: null } }, list: [2, 3], words: "no" };
  expect(flatMeasures(nested).map(({ name }) => name)).toEqual(["ood", "by.rim", "by.deep.a", "list.0", "list.1"]);
  expect(pairedMeasures({ a: 1, b: 2 }, { b: 3, c: 4 })).toEqual([
    { name: "a", a: 1, b: null },
    { name: "b", a: 2, b: 3 },
    { name: "c", a: null, b: 4 },
  ]);
});

it("finds where two descriptions differ, and nothing where they agree", () => {
  const a = { problem: { task: { kind: "bump", n: 20 }, isolated: ["y", "x"] }, seed: 0 };
  expect(differences(a, structuredClone(a))).toEqual([]);
  expect(differences(a, { problem: { task: { kind: "bump", n: 16 } }, seed: 1 })).toEqual([
    { name: "problem.task.n", a: "20", b: "16" },
    { name: "problem.isolated", a: '["y", "x"]', b: "–" },
    { name: "seed", a: "0", b: "1" },
  ]);
  expect(differences({ model: "mlp" }, { model: { kind: "mlp" } })).toEqual([
    { name: "model", a: "mlp", b: '{"kind":"mlp"}' },
  ]);
});

it("draws the error beside the loss only where penalties set them apart", () => {
  const rows = [[0, 1, 1], [5, 0.5, 0.5]]; // prettier-ignore
  expect(lossSeries(rows)).toEqual([{ name: "loss", points: [[0, 1], [5, 0.5]] }]); // prettier-ignore
  expect(lossSeries([[0, 1, null], [5, 0.5, 0.2]])[1]).toEqual({ name: "without penalties", points: [[5, 0.2]] }); // prettier-ignore
});

it("sorts a course into curves of one measure", () => {
  const course = { id_nmse: [[1, 0.5]], ood_nmse: [[1, 0.9]], id_accuracy: [[1, 1]] } as Course;
  expect(courseMeasures(course)).toEqual(["nmse", "accuracy"]);
  expect(courseSeries(course, "nmse").map(({ name }) => name)).toEqual(["shown", "held out"]);
});

describe("claims", () => {
  const claim = (id: string, paper: string, verdict: string, says: string) =>
    ({ id, paper, paper_title: `Paper ${paper}`, verdict, says, place: "", quantity: "", control: "" }) as Claim;
  const claims = [
    claim("A1", "a", "confirmed", "Bumps compose"),
    claim("A2", "a", "missing", "Stripes do not"),
    claim("B1", "b", "confirmed", "Sums shrink"),
  ];

  it("are filtered by paper, verdict and all words", () => {
    const ids = (filter: Partial<Record<"paper" | "verdict" | "query", string>>) =>
      filterClaims(claims, { paper: "", verdict: "", query: "", ...filter }).map(({ id }) => id);
    expect(ids({})).toEqual(["A1", "A2", "B1"]);
    expect(ids({ paper: "a", verdict: "confirmed" })).toEqual(["A1"]);
    expect(ids({ query: "do stripes" })).toEqual(["A2"]);
    expect(ids({ query: "b1" })).toEqual(["B1"]);
  });

  it("are counted, and their papers listed once", () => {
    expect(verdictCounts(claims)).toEqual({ confirmed: 2, contradicted: 0, undecided: 0, missing: 1 });
    expect(claimPapers(claims)).toEqual([
      { id: "a", title: "Paper a" },
      { id: "b", title: "Paper b" },
    ]);
  });
});

it("names the check that decided a claim", () => {
  const check = (of: string, verdict: string) => ({
    quantity: "ood_accuracy",
    of,
    expected: "",
    source: "",
    verdict,
    measured: null,
    beside: "",
  });
  const checks = [check("all", "confirmed"), check("none", "contradicted")];
  expect(deciding({ verdict: "contradicted", checks })?.of).toBe("none");
  expect(deciding({ verdict: "confirmed", checks })?.of).toBe("all");
  expect(deciding({ verdict: "missing", checks })?.of).toBe("all");
});
