import { describe, expect, it } from "vitest";
import { contrast, cyclic, diverging, errorDomain, luminance, rgbOf, sequential } from "../src/logic/colour";
import { pixelColour } from "../src/logic/pixel";

const shares = Array.from({ length: 65 }, (_, index) => index / 64);

describe("colour scales", () => {
  it("grow in lightness, so that they read without colour", () => {
    const lightness = shares.map((share) => luminance(sequential(share)));
    for (let index = 1; index < lightness.length; index++)
      expect(lightness[index]!).toBeGreaterThan(lightness[index - 1]!);
  });

  it("are lightest in the middle where they diverge, and fall off to both ends", () => {
    const lightness = shares.map((share) => luminance(diverging(share)));
    for (let index = 1; index <= 32; index++) {
      expect(lightness[index]!).toBeGreaterThan(lightness[index - 1]!);
      expect(lightness[64 - index]!).toBeGreaterThan(lightness[65 - index]!);
    }
  });

  it("close where they are cyclic", () => {
    expect(cyclic(0)).toEqual(cyclic(1));
  });

  it("clip what lies beyond", () => {
    expect(sequential(-3)).toEqual(sequential(0));
    expect(sequential(7)).toEqual(sequential(1));
  });
});

it("has the contrast of WCAG", () => {
  expect(contrast(rgbOf("#000000"), rgbOf("#ffffff"))).toBeCloseTo(21);
  expect(contrast(rgbOf("#777777"), rgbOf("#ffffff"))).toBeCloseTo(4.48, 2);
});

it("has a scale of errors that begins at 0 and reaches the largest", () => {
  expect(errorDomain("nMSE", [null, 0.2])).toEqual([0, 1]);
  expect(errorDomain("nMSE", [null, 0.2, 1.7])).toEqual([0, 1.7]);
  expect(errorDomain("MSE", [null, 0.02])).toEqual([0, 0.02]);
  expect(errorDomain("MSE", [])).toEqual([0, 1]);
});

it("colours pixels: grey by value, colour by channel, differences around their middle", () => {
  expect(pixelColour(0.5, [0, 1], false)).toEqual([128, 128, 128]);
  expect(pixelColour([0, 1, 2], [0, 2], false)).toEqual([0, 128, 255]);
  expect(pixelColour(0, [-2, 2], true)).toEqual(diverging(0.5));
});
