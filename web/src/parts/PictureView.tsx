import { useLayoutEffect, useRef } from "react";
import type { Picture } from "../api/types";
import { pixelColour } from "../logic/pixel";

interface Props {
  picture: Picture;
  label: string;
  /** Values of the darkest and the lightest grey; a difference has its own colours around 0. */
  domain?: [number, number];
  difference?: boolean;
}

/** A small picture, pixel by pixel. */
export function PictureView({ picture, label, domain = [0, 1], difference = false }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [height, width] = [picture.length, picture[0]?.length ?? 0];

  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !height || !width) return;
    const image = context.createImageData(width, height);
    picture.flat().forEach((value, index) => {
      image.data.set([...pixelColour(value, domain, difference), 255], 4 * index);
    });
    context.putImageData(image, 0, 0);
  }, [picture, height, width, domain[0], domain[1], difference]);

  return (
    <canvas className="picture" ref={canvas} width={width || 1} height={height || 1} role="img" aria-label={label} />
  );
}
