/** Which characters a browser draws as nothing: each must be marked where a person decides by what they read. */
import { splitHidden } from "../lib/text/foreign/hidden.ts";
import { expect, test } from "./fixtures/test.ts";

/** Those that pass unmarked on purpose: part of the letter before. */
const PART_OF_A_LETTER = /\p{Variation_Selector}/u;

test("no character that a browser draws as nothing passes unmarked", async ({ page }) => {
  const unmarked: string[] = [];
  for (let code = 0x20; code < 0x110000; code++) {
    const character = String.fromCodePoint(code);
    if (/\p{Cn}|\p{Co}|\p{Cs}/u.test(character) || PART_OF_A_LETTER.test(character)) continue;
    if (splitHidden(`a${character}b`).every(({ kind }) => kind === "text")) unmarked.push(character);
  }
  expect(unmarked.length).toBeGreaterThan(100_000);
  const drawnAsNothing = await page.evaluate((characters) => {
    const canvas = new OffscreenCanvas(120, 60);
    const drawing = canvas.getContext("2d", { willReadFrequently: true })!;
    drawing.font = "20px system-ui, sans-serif";
    const pixels = (text: string) => {
      drawing.clearRect(0, 0, 120, 60);
      drawing.fillText(text, 30, 35);
      return drawing.getImageData(0, 0, 120, 60).data.join();
    };
    const width = drawing.measureText("ab").width;
    const nothing = pixels("ab");
    return characters.filter((character) => {
      const text = `a${character}b`;
      return drawing.measureText(text).width === width && pixels(text) === nothing;
    });
  }, unmarked);
  expect(drawnAsNothing.map((character) => character.codePointAt(0)!.toString(16))).toEqual([]);
});
