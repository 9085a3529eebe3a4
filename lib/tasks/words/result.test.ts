import { expect, test } from "vitest";
import { readResult } from "./result.ts";

const text = (words: string) => ({ type: "text", text: words });

test("a result without structured content has its parts", () => {
  expect(readResult({ content: [text("Paid")] })).toEqual({
    isError: false,
    parts: [text("Paid")],
    structured: undefined,
  });
});

test("structured content of any kind is kept, and its repetition as text is not", () => {
  const structuredContent = [{ id: 1 }];
  const content = [text(JSON.stringify(structuredContent)), text("One line")];
  expect(readResult({ content, structuredContent })).toEqual({
    isError: false,
    parts: [text("One line")],
    structured: structuredContent,
  });
});

test("what is no result is none", () => {
  expect(readResult("PAID")).toBeNull();
});
