import { expect, it } from "vitest";
import { lineSplitter } from "./child.ts";

it("cuts bytes into lines, wherever they are split", () => {
  const bytes = Buffer.from("one\r\n\nzwölf 💶\nunfinished");
  for (let at = 0; at <= bytes.length; at++) {
    const lines: string[] = [];
    const push = lineSplitter(100, (line) => lines.push(line));
    push(bytes.subarray(0, at));
    push(bytes.subarray(at));
    expect(lines).toEqual(["one", "zwölf 💶"]);
  }
});

it("drops the rest of a long line, and says so as soon as it shows", () => {
  const heard: string[] = [];
  const push = lineSplitter(
    4,
    (line) => heard.push(line),
    () => heard.push("too long"),
  );
  push(Buffer.from("1234"));
  expect(heard).toEqual([]);
  push(Buffer.from("5"));
  push(Buffer.from("678\n12\n"));
  expect(heard).toEqual(["too long", "1234", "12"]);
});
