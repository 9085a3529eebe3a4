/** Filters and paths: against RFC 7644's own examples, against another implementation's reading, and against hostile ones. */
import SCIMMY from "scimmy";
import { describe, expect, test } from "vitest";
import { ScimError } from "./error.ts";
import { type Filter, parseFilter, parsePath } from "./filter.ts";

/** Judges a flat resource, for comparing with another implementation. */
function matches(filter: Filter, resource: Record<string, unknown>): boolean {
  if (filter.kind === "not") return !matches(filter.part, resource);
  if (filter.kind === "and") return filter.parts.every((part) => matches(part, resource));
  if (filter.kind === "or") return filter.parts.some((part) => matches(part, resource));
  const [, value] = Object.entries(resource).find(([name]) => name.toLowerCase() === filter.path) ?? [];
  if (filter.comparison === "pr") return value !== undefined;
  if (filter.comparison === "eq") return value === filter.value;
  if (filter.comparison === "ne") return value !== filter.value;
  if (filter.comparison === "co") return String(value).includes(String(filter.value));
  if (filter.comparison === "sw") return String(value).startsWith(String(filter.value));
  return String(value).endsWith(String(filter.value));
}

const codeOf = (work: () => unknown) => {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof ScimError ? error.scimType : error;
  }
};

test.each([
  'userName eq "bjensen"',
  `name.familyName co "O'Malley"`,
  'userName sw "J"',
  'urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"',
  "title pr",
  'meta.lastModified gt "2011-05-13T04:42:34Z"',
  'meta.lastModified ge "2011-05-13T04:42:34Z"',
  'meta.lastModified lt "2011-05-13T04:42:34Z"',
  'meta.lastModified le "2011-05-13T04:42:34Z"',
  'title pr and userType eq "Employee"',
  'title pr or userType eq "Intern"',
  'schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"',
  'userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")',
  'userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")',
  'userType eq "Employee" and (emails.type eq "work")',
  'userType eq "Employee" and emails[type eq "work" and value co "@example.com"]',
  'emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]',
])("RFC 7644, section 3.4.2.2: %s", (text) => {
  expect(parseFilter(text)).toMatchObject({ kind: expect.any(String) });
});

test("and binds stronger than or; brackets, not and case stand as the RFC says", () => {
  const compare = (path: string) => ({ kind: "compare", path, comparison: "eq", value: "1" });
  expect(parseFilter('A eq "1" OR b EQ "1" And c eq "1"')).toEqual({
    kind: "or",
    parts: [compare("a"), { kind: "and", parts: [compare("b"), compare("c")] }],
  });
  expect(parseFilter('emails[type eq "1"]')).toEqual(compare("emails.type"));
  expect(parseFilter('a eq "say \\"hi\\" \\u00e9"')).toMatchObject({ value: 'say "hi" é' });
  expect(parseFilter("active eq True")).toMatchObject({ value: true });
  expect(parseFilter("a eq null")).toMatchObject({ value: null });
  expect(parseFilter("a gt -1.5")).toMatchObject({ value: -1.5 });
});

test("filters are read as another implementation reads them", () => {
  const resources = [
    { userName: "ana@acme.example", displayName: "Ana", active: true },
    { userName: "ben@acme.example", displayName: "Ben", active: false, externalId: "00u1" },
    { userName: "cleo@globex.example", active: true, externalId: "00u2" },
  ];
  const filters = [
    'userName eq "ana@acme.example"',
    'userName sw "ben"',
    'userName ew "acme.example" and active eq true',
    "displayName pr and externalId pr",
    'externalId eq "00u1" or externalId eq "00u2"',
    'active eq false or displayName co "n" and active eq true',
    'userName ne "ana@acme.example" and active eq true',
  ];
  for (const text of filters) {
    const theirs = new SCIMMY.Types.Filter(text).match(resources);
    expect([text, resources.filter((resource) => matches(parseFilter(text), resource))]).toEqual([
      text,
      theirs,
    ]);
  }
});

test.each([
  "",
  "userName",
  "userName eq",
  "userName eq bjensen",
  'userName is "x"',
  'userName eq "x',
  'userName eq "x" and',
  'userName eq "x" userName eq "y"',
  '(userName eq "x"',
  'userName eq "x")',
  'emails[type eq "work"',
  'emails[type[a eq "b"] eq "work"]',
  "not userName pr",
  'userName eq "\\x"',
])("what is no filter is refused: %s", (text) => {
  expect(codeOf(() => parseFilter(text))).toBe("invalidFilter");
});

test("paths are read in the forms of RFC 7644, of Entra and of Okta", () => {
  expect(parsePath("name.familyName")).toEqual({ attribute: "name", filter: null, sub: "familyname" });
  expect(parsePath('emails[type eq "work"].value')).toMatchObject({ attribute: "emails", sub: "value" });
  expect(parsePath('members[value eq "2819c223"]')).toMatchObject({ attribute: "members", sub: null });
  expect(parsePath("urn:ietf:params:scim:schemas:core:2.0:User:displayName").attribute).toBe("displayname");
  expect(parsePath("urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department").attribute).toBe(
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:user:department",
  );
  for (const path of ["", "members[", 'members[value eq "x"].value.more extra', "a b"])
    expect(codeOf(() => parsePath(path))).toBe("invalidPath");
});

describe("a hostile filter is refused, and soon", () => {
  const soon = (text: string) => {
    const began = performance.now();
    const code = codeOf(() => parseFilter(text));
    // A backtracking pattern would take minutes; the bound leaves room for a busy machine.
    expect(performance.now() - began).toBeLessThan(5_000);
    return code;
  };
  test.each([
    ["deep brackets", `${"(".repeat(1_900)}a pr${")".repeat(1_900)}`],
    ["deep negation", `${"not (".repeat(700)}a pr${")".repeat(700)}`],
    ["alternatives that multiply", Array.from({ length: 150 }, () => "(a pr or b pr)").join(" and ")],
    ["a long name", `${"a".repeat(1_000_000)} eq "b"`],
    ["quotes that never end", `a eq "${'\\"'.repeat(500_000)}`],
    ["backslashes", `a eq "${"\\".repeat(3_901)}`],
    ["dots", `a${".a".repeat(1_900)}!`],
    ["blanks", `a${" ".repeat(3_900)}!`],
  ])("%s", (_what, text) => {
    expect(soon(text)).toBe("invalidFilter");
  });
});
