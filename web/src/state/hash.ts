// What is on the page, as the part of an address behind "#": a path and its parameters.

export interface Place {
  path: string[];
  params: Record<string, string>;
}

export function readHash(hash: string): Place {
  const [path = "", search = ""] = split(hash.replace(/^#?\/?/, ""), "?");
  const words = path.split("/").filter(Boolean).map(decoded);
  return { path: words.length ? words : ["explore"], params: Object.fromEntries(new URLSearchParams(search)) };
}

export function writeHash(place: Place): string {
  const given = Object.entries(place.params).filter(([, value]) => value !== "");
  const search = new URLSearchParams(given.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
  return `#/${place.path.map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word; // a lone "%" in a hand-written link
  }
}
