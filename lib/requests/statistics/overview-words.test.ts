import { expect, test } from "vitest";
import { causeWords } from "./overview-words.ts";

test.each([
  ["Invoice … is not in the ledger", "Invoice … is not in the ledger"],
  ["The limit of … is exceeded by … EUR.", "The limit of … is exceeded by … EUR."],
  [
    "…: the movements lead to …, the statement says …. The difference is ….",
    "The movements lead to …, the statement says …. The difference is ….",
  ],
  ["Timed out after ….", "Timed out after …."],
  ["… is closed", "… is closed"],
  ["Card “…” was declined (…)", "Card “…” was declined (…)"],
  ["HTTP 503:\nupstream … gone", "HTTP 503: upstream … gone"],
  ["No account, …, …", "No account, …"],
  ["bank unreachable", "Bank unreachable"],
  ["…", "Failed"],
  ["… …", "Failed"],
  ["", "Failed"],
])("%j reads %j", (message, words) => {
  expect(causeWords(message, "Failed")).toBe(words);
});
