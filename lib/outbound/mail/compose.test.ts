import { expect, test } from "vitest";
import { oneLine, shorten } from "./compose.ts";

test.each([
  ["a changed direction", "Pay \u202e001", "Pay 001"],
  ["lines through letters", "A\u0489p\u0336p\u20d2r\u20e5", "Appr"],
  ["boxes around letters", "a\u20ddb\u20e0", "ab"],
  ["line breaks", "a\r\nBcc: b\u2028c", "a Bcc: b c"],
  ["a link", "https://x.example www.x.example", "https: //x .example www .x .example"],
  ["a domain", "evil.example/pay мойбанк.рф a.co.uk", "evil .example/pay мойбанк .рф a .co .uk"],
  ["a domain with dots of other scripts", "evil．com evil。com evil｡com", "evil ．com evil 。com evil ｡com"],
  ["an address", "mailto:pay@mallory.com", "mailto: pay @ mallory .com"],
  ["a scheme without slashes", "https:mallory.com http:／／x.com", "https: mallory .com http: ／／x .com"],
  ["an address of figures", "203.0.113.9/pay 203.0.113.9:8080", "203.0.113 .9/pay 203.0.113 .9:8080"],
])("%s is no part of a line in a mail", (_, text, line) => {
  expect(oneLine(text)).toBe(line);
});

test.each(["Pay 5.00 EUR. Then 12.500,00 to @Ben, v1.2", "from 203.0.113.9", "Acme Inc. on Finance ERP"])(
  "%s stays as it is",
  (text) => {
    expect(oneLine(text)).toBe(text);
  },
);

test("a long name is cut between characters", () => {
  for (const name of ["a".repeat(119) + "😀".repeat(9), "😀".repeat(99), "a".repeat(200)])
    expect(shorten(name).isWellFormed()).toBe(true);
  expect(shorten("a".repeat(200))).toBe(`${"a".repeat(120)}…`);
  expect(shorten("a".repeat(120))).toBe("a".repeat(120));
});
