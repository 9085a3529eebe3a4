import { expect, test } from "vitest";
import { formatsOf } from "../../text/formats/formats.ts";
import { differenceWords } from "./bounds.ts";
import { likeWords, standingLabel, timeIn, timesFrom, usesWords } from "./standing-words.ts";

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

test("no name of an argument goes on with the sentence", () => {
  expect(likeWords({ except: ["note, up to 5 EUR"], mostAmount: null, arguments: {} })).toBe(
    "The same arguments but for “note, up to 5 EUR”",
  );
});

test("an approval until tonight ends tonight, however long its dialog was open", () => {
  const noon = new Date(2026, 10, 21, 12).getTime();
  const wanted = "Until tonight";
  const shown = timeIn(timesFrom(noon), wanted);
  const given = timeIn(timesFrom(noon + 3 * 3600_000), wanted);
  expect([shown.at, given.at]).toEqual(Array(2).fill(new Date(2026, 10, 22).toISOString()));
  expect([shown.ms, given.ms]).toEqual([12 * 3600_000, 9 * 3600_000]);
  // Late in the evening it is no choice any more, and after midnight it would be another night.
  const late = timesFrom(new Date(2026, 10, 21, 23, 30).getTime());
  expect(late.map(({ words }) => words)).toEqual(["15 minutes", "1 hour"]);
  expect(timeIn(late, wanted).words).toBe("15 minutes");
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
