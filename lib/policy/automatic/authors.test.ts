import { describe, expect, test } from "vitest";
import { policyInputSchema } from "../policy-schema.ts";
import { type Authors, authorsOf, fingerprintOf } from "./authors.ts";

const [ana, ben, cleo] = ["a", "b", "c"].map((end) => `00000000-0000-7000-8000-00000000000${end}`) as [
  string,
  string,
  string,
];
const people = { "ana@x": ana, "ben@x": ben };
const rule = (more: object = {}) => ({
  ...{ name: "Small", when: "true", answer: { action: "accept" as const, content: { a: 1, b: 2 } } },
  ...more,
});
const policyOf = (...automatic: object[]) => ({
  policy: policyInputSchema.parse({ groups: { finance: ["ana@x"] }, automatic }),
  people,
  groups: {},
});

/** Saves one version after the other. Returns who answers for the rules of the last. */
function saved(...versions: [maker: string, automatic: object[]][]): Authors {
  let [before, authors] = [policyOf(), {} as Authors];
  const earlier: Authors[string][] = [];
  for (const [at, [maker, automatic]] of versions.entries()) {
    const after = policyOf(...automatic);
    authors = authorsOf(before, after, at + 1, [maker], { earlier, frees: false });
    earlier.push(...Object.values(authors));
    before = after;
  }
  return authors;
}

describe("who answers for a rule", () => {
  test.each<[string, [string, object[]][], string[], number]>([
    ["who wrote it", [[ana, [rule()]]], [ana], 1],
    [
      "and no other who saved it as it was",
      [
        [ana, [rule()]],
        [ben, [rule(), rule({ name: "Other", when: "false" })]],
      ],
      [ana],
      1,
    ],
    [
      "and who set it live",
      [
        [ana, [rule()]],
        [ben, [rule({ mode: "live" })]],
      ],
      [ana, ben],
      1,
    ],
    [
      "who changed what it says",
      [
        [ana, [rule()]],
        [ben, [rule({ when: "false" })]],
      ],
      [ben],
      2,
    ],
    [
      "both, where it has another name",
      [
        [ana, [rule({ name: "Before" })]],
        [ben, [rule()]],
      ],
      [ana, ben],
      1,
    ],
    [
      "both who wrote it and who brought it back after it was gone",
      [
        [ana, [rule()]],
        [ben, []],
        [cleo, [rule()]],
      ],
      [ana, cleo],
      1,
    ],
  ])("%s", (_name, versions, makers, since) => {
    expect(saved(...versions).Small).toMatchObject({ makers, since });
  });
});

describe("a fingerprint", () => {
  const of = (more: object, groups: object = { finance: ["ana@x"] }, its = people) => {
    const policy = policyInputSchema.parse({ groups, automatic: [rule(more)] });
    return fingerprintOf(policy.automatic![0]!, { policy, people: its });
  };

  test("is of what the rule says, and of nothing else", () => {
    const as = of({});
    expect(of({ name: "Other", mode: "live", dailyCap: 1, sample: 1 })).toBe(as);
    expect(of({ answer: { action: "accept", content: { b: 2, a: 1 } } })).toBe(as);
    expect(of({}, { finance: ["ben@x"] })).toBe(as);
    for (const more of [
      { when: "true || true" },
      { answer: { action: "accept", content: { a: 1 } } },
      { answer: { action: "decline" } },
    ])
      expect(of(more)).not.toBe(as);
  });

  test.each([
    ['"finance" in requester.groups', true],
    ['requester["gr" + "oups"].size() > 0', true],
    ["requester . groups.size() > 0", true],
    ['requester.role == "admin" && requester.kind != "agent"', false],
    ['requester.name == "groups"', false],
  ])("%s means the people of groups: %s", (when, isSo) => {
    const as = of({ when });
    expect(of({ when }, { finance: ["ben@x"] }) !== as).toBe(isSo);
    expect(of({ when }, { finance: ["ana@x"] }, { ...people, "ana@x": cleo }) !== as).toBe(isSo);
  });
});
