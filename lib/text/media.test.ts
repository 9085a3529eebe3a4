import { expect, test } from "vitest";
import { audioFile, byteLength, formatBytes, imageSource } from "./media.ts";

test.each([
  ["a picture is shown", { data: "AAAA", mimeType: "image/png" }, { src: "data:image/png;base64,AAAA" }],
  [
    "one that could hold scripts is not",
    { data: "AAAA", mimeType: "image/svg+xml" },
    /svg\+xml is not shown/,
  ],
  ["nor one of no image type", { data: "AAAA", mimeType: "text/html" }, /not shown/],
  ["nor one that would leave its attribute", { data: 'AA" onload="x', mimeType: "image/png" }, /not Base64/],
  ["nor one beyond all measure", { data: "A".repeat(16 * 1024 * 1024), mimeType: "image/png" }, /too large/],
])("%s", (_, media, expected) => {
  const source = imageSource(media);
  if (expected instanceof RegExp) expect(source).toEqual({ refused: expect.stringMatching(expected) });
  else expect(source).toEqual(expected);
});

test("sound is a file with a name, of the types that are sound", () => {
  expect(audioFile({ data: "AAAA", mimeType: "audio/mpeg" }, 2)).toEqual({
    src: "data:audio/mpeg;base64,AAAA",
    name: "audio-2.mp3",
  });
  expect(audioFile({ data: "AAAA", mimeType: "text/html" }, 1)).toHaveProperty("refused");
});

test("sizes are those of what the text holds", () => {
  expect([byteLength("AAAA"), byteLength("AAA="), byteLength("AA=="), byteLength("AAA")]).toEqual([
    3,
    2,
    1,
    null,
  ]);
  expect([formatBytes(840), formatBytes(12_300), formatBytes(3_400_000)]).toEqual([
    "840 B",
    "12 kB",
    "3.4 MB",
  ]);
});
