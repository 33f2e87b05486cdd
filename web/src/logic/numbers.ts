// Whether what was typed into a field is a number that the field takes.

export interface Bounds {
  whole?: boolean | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
}

/** What is wrong with a typed number, as a sentence; null when it is right or there is nothing. */
export function numberFault(label: string, text: string, { whole = true, minimum, maximum }: Bounds): string | null {
  if (text.trim() === "") return null;
  const read = Number(text);
  const right =
    Number.isFinite(read) &&
    (!whole || Number.isInteger(read)) &&
    read >= (minimum ?? read) &&
    read <= (maximum ?? read);
  return right ? null : `${label} must be ${wanted(whole, minimum, maximum)}.`;
}

function wanted(whole: boolean, minimum: number | undefined, maximum: number | undefined): string {
  const said = (value: number) => value.toLocaleString("en-GB");
  const kind = whole ? "a whole number" : "a number";
  if (minimum !== undefined && maximum !== undefined) return `${kind} from ${said(minimum)} to ${said(maximum)}`;
  if (minimum !== undefined) return `${kind} of at least ${said(minimum)}`;
  return maximum !== undefined ? `${kind} of at most ${said(maximum)}` : kind;
}
