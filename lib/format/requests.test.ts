import { expect, test } from "vitest";
import { endedWords } from "./requests.ts";

test.each([
  ["withdrawn", "replaced", "This question was withdrawn: the server asked something else instead."],
  ["withdrawn", null, "This question was withdrawn."],
  ["expired", "question_lifetime", /time ran out: the server gives up on questions after a while\.$/],
  ["undeliverable", "not_asked_again", /not be delivered: the server did not put the question again\.$/],
  ["undeliverable", "retracted", /not be delivered: the server took it back\.$/],
  ["undeliverable", "rejected: no such field", /: the server refused it \(“no such field”\)\.$/],
  ["undeliverable", "rejected", /: the server refused it\.$/],
  ["undeliverable", "The server refused the call.", /: The server refused the call\.$/],
  ["undeliverable", "some_new_reason", /: some new reason\.$/],
] as const)("%s because of %s", (state, reason, words) => {
  expect(endedWords(state, reason).what).toMatch(words);
});

test("a question that was withdrawn after an answer says what became of that", () => {
  expect(endedWords("withdrawn", "retracted", true).next).toMatch(/was not sent; it is kept/);
});
