import { expect, test } from "vitest";
import { applicationTypeOf, judgeRedirect, shownName } from "./agent-oauth-status.ts";

test.each([
  ["https://app.example/cb", { kind: "site", host: "app.example" }],
  ["https://app.example:8443/cb?x=1", { kind: "site", host: "app.example:8443" }],
  // As the browser's bar would write it: nothing that only looks like another name.
  ["https://xn--pple-43d.example/cb", { kind: "site", host: "xn--pple-43d.example" }],
  ["http://127.0.0.1:33418/cb", { kind: "computer" }],
  ["http://[::1]/cb", { kind: "computer" }],
  ["http://localhost:3000/", { kind: "computer" }],
  ["cursor://anysphere.cursor-retrieval/cb", { kind: "app", scheme: "cursor" }],
  ["com.example.app:/cb", { kind: "app", scheme: "com.example.app" }],
])("%s is taken", (uri, redirect) => {
  expect(judgeRedirect(uri)).toEqual(redirect);
});

test.each([
  "",
  "/cb",
  "javascript:alert(1)",
  "JavaScript://x.example/%0aalert(1)",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://app.example/x",
  "about:blank",
  "ms-msdt:/id",
  "search-ms:query=x",
  "ms-officecmd:%7B%7D",
  "steam://run/1",
  "mailto:ola@app.example",
  "http://app.example/cb",
  "http://127.0.0.2/cb",
  "http://127.0.0.1.evil.example/cb",
  "http://localhost.evil.example/cb",
  "https://localhost/cb",
  "https://ola@app.example/cb",
  "https://app.example\\@evil.example/cb",
  "https://app.example/cb#",
  "https://app.example/cb#x",
  "https://app.example/\tcb",
  " https://app.example/cb",
  "https://аpple.example/cb",
  `https://app.example/${"x".repeat(2_000)}`,
])("%s is refused", (uri) => {
  expect(judgeRedirect(uri)).toBeNull();
});

test("only a client that stays on its site is one of the web", () => {
  expect(applicationTypeOf(["https://app.example/cb"])).toBe("web");
  expect(applicationTypeOf(["https://app.example/cb", "http://127.0.0.1/cb"])).toBe("native");
  expect(applicationTypeOf(["com.example.app:/cb"])).toBe("native");
});

test.each([
  ["a name", "Claude Code", "Claude Code"],
  ["lines", "Claude\r\nCode\u2028is safe", "Claude Code is safe"],
  ["what turns the line round", "\u202eedoC\u202c", "edoC"],
  ["what nobody sees", "Cl\u200baude\u00ad\u2060", "Cl aude"],
  ["what is stacked", `a${"\u0301".repeat(30)}`, "\u00e1"],
  ["a novel", "x".repeat(500), `${"x".repeat(59)}…`],
])("%s is shown in one line", (_what, name, shown) => {
  expect(shownName(name)).toBe(shown);
});

test.each([null, 7, {}, "", " \n ", "\u200b"])("%j is no name", (name) => {
  expect(shownName(name)).toBeNull();
});
