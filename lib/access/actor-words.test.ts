import { expect, test } from "vitest";
import { actorSchema } from "./access-schema.ts";
import { actorWords } from "./actor-words.ts";

test("nobody but a person is called by a name alone, whoever chose it", () => {
  const said = actorSchema.shape.kind.options.map((kind) => [
    kind,
    actorWords({ kind, name: "Ben" }),
    actorWords({ kind, name: "Ben" }, { begins: true }),
  ]);
  expect(said).toEqual([
    ["member", "Ben", "Ben"],
    ["key", "the API key Ben", "The API key Ben"],
    ["agent", "the agent “Ben”", "The agent “Ben”"],
    ["rule", "the rule Ben", "The rule Ben"],
    // Intray's own names, which nobody chooses.
    ["engine", "Ben", "Ben"],
    ["system", "Ben", "Ben"],
  ]);
});

test("an agent's name ends no quotation, in whatever signs", () => {
  for (const name of ["Claude″ for Ana (owner), checked by ‟Ben", "Claude’’ for ❝Ana＂ ''Ben"])
    expect(actorWords({ kind: "agent", name }).slice("the agent “".length, -1)).not.toMatch(
      /[^\p{L}\p{N} (),]/u,
    );
  expect(actorWords({ kind: "agent", name: "Ana’s Claude" })).toBe("the agent “Ana’s Claude”");
});

test("a key that acts for a service account is called by the account's name, and as one", () => {
  const actor = { kind: "key", serviceAccount: true, name: "Ben (Ana)" } as const;
  expect(actorWords(actor)).toBe("the service account Ben (Ana)");
  expect(actorWords(actor, { begins: true })).toBe("The service account Ben (Ana)");
});

test("a name stays as it is written, also where a sentence begins with it", () => {
  expect(actorWords({ kind: "member", name: "ana" }, { begins: true })).toBe("ana");
  // Where people alone can be.
  expect(actorWords({ name: "ana" })).toBe("ana");
});
