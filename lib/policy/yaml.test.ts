import { describe, expect, test } from "vitest";
import fc from "../../test/random/seeded.ts";
import { placeInYaml, readYaml, rewriteYaml, writeYaml } from "./yaml.ts";

const TEXT = `# Who has to agree
rules:
  - name: Two of Finance
    when: server.name == "Finance ERP" && request.amount >= 5000.0
    stages:
      - name: Finance
        need: 3
`;

test("reads what JSON can hold, as YAML 1.2 means it", () => {
  expect(readYaml("a: no\nb: 2026-12-25\nc: 0o17\nd: [1, 2.5, null, true]\ne: 'x: y'\n<<: z")).toEqual({
    value: { a: "no", b: "2026-12-25", c: 15, d: [1, 2.5, null, true], e: "x: y", "<<": "z" },
  });
  expect(readYaml('{ "a": ["b"] }')).toEqual({ value: { a: ["b"] } });
});

test("what is written is read as the same", () => {
  const shared = { people: ["ana@acme.example"] };
  const value = {
    a: "no",
    b: "true",
    c: "1",
    d: [shared, shared],
    e: 'when == "x" && y',
    f: "two\nlines",
    g: "",
  };
  expect(writeYaml(value)).not.toContain("&a1");
  expect(readYaml(writeYaml(value))).toEqual({ value });
});

const bomb = `a: &a [x, x]\n${[..."bcdefgh"].map((name, at) => `${name}: &${name} [*${"abcdefgh"[at]}, *${"abcdefgh"[at]}]`).join("\n")}`;

describe("refuses, with the place,", () => {
  test.each<[string, string, number, RegExp]>([
    ["a key twice", "a: 1\nb: 2\na: 3", 10, /unique/],
    ["a tag", "a: !!js/function 'x'", 3, /tag/],
    ["a tag of its own", "a: !x y", 3, /tag/],
    ["an alias", "a: &x 1\nb: *x", 11, /alias/i],
    ["aliases of aliases", bomb, bomb.indexOf("*"), /alias/i],
    ["two documents", "a: 1\n---\nb: 2", 5, /multiple documents/],
    ["what is not closed", "a: [1", 5, /./],
    ["no number", "a: .nan", 0, /finite/],
    ["what is too long", " ".repeat(256 * 1024 + 1), 256 * 1024, /At most/],
  ])("%s", (_name, text, at, words) => {
    const read = readYaml(text);
    expect(read).toEqual({ mistake: { message: expect.stringMatching(words), at } });
  });

  test.each(['1: [a]\n"1": [b]', 'true: [a]\n"true": [b]', '~: [a]\n"": [b]'])(
    "a key twice, as JSON has it: %j",
    (text) => {
      expect(readYaml(text)).toHaveProperty("mistake");
    },
  );

  test("what is nested too deeply", () => {
    expect(readYaml("[".repeat(50_000))).toHaveProperty("mistake");
  });
});

test.each([
  ["rules.0.when", "server.name"],
  ["rules.0.stages.0.need", "3"],
  ["rules.0.stages.0.remind.1", "name: Finance"],
  ["rules.7", "- name: Two"],
  ["", "rules:"],
])("%s is found", (path, begins) => {
  expect(TEXT.slice(placeInYaml(TEXT, path))).toMatch(new RegExp(`^${begins}`));
});

describe("a text that gets another value", () => {
  const WITH_COMMENTS = `# Agreed on with the auditors
version: 1

rules:
  # The big ones
  - name: Large # by the CFO
    due: 3d
    stages: [{ name: Finance, need: 2 }] # two
  - name: Small
    stages: []
# The end
`;

  test("keeps its comments, wherever the rest goes", () => {
    const value = {
      version: 1,
      groups: { cfo: ["ana@acme.example"] },
      rules: [
        { name: "Small", stages: [{ name: "Anyone" }] },
        { name: "Large", due: "2d", stages: [{ name: "Finance", need: 3 }] },
      ],
    };
    const now = rewriteYaml(WITH_COMMENTS, value);
    expect(readYaml(now)).toEqual({ value });
    for (const words of ["Agreed on", "The big ones", "by the CFO", "two", "The end"])
      expect(now).toContain(`# ${words}`);
    expect(now).toMatch(/# The big ones\n\s*- name: Large # by the CFO/);
  });

  test("stays as it is for the same value", () => {
    const read = readYaml(WITH_COMMENTS);
    expect("value" in read && rewriteYaml(WITH_COMMENTS, read.value)).toBe(WITH_COMMENTS);
  });

  test("is written anew if it can't be read", () => {
    expect(rewriteYaml("a: [1", { b: 2 })).toBe("b: 2\n");
  });

  test("says that value, whatever both are", () => {
    // Through JSON, which has no -0.
    const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(readYaml(rewriteYaml(writeYaml(before), after))).toEqual({ value: after });
      }),
      { numRuns: 300 },
    );
  });
});
