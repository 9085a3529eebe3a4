import { expect, test } from "vitest";
import { challengesIn, tokenChallenge } from "./challenges.ts";

const URI = "https://mcp.example/.well-known/oauth-protected-resource";

test.each<[string, string | string[] | undefined, [string, Record<string, string>][]]>([
  ["no header", undefined, []],
  ["an empty one", "", []],
  ["a scheme alone", "Bearer", [["bearer", {}]]],
  ["one challenge", `Bearer resource_metadata="${URI}"`, [["bearer", { resource_metadata: URI }]]],
  [
    "Basic first",
    `Basic realm="x", Bearer resource_metadata="${URI}"`,
    [
      ["basic", { realm: "x" }],
      ["bearer", { resource_metadata: URI }],
    ],
  ],
  [
    "several headers",
    ['Basic realm="x"', 'Bearer scope="a"'],
    [
      ["basic", { realm: "x" }],
      ["bearer", { scope: "a" }],
    ],
  ],
  [
    "a scheme without parameters first",
    `Negotiate, Bearer scope="a b"`,
    [
      ["negotiate", {}],
      ["bearer", { scope: "a b" }],
    ],
  ],
  [
    "a token68 first, and one last",
    `Negotiate YWJjZA==, Bearer error="invalid_token",NTLM dGV4dA=`,
    [
      ["negotiate", {}],
      ["bearer", { error: "invalid_token" }],
      ["ntlm", {}],
    ],
  ],
  [
    "the example of RFC 9110",
    `Basic realm="simple", Newauth realm="apps", type=1, title="Login to \\"apps\\""`,
    [
      ["basic", { realm: "simple" }],
      ["newauth", { realm: "apps", type: "1", title: 'Login to "apps"' }],
    ],
  ],
  ["blanks around =", `Bearer scope = "a b" , error\t=\tx`, [["bearer", { scope: "a b", error: "x" }]]],
  ["capitals", `BEARER Resource_Metadata="${URI}"`, [["bearer", { resource_metadata: URI }]]],
  [
    "a quoted text with commas, other schemes and escapes",
    `Bearer error_description="no, Basic realm=\\"x\\", sorry \\\\", scope="a"`,
    [["bearer", { error_description: 'no, Basic realm="x", sorry \\', scope: "a" }]],
  ],
  ["an empty quoted text", `Bearer realm="", scope="a"`, [["bearer", { realm: "", scope: "a" }]]],
  [
    "empty elements of the list",
    `, ,Bearer realm="x",, scope="a",`,
    [["bearer", { realm: "x", scope: "a" }]],
  ],
  [
    "a URL without quotes",
    `Bearer resource_metadata=${URI}?a=b, scope=a`,
    [["bearer", { resource_metadata: `${URI}?a=b`, scope: "a" }]],
  ],
  ["no comma between parameters", `Bearer error="x" scope="a"`, [["bearer", { error: "x", scope: "a" }]]],
  ["a parameter twice", `Bearer scope="a", scope="b"`, [["bearer", { scope: "a" }]]],
  ["a parameter of no scheme", `realm="x", Bearer scope="a"`, [["bearer", { scope: "a" }]]],
  [
    "a text that is never closed",
    `Bearer realm="x", scope="a b`,
    [
      ["bearer", { realm: "x" }],
      ["scope", {}],
    ],
  ],
  ["nonsense", `"?"`, []],
])("%s", (_, header, expected) => {
  const found = challengesIn(header).map(({ scheme, parameters }) => [
    scheme,
    Object.fromEntries(parameters),
  ]);
  expect(found).toEqual(expected);
});

test("a challenge for a token is one of Bearer or DPoP, and the first that says what is wanted", () => {
  const header = `Basic scope="of another", Bearer realm="x", DPoP scope="a", Bearer scope="b"`;
  expect(tokenChallenge(header, (of) => of.has("scope"))?.get("scope")).toBe("a");
  expect(tokenChallenge(header, () => true)?.get("realm")).toBe("x");
  expect(tokenChallenge('Basic realm="x"', () => true)).toBeUndefined();
});

test("a hostile header costs no time", () => {
  for (const part of ['"', "a=", "a ", '\\"', ",", 'a="\\'])
    expect(challengesIn(`Bearer ${part.repeat(1_000_000)}`).length).toBeLessThan(20_000);
});
