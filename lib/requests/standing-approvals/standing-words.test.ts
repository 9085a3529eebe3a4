import { expect, test } from "vitest";
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
