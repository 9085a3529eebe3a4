import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { PlainText } from "./plain-text.tsx";

test.each([
  ["10 א 9000", true],
  ["א 10 - 9000", true],
  ["שלום 9,000.50", false],
  ["10 - 9000", false],
  ["from א → ב", true],
  ["א → ACME", true],
  ["from A → B", false],
])("%s is told to be read from the right: %s", (text, expected) => {
  expect(renderToStaticMarkup(<PlainText text={text} />).includes("right to left")).toBe(expected);
});

test("code stands from left to right, character by character, and other text in the direction of each line", () => {
  const text = "# ש\n> /etc/app < in";
  expect(renderToStaticMarkup(<PlainText text={text} isCode />)).toMatch(
    /^<bdo dir="ltr" class="[^"]*isolate-override/,
  );
  expect(renderToStaticMarkup(<PlainText text={text} />)).toMatch(/^<bdi class="[^"]*plaintext/);
});
