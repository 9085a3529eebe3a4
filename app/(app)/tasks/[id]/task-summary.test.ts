import { expect, test } from "vitest";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { decidersOf } from "./task-summary.tsx";

const answer = (name: string, kind = "member") => ({ by: { kind, id: name, name } });
const vote = (name: string, agrees: boolean, at: string) => ({ ...answer(name), agrees, at });
const stages = (...votes: ReturnType<typeof vote>[][]) => ({
  stages: votes.map((each) => ({ votes: each })),
});

test.each<[string, object, string | null]>([
  ["nobody yet", { answer: null, approval: stages([vote("Ben", true, "1")]) }, null],
  ["one person", { answer: answer("Ben"), approval: null }, "Ben"],
  ["a rule", { answer: answer("Small", "rule"), approval: null }, "the rule Small"],
  [
    "all who agreed, in each stage",
    {
      answer: answer("Ana"),
      approval: stages([vote("Ben", true, "1"), vote("Cleo", true, "2")], [vote("Ana", true, "3")]),
    },
    "Ben, Cleo, and Ana",
  ],
  [
    "not who was of another mind",
    { answer: answer("Cleo"), approval: stages([vote("Ben", false, "1"), vote("Cleo", true, "2")]) },
    "Cleo",
  ],
  [
    "whose rejection ended it",
    { answer: answer("Ana"), approval: stages([vote("Ben", true, "1")], [vote("Ana", false, "2")]) },
    "Ana",
  ],
  [
    "one person for two",
    { answer: answer("Ben"), approval: stages([vote("Ben", true, "1")], [vote("Ben", true, "2")]) },
    "Ben",
  ],
])("a request was decided by %s", (_, request, expected) => {
  expect(decidersOf(request as unknown as InputRequestSummary)).toBe(expected);
});
