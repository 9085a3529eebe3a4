import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { maskMessage } from "../history/protocol-messages/mask.ts";
import { asCurl, asLine } from "./message-as-command.ts";

const HANDLE = "task-handle-of-the-server";
const at = "2026-03-01T12:00:00.000Z";
const out = (body: unknown, secrets: string[] = [HANDLE]) => ({
  at,
  direction: "out" as const,
  method: "m",
  body: maskMessage(body, secrets),
});
const MODERN = { url: "https://erp.example/mcp?a='b'", era: "2026-07-28", authKind: "oauth" as const };
const OLDER = { url: "https://erp.example/mcp", era: "2025-11-25", authKind: "none" as const };

/** What a shell makes of the command: the words that curl is called with. */
function words(command: string | null): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const env = {
    ...process.env,
    TOKEN: "t0k",
    SESSION: "s3ss",
    TASK_ID: HANDLE,
    REQUEST_STATE: "st4te",
    SECRET: "s3cret",
  };
  return execFileSync("sh", ["-c", script], { env, encoding: "utf8" }).split("\0").slice(0, -1);
}

test("a call of 2026-07-28 goes out again as it did, its secrets from the shell", () => {
  const body = {
    jsonrpc: "2.0",
    id: 7,
    method: "tools/call",
    params: {
      name: "prüfen",
      arguments: { note: 'it\'s $HOME `x` \\ "q"', region: "eu" },
      requestState: "st4te",
    },
  };
  const schema = { properties: { region: { type: "string", "x-mcp-header": "Region" } } };
  const command = asCurl(out(body), MODERN, schema);
  expect(command).not.toContain("st4te");
  const [x, post, url, ...rest] = words(command);
  expect([x, post, url]).toEqual(["-X", "POST", MODERN.url]);
  expect(rest.filter((_, index) => index % 2 === 1).slice(0, -1)).toEqual([
    "content-type: application/json",
    "accept: application/json, text/event-stream",
    "authorization: Bearer t0k",
    "mcp-protocol-version: 2026-07-28",
    "mcp-method: tools/call",
    "mcp-name: =?base64?cHLDvGZlbg==?=",
    "mcp-param-region: eu",
  ]);
  expect(JSON.parse(rest.at(-1) ?? "")).toEqual(body);
  expect(command).toContain("# Sent again, it does again what it did.");
});

test("a call about a task names it by a variable, in the body and in the header", () => {
  const body = { jsonrpc: "2.0", id: 8, method: "tasks/get", params: { taskId: HANDLE } };
  const command = asCurl(out(body), MODERN);
  expect(command).not.toContain(HANDLE);
  expect(command).not.toContain("#");
  expect(words(command)).toContain(`mcp-name: ${HANDLE}`);
  expect(JSON.parse(words(command).at(-1) ?? "")).toEqual(body);
});

test("on 2025-11-25 it goes to its session, and without a token where the server wants none", () => {
  const answer = { jsonrpc: "2.0", id: 3, result: { action: "accept", content: { note: `the ${HANDLE}!` } } };
  const sent = words(asCurl(out(answer), OLDER));
  expect(sent).toContain("mcp-session-id: s3ss");
  expect(sent.some((word) => word.startsWith("authorization"))).toBe(false);
  expect(JSON.parse(sent.at(-1) ?? "").result.content).toEqual({ note: "the s3cret!" });
  const first = words(asCurl(out({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }), OLDER));
  expect(first.some((word) => word.startsWith("mcp-"))).toBe(false);
});

test("what was kept in part says so, and what was received is no command", () => {
  const huge = { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { text: "x".repeat(20_000) } };
  expect(asCurl(out(huge), OLDER)).toContain("# Only a part of this message was kept");
  expect(asCurl({ ...out({}), direction: "in" }, OLDER)).toBeNull();
});

test("for a program it is one line", () => {
  const body = { jsonrpc: "2.0", id: 8, method: "tasks/get", params: { taskId: HANDLE, text: "a\nb" } };
  expect(JSON.parse(asLine(out(body)))).toEqual({ ...body, params: { taskId: "$TASK_ID", text: "a\nb" } });
});
