import { describe, expect, test } from "vitest";
import { bareText, nameHidden, visibleText } from "./foreign/hidden.ts";
import { messageTokens, splitMessage } from "./message-tokens.ts";

/** Returns `kind:text` of every token except plain text. */
const apart = (message: string) =>
  messageTokens(message)
    .filter((token) => token.kind !== "text")
    .map((token) => `${token.kind}:${token.text}`);

describe("amounts, dates and ids are set apart", () => {
  test.each([
    ["Invoice INV-100 for ACME Corp ($1000.00) requires approval.", ["id:INV-100", "amount:$1000.00"]],
    ["Pay 1.234,50 € by 2026-12-01", ["amount:1.234,50 €", "date:2026-12-01"]],
    ["Due 28 Feb 2027, or March 1, 2027 at the latest", ["date:28 Feb 2027", "date:March 1, 2027"]],
    ["At 2026-12-01T10:00:00Z", ["date:2026-12-01T10:00:00Z"]],
    ["PO-2026-17, AB1234 and #4812", ["id:PO-2026-17", "id:AB1234", "id:#4812"]],
    [
      "commit 3f0183f of 0b2f6c1e-1111-4222-8333-444455556666",
      ["id:3f0183f", "id:0b2f6c1e-1111-4222-8333-444455556666"],
    ],
    ["Four defaced facades, 4 items, 50 %, re-do it", []],
    ["", []],
  ])("%s", (message, expected) => {
    expect(apart(message)).toEqual(expected);
  });
});

describe("what cannot be seen is shown by name", () => {
  test.each([
    ["a changed direction", "Pay \u202e001$\u202c now", ["hidden:\u202e", "hidden:\u202c"]],
    ["a run of zero-width characters", "a\u200b\u200b\u200bb", ["hidden:\u200b\u200b\u200b"]],
    ["control characters", "a\u0000b\u001b[31mc", ["hidden:\u0000", "hidden:\u001b"]],
    ["hidden tags", "a\u{e0041}\u{e0042}b", ["hidden:\u{e0041}\u{e0042}"]],
    ["a blank that is a letter", "a\u3164b", ["hidden:\u3164"]],
    ["half a character", "a\ud800b", ["hidden:\ud800"]],
    ["an amount that is torn apart", "$1\u200b000.00", ["amount:$1", "hidden:\u200b"]],
    [
      "line breaks that put the rest out of sight",
      `Pay 5${"\r\n".repeat(4)}and 9`,
      [`hidden:${"\r\n".repeat(4)}`],
    ],
    ["blanks that do", `Pay 5${"\u2003".repeat(80)}and 9`, [`hidden:${"\u2003".repeat(80)}`]],
    ["as wide a row of tabs", `Pay 5${"\t".repeat(79)}.`, [`hidden:${"\t".repeat(79)}`]],
    ["tabs among blanks", `Pay 5${" \t".repeat(10)} .`, [`hidden:${" \t".repeat(10)} `]],
    ["as wide a row of wide blanks", `Pay 5${"\u3000".repeat(20)}.`, [`hidden:${"\u3000".repeat(20)}`]],
    ["the variation of a letter that has none", "9\ufe0f000 admin\ufe0f", ["hidden:\ufe0f", "hidden:\ufe0f"]],
    ["a note without a head", "a\u{1d159}b", ["hidden:\u{1d159}"]],
    ["a carriage return that would hide a line", "Pay 5\rPay 9", ["hidden:\r"]],
  ])("%s", (_what, message, expected) => {
    expect(apart(message)).toEqual(expected);
  });
  test.each([
    ["line breaks and tabs", "a\r\n\tb\nc"],
    ["nine tabs, and nineteen wide blanks", `a${"\t".repeat(9)}b${"\u3000".repeat(19)}c\n${"\t".repeat(9)}d`],
    ["a family", "👨‍👩‍👧 ❤️"],
    ["a keycap", "1\ufe0f\u20e3"],
    ["Persian", "می‌خواهم"],
    ["Hebrew and Chinese", "שלום 你好"],
  ])("but %s stay", (_what, message) => {
    expect(apart(message)).toEqual([]);
  });
  test("with a code and a count", () => {
    expect(nameHidden("\u202e")).toEqual({ code: "U+202E", name: "right-to-left override" });
    expect(nameHidden("\u200b\u200b").code).toBe("U+200B ×2");
    expect(nameHidden("\u200b\u202e\u0000").code).toBe("U+200B U+202E …");
    expect(nameHidden(" \n".repeat(350)).code).toBe("350 line breaks");
    expect(nameHidden("\u3000".repeat(90)).code).toBe("90 blanks");
  });
  test("and replaced in one line", () => {
    expect(visibleText("Pay \u202e5")).toBe("Pay \ufffd5");
  });
});

test("what a browser draws as nothing counts as hidden, also in front of the words of a choice", () => {
  expect(visibleText("Appro\ufffcve")).toBe("Appro\ufffdve");
  expect(bareText("re\ufffcject")).toBe("reject");
  expect(bareText(`reject${"\n".repeat(9)}it${" ".repeat(99)}now${"\ufeff".repeat(90)}.`)).toBe(
    "reject it now.",
  );
});

test("of a text with more hidden runs than anybody reads, the rest is one token", () => {
  const tokens = messageTokens("\u200b$5 ".repeat(20_000));
  expect(tokens.length).toBeLessThan(3_000);
  expect(tokens.at(-1)).toMatchObject({ kind: "text" });
});

test.each([
  "\u200b$5 ".repeat(2_000),
  "Pay \u202e$5.00 by 2026-12-01 for INV-1\u200b",
  "\u0000",
  "a\nb",
  "x".repeat(10_000),
])("the parts together are the message: %j", (message) => {
  expect(
    messageTokens(message)
      .map((token) => token.text)
      .join(""),
  ).toBe(message);
});

test("figures stand out up to a number, however the text is torn apart", () => {
  const message = `${"$1 ".repeat(21_000)}\u200b`.repeat(4);
  const tokens = messageTokens(message);
  expect(tokens.filter(({ kind }) => kind === "amount")).toHaveLength(1_000);
  expect(tokens.map(({ text }) => text).join("")).toBe(message);
});

test("the first line is the title, where it is short", () => {
  expect(splitMessage("Approve?\n\n- a\n- b")).toEqual({ title: "Approve?", body: "- a\n- b" });
  expect(splitMessage(`${"x".repeat(241)}\nrest`).body).toBe("");
  expect(splitMessage("One line.")).toEqual({ title: "One line.", body: "" });
});

test("a letter with more marks than any has is compared by the first of them", () => {
  expect(bareText(`a${"\u0301".repeat(50_000)}${"\u0316".repeat(50_000)}`).length).toBeLessThan(40);
});

test("a phrase of one character stays one: no text grows by what it is compared by", () => {
  expect(bareText("\ufdfa\ufdfb".repeat(1_000)).length).toBe(2_000);
});
