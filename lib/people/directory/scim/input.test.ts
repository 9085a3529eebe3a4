/** PATCH and whole resources: RFC 7644's examples, providers' dialects, another implementation's results, hostile names. */
import SCIMMY from "scimmy";
import { describe, expect, test } from "vitest";
import { ScimError } from "./error.ts";
import { patchGroup, readGroupInput } from "./group-input.ts";
import { readPatch } from "./patch.ts";
import { type PersonInput, patchPerson, readPersonInput } from "./person-input.ts";

const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const read = (...Operations: object[]) => readPatch({ schemas: [PATCH], Operations });
const refusal = (work: () => unknown) => {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof ScimError ? error.scimType : error;
  }
};

const BEN: PersonInput = {
  userName: "ben@acme.example",
  externalId: "00u1",
  givenName: "Ben",
  familyName: "Ode",
  formattedName: null,
  displayName: "Ben Ode",
  active: true,
};

describe("a person", () => {
  test.each<[string, object[], Partial<PersonInput>]>([
    ["Entra: disable", [{ op: "Replace", path: "active", value: "False" }], { active: false }],
    ["Entra: enable", [{ op: "Replace", path: "active", value: "True" }], { active: true }],
    ["Okta: deactivate", [{ op: "replace", value: { active: false } }], { active: false }],
    [
      "Entra: several at once",
      [
        { op: "Add", path: "name.givenName", value: "Benno" },
        { op: "Replace", path: 'emails[type eq "work"].value', value: "elsewhere@acme.example" },
        {
          op: "Add",
          path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
          value: "7",
        },
        { op: "Replace", path: "displayName", value: "Benno Ode" },
      ],
      { givenName: "Benno", displayName: "Benno Ode" },
    ],
    [
      "without a path, with dots in names",
      [{ op: "replace", value: { "name.familyName": "Odes", displayName: "B", title: "CFO" } }],
      { familyName: "Odes", displayName: "B" },
    ],
    [
      "a whole name",
      [{ op: "replace", path: "name", value: { givenName: "B", formatted: "B. Ode", middleName: "X" } }],
      { givenName: "B", formattedName: "B. Ode" },
    ],
    ["removing", [{ op: "remove", path: "displayName" }], { displayName: null }],
    [
      "removing by the URN",
      [{ op: "remove", path: "urn:ietf:params:scim:schemas:core:2.0:User:externalId" }],
      { externalId: null },
    ],
    [
      "a value in a list of one",
      [{ op: "Replace", path: "displayName", value: [{ value: "B" }] }],
      { displayName: "B" },
    ],
    [
      "another address",
      [{ op: "replace", path: "userName", value: " Benno@Acme.example " }],
      { userName: "benno@acme.example" },
    ],
  ])("%s", (_what, operations, expected) => {
    expect(patchPerson(BEN, read(...operations))).toEqual({ ...BEN, ...expected });
  });

  test.each<[string, object, string]>([
    ["an id", { op: "replace", path: "id", value: "x" }, "mutability"],
    ["groups", { op: "add", path: "groups", value: [] }, "mutability"],
    ["an attribute that there is not", { op: "replace", path: "shoeSize", value: 1 }, "invalidPath"],
    ["a path that is none", { op: "replace", path: "a b", value: 1 }, "invalidPath"],
    ["an empty path", { op: "replace", path: "", value: 1 }, "invalidPath"],
    ["no path to remove", { op: "remove" }, "noTarget"],
    ["a text for active", { op: "replace", path: "active", value: "no" }, "invalidValue"],
    ["no active", { op: "remove", path: "active" }, "invalidValue"],
    ["no userName", { op: "remove", path: "userName" }, "invalidValue"],
    ["a name that is no address", { op: "replace", path: "userName", value: "ben" }, "invalidValue"],
    ["a list without a path", { op: "add", value: [1] }, "invalidValue"],
    ["a long text", { op: "replace", path: "displayName", value: "x".repeat(201) }, "invalidValue"],
    ["a prototype", { op: "add", path: "__proto__", value: { admin: true } }, "invalidPath"],
    ["a constructor", { op: "add", path: "constructor.prototype.x", value: 1 }, "invalidPath"],
  ])("is refused: %s", (_what, operation, expected) => {
    expect(refusal(() => patchPerson(BEN, read(operation)))).toBe(expected);
  });

  test("names of JavaScript's own in a value do nothing", () => {
    const value = JSON.parse(
      '{"__proto__": {"active": false, "polluted": 1}, "constructor": 1, "displayName": "B"}',
    );
    expect(patchPerson(BEN, read({ op: "add", value }))).toEqual({ ...BEN, displayName: "B" });
    expect(readPersonInput({ ...BEN, ...value }).active).toBe(true);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("operations give what another implementation gives", async () => {
    const resource = {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      id: "1",
      userName: BEN.userName,
      externalId: "00u1",
      name: { givenName: "Ben", familyName: "Ode" },
      displayName: "Ben Ode",
      active: true,
    };
    const cases: { op: "add" | "remove" | "replace"; path?: string; value?: unknown }[][] = [
      [{ op: "replace", path: "displayName", value: "B" }],
      [
        { op: "add", path: "name.givenName", value: "Benno" },
        { op: "replace", path: "active", value: false },
      ],
      [{ op: "replace", value: { displayName: "B", externalId: "00u9" } }],
      [{ op: "remove", path: "displayName" }],
      [{ op: "replace", path: "name", value: { givenName: "X", familyName: "Y" } }],
    ];
    for (const operations of cases) {
      const message = new SCIMMY.Messages.PatchOp({ schemas: [PATCH], Operations: operations });
      const theirs = JSON.parse(
        JSON.stringify(await message.apply(new SCIMMY.Schemas.User(resource), async (user: object) => user)),
      );
      const ours = patchPerson(BEN, read(...operations));
      expect([operations, ours]).toEqual([operations, readPersonInput(theirs)]);
    }
  });

  test("a whole one is what it says, and keeps its state where it says none", () => {
    expect(readPersonInput({ USERNAME: "A@b.example", externalid: "", active: "false" })).toMatchObject({
      userName: "a@b.example",
      externalId: null,
      active: false,
    });
    expect(readPersonInput({ userName: "a@b.example" }, false).active).toBe(false);
    for (const body of [
      null,
      [],
      "x",
      {},
      { userName: 1 },
      { userName: "x" },
      { userName: "a@b.example", active: 2 },
    ])
      expect(refusal(() => readPersonInput(body))).toMatch(/^invalid(Value|Syntax)$/);
  });
});

describe("a group", () => {
  const [A, B, C] = [1, 2, 3].map((each) => `00000000-0000-7000-8000-00000000000${each}`) as [
    string,
    string,
    string,
  ];
  const shown = (...operations: object[]) => {
    const { isReplaced, added, removed } = patchGroup(read(...operations));
    return { isReplaced, added: [...added], removed: [...removed] };
  };

  test.each<[string, object[], { isReplaced: boolean; added: string[]; removed: string[] }]>([
    [
      "RFC: add a member",
      [{ op: "add", path: "members", value: [{ display: "Babs", $ref: `https://x/Users/${A}`, value: A }] }],
      { isReplaced: false, added: [A], removed: [] },
    ],
    [
      "RFC: remove one",
      [{ op: "remove", path: `members[value eq "${A}"]` }],
      { isReplaced: false, added: [], removed: [A] },
    ],
    ["RFC: remove all", [{ op: "remove", path: "members" }], { isReplaced: true, added: [], removed: [] }],
    [
      "RFC: replace all",
      [{ op: "replace", path: "members", value: [{ value: A }, { value: B }] }],
      { isReplaced: true, added: [A, B], removed: [] },
    ],
    [
      "RFC: remove and add in one",
      [
        { op: "remove", path: `members[value eq "${A}"]` },
        { op: "add", path: "members", value: [{ value: C }] },
      ],
      { isReplaced: false, added: [C], removed: [A] },
    ],
    [
      "Entra: remove by value",
      [{ op: "Remove", path: "members", value: [{ value: A }, { value: B }] }],
      { isReplaced: false, added: [], removed: [A, B] },
    ],
    [
      "Entra: one object",
      [{ op: "Add", path: "members", value: { value: A } }],
      { isReplaced: false, added: [A], removed: [] },
    ],
    [
      "several joined by or",
      [{ op: "remove", path: `members[value eq "${A}" or value eq "${B}"]` }],
      { isReplaced: false, added: [], removed: [A, B] },
    ],
    [
      "without a path",
      [{ op: "add", value: { members: [{ value: A }] } }],
      { isReplaced: false, added: [A], removed: [] },
    ],
    [
      "the last word counts",
      [
        { op: "add", path: "members", value: { value: A } },
        { op: "remove", path: `members[value eq "${A}"]` },
        { op: "remove", path: `members[value eq "${B}"]` },
        { op: "add", path: "members", value: { value: B } },
      ],
      { isReplaced: false, added: [B], removed: [A] },
    ],
  ])("%s", (_what, operations, expected) => {
    expect(shown(...operations)).toEqual(expected);
  });

  test("Okta: the name with the id", () => {
    const change = patchGroup(read({ op: "replace", value: { id: A, displayName: "Finance" } }));
    expect(change).toMatchObject({ displayName: "Finance", isReplaced: false });
  });

  test.each<[string, object, string]>([
    ["groups in groups", { op: "add", path: "members", value: { value: A, type: "Group" } }, "invalidValue"],
    ["a member that is no id", { op: "add", path: "members", value: { value: "x" } }, "invalidValue"],
    ["a member's part", { op: "replace", path: `members[value eq "${A}"]`, value: {} }, "invalidPath"],
    ["another comparison", { op: "remove", path: `members[value sw "0"]` }, "invalidPath"],
    ["no name", { op: "remove", path: "displayName" }, "invalidValue"],
    ["a prototype", { op: "add", path: "__proto__", value: {} }, "invalidPath"],
  ])("is refused: %s", (_what, operation, expected) => {
    expect(refusal(() => patchGroup(read(operation)))).toBe(expected);
  });

  test("thousands of operations are read at once", () => {
    const ids = Array.from(
      { length: 5_000 },
      (_, at) => `00000000-0000-7000-8000-${String(at).padStart(12, "0")}`,
    );
    const change = patchGroup(
      read(...ids.map((value) => ({ op: "Add", path: "members", value: [{ value }] }))),
    );
    expect(change.added.size).toBe(5_000);
  });

  test("a whole one has the members that it names", () => {
    expect(readGroupInput({ displayName: "F", members: [{ value: A }] })).toMatchObject({
      displayName: "F",
      externalId: null,
      isReplaced: true,
      added: new Set([A]),
    });
    expect(refusal(() => readGroupInput({ members: [] }))).toBe("invalidValue");
  });
});

test.each([
  null,
  [],
  {},
  { schemas: [PATCH] },
  { schemas: [PATCH], Operations: [] },
  { schemas: [PATCH], Operations: [{ op: "move", path: "active" }] },
  { schemas: ["urn:x"], Operations: [{ op: "remove", path: "active" }] },
  { schemas: [PATCH], Operations: [{ op: "remove", path: ["active"] }] },
  { schemas: [PATCH], Operations: Array.from({ length: 5_001 }, () => ({ op: "remove", path: "active" })) },
])("what is no PATCH is refused (%#)", (body) => {
  expect(refusal(() => readPatch(body))).toBe("invalidSyntax");
});

test("more attributes than any directory sends are refused before they are read", () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`-${n}a`, 1]));
  expect(refusal(() => readPersonInput({ userName: "ben@acme.example", ...many }))).toBe("invalidValue");
  expect(refusal(() => readGroupInput({ displayName: "Finance", ...many }))).toBe("invalidValue");
  expect(refusal(() => read({ op: "add", value: many }))).toBe("invalidValue");
  expect(refusal(() => readPatch({ schemas: Array(100_000).fill(PATCH), Operations: [{ op: "add" }] }))).toBe(
    "invalidSyntax",
  );
});
