import type { CellAnswer, Picture } from "../api/types";
import { differenceDomain, isPicture, sharedDomain } from "../logic/answers";
import { css } from "../logic/colour";
import { saveCanvas } from "../logic/download";
import { pixelColour } from "../logic/pixel";

const SIZE = 8; // pixels of the file for one of a picture
const GAP = 8;

const LEAST = 84; // pixels of the file that a title needs
const TITLE = 20; // pixels of the file below a picture

interface Shown {
  title: string;
  picture: Picture;
  ends: [number, number];
  difference: boolean;
}

/** Input, target, forecast, output and difference of a cell beside each other, each with its title, as one file. */
export async function saveAnswers(name: string, cell: CellAnswer): Promise<void> {
  const pictures = picturesOf(cell);
  if (!pictures.length) throw new Error("this task answers with numbers, so save the cell as JSON");
  const canvas = document.createElement("canvas");
  const widthOf = ({ picture }: Shown) => Math.max(LEAST, SIZE * (picture[0]?.length ?? 0));
  const high = SIZE * Math.max(...pictures.map(({ picture }) => picture.length));
  canvas.height = high + TITLE;
  canvas.width = pictures.reduce((sum, each) => sum + widthOf(each) + GAP, -GAP);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser could not open a canvas");
  const style = getComputedStyle(document.body);
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.font = "14px system-ui, sans-serif";
  let left = 0;
  for (const shown of pictures) {
    shown.picture.forEach((row, y) =>
      row.forEach((value, x) => {
        context.fillStyle = css(pixelColour(value, shown.ends, shown.difference));
        context.fillRect(left + x * SIZE, y * SIZE, SIZE, SIZE);
      }),
    );
    context.fillStyle = style.color;
    context.fillText(shown.title, left, high + 15);
    left += widthOf(shown) + GAP;
  }
  await saveCanvas(name, canvas);
}

/** The pictures of a cell in the order in which they are shown, each with the ends of its shades. */
function picturesOf({ input, target, forecast, output, difference }: CellAnswer): Shown[] {
  const domain = sharedDomain([target]);
  const answers = [
    { title: "Input", picture: input, ends: sharedDomain([input]), difference: false },
    { title: "Target", picture: target, ends: domain, difference: false },
    { title: "Forecast", picture: forecast, ends: domain, difference: false },
    { title: "Output", picture: output, ends: domain, difference: false },
    { title: "Difference", picture: difference, ends: differenceDomain(difference), difference: true },
  ];
  return answers.filter((each): each is Shown => isPicture(each.picture));
}
