import type { Answer, CellAnswer } from "../api/types";
import { differenceDomain, isPicture, sharedDomain } from "../logic/answers";
import { css } from "../logic/colour";
import { saveCanvas } from "../logic/download";
import { pixelColour } from "../logic/pixel";

const SIZE = 8; // pixels of the file for one of a picture
const GAP = 8;

/** Target, forecast, output and difference of a cell beside each other, as one file. */
export async function saveAnswers(name: string, cell: CellAnswer): Promise<void> {
  const domain = sharedDomain([cell.target]);
  const shown: [Answer | null, boolean][] = [
    [cell.target, false],
    [cell.forecast, false],
    [cell.output, false],
    [cell.difference, true],
  ];
  const pictures = shown.filter(([answer]) => isPicture(answer));
  if (!pictures.length) throw new Error("this task answers with numbers, so save the cell as JSON");
  const canvas = document.createElement("canvas");
  const sides = pictures.map(([answer]) => (isPicture(answer) ? [answer.length, answer[0]?.length ?? 0] : [0, 0]));
  canvas.height = SIZE * Math.max(...sides.map(([height = 0]) => height));
  canvas.width = sides.reduce((sum, [, width = 0]) => sum + SIZE * width + GAP, -GAP);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser could not open a canvas");
  let left = 0;
  pictures.forEach(([answer, difference], index) => {
    if (!isPicture(answer)) return;
    const ends = difference ? differenceDomain(answer) : domain;
    answer.forEach((row, y) =>
      row.forEach((value, x) => {
        context.fillStyle = css(pixelColour(value, ends, difference));
        context.fillRect(left + x * SIZE, y * SIZE, SIZE, SIZE);
      }),
    );
    left += SIZE * (sides[index]?.[1] ?? 0) + GAP;
  });
  await saveCanvas(name, canvas);
}
