import { describe, expect, it } from "vitest";
import { questionHash } from "./question-hash.ts";

describe("questionHash", () => {
  const question = {
    taskId: "0198",
    mode: "form",
    message: "Pay?",
    requestedSchema: { type: "object", a: 1 },
    url: null,
  } as const;

  it("is the sha256 of the canonical form, whatever the order of keys", () => {
    expect(questionHash(question)).toBe("66bbeb5e30686c90a61a2eb3ed502a3781d58f0c70681c7001a5d7f63afae607");
    expect(questionHash({ ...question, requestedSchema: { a: 1, type: "object" } })).toBe(
      questionHash(question),
    );
  });

  it.each([
    { taskId: "0199" },
    { mode: "url" as const },
    { message: "Pay!" },
    { requestedSchema: {} },
    { url: "https://a" },
    { arguments: { amount: 1 } },
  ])("changes with %j", (change) =>
    expect(questionHash({ ...question, ...change })).not.toBe(questionHash(question)),
  );
});
