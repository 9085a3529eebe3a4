import JSZip from "jszip";
import { expect, test } from "vitest";
import { zipOf } from "./zip.ts";

test("a zip has its files, and is the same for the same ones", async () => {
  const files = [
    { name: "a.json", bytes: Buffer.from('{"a":"ü"}') },
    { name: "b.bin", bytes: Buffer.from([0, 255, 3]) },
  ];
  const zip = zipOf(files);
  const read = await JSZip.loadAsync(zip, { checkCRC32: true });
  expect(Object.keys(read.files)).toEqual(["a.json", "b.bin"]);
  for (const { name, bytes } of files) expect(await read.file(name)?.async("nodebuffer")).toEqual(bytes);
  expect(zipOf(files)).toEqual(zip);
});
