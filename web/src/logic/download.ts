// Saving what is shown as a file, without asking a server.

export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export function saveText(name: string, text: string, type: string): void {
  save(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function saveJson(name: string, value: unknown): void {
  saveText(name, `${JSON.stringify(value, null, 2)}\n`, "application/json");
}

export async function saveCanvas(name: string, canvas: HTMLCanvasElement): Promise<void> {
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("the browser could not write this picture as PNG");
  save(name, blob);
}

/** A canvas with lines of words below it, in the colours of the page, so that a file says what it shows. */
export function captioned(canvas: HTMLCanvasElement, lines: string[]): HTMLCanvasElement {
  const found = document.createElement("canvas");
  const context = found.getContext("2d");
  if (!context) throw new Error("the browser could not open a canvas");
  const ratio = devicePixelRatio || 1;
  const [font, step, edge] = [`${13 * ratio}px system-ui, sans-serif`, 20 * ratio, 8 * ratio];
  context.font = font;
  const widest = Math.max(...lines.map((line) => context.measureText(line).width));
  found.width = Math.ceil(Math.max(canvas.width, widest) + 2 * edge);
  found.height = Math.ceil(canvas.height + step * lines.length + 2 * edge);
  const style = getComputedStyle(document.body);
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, found.width, found.height);
  context.drawImage(canvas, edge, edge);
  context.font = font; // a canvas forgets it when its size is set
  context.fillStyle = style.color;
  lines.forEach((line, index) => context.fillText(line, edge, edge + canvas.height + step * (index + 0.8)));
  return found;
}

const COPIED = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "fill-opacity",
  "stroke-opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
];

/** An SVG drawing as a PNG of twice its size, in the colours that it has on the page. */
export async function saveSvg(name: string, svg: SVGSVGElement): Promise<void> {
  const { width, height } = svg.getBoundingClientRect();
  const copy = withStyles(svg);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  await saveDrawn(name, image, width, height, getComputedStyle(document.body).backgroundColor);
}

/** A picture of the page as a PNG of twice its own size, on white as it is shown. */
export function saveImage(name: string, image: HTMLImageElement): Promise<void> {
  return saveDrawn(name, image, image.naturalWidth, image.naturalHeight, "#ffffff");
}

async function saveDrawn(
  name: string,
  image: HTMLImageElement,
  width: number,
  height: number,
  ground: string,
): Promise<void> {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(2 * width), Math.round(2 * height)];
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser could not open a canvas");
  context.fillStyle = ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  await saveCanvas(name, canvas);
}

/** A copy that needs no style sheet: what each element computes to is written on it. */
function withStyles(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [originals, copies] = [svg.querySelectorAll<SVGElement>("*"), copy.querySelectorAll<SVGElement>("*")];
  originals.forEach((original, index) => {
    const style = getComputedStyle(original);
    const target = copies[index];
    if (style.display === "none") target?.setAttribute("display", "none");
    for (const property of COPIED) target?.setAttribute(property, style.getPropertyValue(property));
  });
  return copy;
}
