// What the bundle was built from, and what it is: a test recomputes both without Node.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

const LISTED = ["digest.ts", "index.html", "package-lock.json", "package.json", "tsconfig.json", "vite.config.ts"];

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Lines of digest and path, as sha256sum writes them, sorted by path. */
function lines(root: string, files: string[]): string {
  const named = files.map((file) => [relative(root, file).split(sep).join("/"), file] as const);
  named.sort(([a], [b]) => (a < b ? -1 : 1));
  return named.map(([name, file]) => `${sha256(readFileSync(file))}  ${name}\n`).join("");
}

/** Writes `sources.sha256`: one digest over all sources, then one for each built file. */
export function writeDigest(root: string, bundle: string): void {
  const sources = [...LISTED.map((name) => join(root, name)), ...filesUnder(join(root, "src"))];
  const built = filesUnder(bundle).filter((file) => !file.endsWith("sources.sha256"));
  const whole = `${sha256(lines(root, sources))}  sources\n${lines(bundle, built)}`;
  writeFileSync(join(bundle, "sources.sha256"), whole);
}
