import { expect, test } from "vitest";
import { formatsOf } from "../../text/formats/formats.ts";
import { differenceWords } from "./bounds.ts";
import { likeWords, standingLabel, usesWords } from "./standing-words.ts";

test("which calls pass", () => {
  expect(likeWords({ except: [], mostAmount: null, arguments: {} })).toBe("The same arguments");
  expect(likeWords({ except: ["note"], mostAmount: null, arguments: {} })).toBe(
    "The same arguments but for note",
  );
  expect(likeWords({ except: ["amount", "lines", "note"], mostAmount: 500, arguments: {} })).toBe(
    "The same arguments but for amount, lines and note, up to 500",
  );
  expect(
    likeWords({ except: ["amount"], mostAmount: 500, arguments: { amount: 100, currency: "EUR" } }),
  ).toBe("The same arguments but for amount, up to 500 EUR");
});

test.each<[string, unknown, string, object, string]>([
  ["amount", 5, "500", { currency: "EUR" }, "up to 500"],
  ["amount", "5.00 EUR", "500", {}, "up to 500"],
  ["amount_cents", 500, "500", { currency: "EUR" }, "up to 50,000 (500 EUR)"],
  ["amount_cents", 500, "50000", {}, "up to 5,000,000 (50,000 in whole units)"],
  ["amount_minor", 500, "0.29", {}, "up to 29 (0.29 in whole units)"],
  ["amount_cents", 500, "", {}, "anything"],
  ["lines", [], "500", {}, "can’t differ with a largest amount"],
  ["note", "For May", "500", {}, "another text, without an amount"],
])("what %s of %j may become, up to “%s”, beside %j", (name, value, most, more, words) => {
  const formats = formatsOf("en-GB", "UTC");
  expect(differenceWords(name, { ...more, [name]: value }, most, formats)).toBe(words);
});

test("how often it was used", () => {
  expect([0, 1, 7].map((uses) => usesWords({ uses, mostUses: null }))).toEqual([
    "Not used yet",
    "Used once",
    "Used 7 times",
  ]);
  expect(usesWords({ uses: 1, mostUses: 5 })).toBe("Used 1 of 5 times");
});

test("how it stands, and why no call can pass by it", () => {
  expect(standingLabel({ state: "active", unusable: null })).toBe("Active");
  expect(standingLabel({ state: "unusable", unusable: "agent_revoked" })).toBe("Unusable: agent revoked");
});
