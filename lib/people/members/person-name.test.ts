import { expect, test } from "vitest";
import { AppError } from "../../base/errors.ts";
import { refuseName, tellApart } from "./person-name.ts";

function codeOf(name: string, others: string[] = []): string | null {
  try {
    refuseName(name, others);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

test.each([
  "Ana",
  "Ana O’Neil-Smith, Jr. (Finance)",
  "Marcel·la Gal·la",
  "ジョン・スミス",
  "Per H:son",
  "ג׳ורג׳",
  "علی\u200cرضا",
  "Ana 2",
])("people are called %j", (name) => {
  expect(codeOf(name, ["Ben"])).toBe(null);
});

test.each([
  ["AIan Miller", "Alan Miller"],
  ["Amold", "Arnold"],
  ["0tto", "Otto"],
  ["Ben.", "Ben"],
  ["Beṇ", "Ben"],
])("%s is taken where %s is there: nobody tells them apart", (name, other) => {
  expect(codeOf(name, [other])).toBe("name_taken");
});

test.each([
  "Rule “Small”",
  "the rule Small invoices",
  "The agent Claude",
  "API key Ben",
  "Ana for Ben",
  "Ana and Ben",
  "Nobody",
  "Nobody.",
  "No-one",
  "You",
  "the-rule X",
  "‘the rule X’",
  "👤 the rule X",
  "API‑key Ben",
  "System",
  "The policy",
  "Intray.",
  "Ben on behalf of Ana",
  "Ben as Ana",
  "Ana & Ben",
  "Ana ｜ ok",
  'Rule "Small"',
  "«Small»",
  "Ana · owner",
  "Ana • owner",
  "Ana: yes",
  "Ana → Ben",
  "·Ana",
  "Ana\u2066",
  "\u200b",
  "A\u200bna",
  "Intray",
  "INTRAY ",
  "Ｉntray",
])("nobody is called %j", (name) => {
  expect(codeOf(name)).toBe("invalid_input");
});

test("a name that reads as somebody's is taken", () => {
  for (const other of ["Ana", "ANA", " ana", "Ａna", "A\u200bna"])
    expect(codeOf("Ana", [other])).toBe("name_taken");
  expect(codeOf("Ana", ["Anna", "Ana K"])).toBe(null);
});

test("people of a list have their addresses where two names read the same", () => {
  const people = [
    { id: 1, name: "Ana", email: "ana@a.example" },
    { id: 2, name: "Ben", email: "ben@a.example" },
    { id: 3, name: "aＮa", email: "ana@b.example" },
  ];
  expect(tellApart(people)).toEqual([
    { id: 1, name: "Ana", email: "ana@a.example" },
    { id: 2, name: "Ben" },
    { id: 3, name: "aＮa", email: "ana@b.example" },
  ]);
});
