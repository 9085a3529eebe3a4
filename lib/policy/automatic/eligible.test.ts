import { expect, test } from "vitest";
import { type Asked, excludedBy } from "./eligible.ts";

const plain: Asked = {
  origin: "server",
  isRecipes: false,
  mode: "form",
  form: { kind: "supported" },
  askedAgain: false,
  isReworded: false,
  isFlagged: false,
  warnings: [],
  isPrivate: false,
  hasApproval: false,
};

test.each<[string, Partial<Asked>, ReturnType<typeof excludedBy>]>([
  ["nothing", {}, null],
  ["a question of Intray's own", { origin: "intray" }, "own_question"],
  ["a recipe's question", { isRecipes: true }, "own_question"],
  ["a site to visit", { mode: "url" }, "url"],
  ["a form with a secret", { form: { kind: "secret" } }, "secret"],
  ["a form that can't be shown", { form: { kind: "unsupported" } }, "unsupported"],
  ["a question asked again", { askedAgain: true }, "asked_again"],
  ["a question that changed", { isReworded: true }, "reworded"],
  ["a flagged tool", { isFlagged: true }, "flagged"],
  ["a warning", { warnings: ["sum_differs"] }, "flagged"],
  ["a private task", { isPrivate: true }, "private"],
  ["a rule that asks for people", { hasApproval: true }, "people_agree"],
])("%s", (_name, more, expected) => {
  expect(excludedBy({ ...plain, ...more })).toBe(expected);
});
