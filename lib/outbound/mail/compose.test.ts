import { expect, test } from "vitest";
import { oneLine } from "./compose.ts";

test.each([
  ["a changed direction", "Pay \u202e001", "Pay 001"],
  ["lines through letters", "A\u0489p\u0336p\u20d2r\u20e5", "Appr"],
  ["boxes around letters", "a\u20ddb\u20e0", "ab"],
  ["line breaks", "a\r\nBcc: b\u2028c", "a Bcc: b c"],
  ["a link", "https://x.example www.x.example", "https: //x.example www .x.example"],
])("%s is no part of a line in a mail", (_, text, line) => {
  expect(oneLine(text)).toBe(line);
});
