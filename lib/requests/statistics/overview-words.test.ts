import { expect, test } from "vitest";
import { causeWords } from "./overview-words.ts";

test.each([
  ["Invoice … is not in the ledger", "Invoice is not in the ledger"],
  ["The limit of … is exceeded by … EUR.", "The limit is exceeded."],
  ["Timed out after …", "Timed out"],
  ["Timed out after ….", "Timed out."],
  ["No answer for … seconds", "No answer"],
  ["Paid to … on …, twice", "Paid, twice"],
  ["… is closed", "Is closed"],
  ["Card “…” was declined (…)", "Card was declined"],
  ["HTTP 503: upstream … gone", "HTTP 503: upstream gone"],
  ["No account, …, …", "No account"],
  ["Bank unreachable", "Bank unreachable"],
  ["…", "Failed"],
  ["… …", "Failed"],
  ["", "Failed"],
])("%j reads %j", (message, words) => {
  expect(causeWords(message, "Failed")).toBe(words);
});
