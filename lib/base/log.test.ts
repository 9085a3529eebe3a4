import { expect, test } from "vitest";
import { createLog } from "./log.ts";

function logged(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(createLog("trace", { write: (line: string) => void lines.push(line) }));
  return JSON.parse(lines.join(""));
}

test("fields that hold secrets are not written, down to three levels, headers included", () => {
  const secrets = { token: "s3cret", password: "s3cret", handle: "s3cret", authorization: "Bearer s3cret" };
  const headers = { "set-cookie": "s3cret", "mcp-session-id": "s3cret", cookie: "s3cret" };
  const line = logged((log) =>
    log.trace(
      { ...secrets, ...headers, a: { ...secrets, ...headers, b: { ...secrets, c: secrets } }, taskId: "t" },
      "x",
    ),
  );
  expect(JSON.stringify(line)).not.toContain("s3cret");
  expect(line).toMatchObject({ msg: "x", taskId: "t", a: { b: { c: { token: "[removed]" } } } });
});

test.each([
  [
    "a database's password",
    "connect postgresql://app:s3cret@db.example:5432/x failed",
    "postgresql://[removed]@db.example:5432/x",
  ],
  [
    "a query",
    "GET https://as.example/token?code=s3cret&state=s3cret 400",
    "https://as.example/token?[removed] 400",
  ],
  ["a fragment", "at https://as.example/#s3cret", "https://as.example/?[removed]"],
  ["a credential", "sent Authorization: Bearer s3cret.s3cret", "Bearer [removed]"],
  ["a key of ours", "no itk_s3cret-_s3cret here", "no [removed] here"],
])("an error's words are written without %s", (_what, message, expected) => {
  const error = Object.assign(new Error(message, { cause: new TypeError(message) }), {
    code: "E1",
    config: { password: "s3cret" },
  });
  const line = logged((log) => log.error({ err: error }, "failed"));
  expect(JSON.stringify(line)).not.toContain("s3cret");
  expect(line.err).toMatchObject({ type: "Error", code: "E1", cause: { type: "TypeError" } });
  expect((line.err as { message: string }).message).toContain(expected);
});

test("what is thrown and no error is written as text, cleaned too", () => {
  expect(logged((log) => log.error({ err: "https://x.example/?s3cret" }, "failed")).err).toBe(
    "https://x.example/?[removed]",
  );
});

test("a line says when, in UTC, and is one line whatever was said", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line: string) => void lines.push(line) });
  const forged = '%s %o %j ok"}\n{"level":50,"msg":"forged"}\r\n\u2028\u0000\u001b[2J';
  log.info({ tool: forged }, "a tool is called");
  log.error({ err: new Error(forged) }, "failed");
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line.indexOf("\n")).toBe(line.length - 1);
    for (const control of ["\r", "\u0000", "\u001b"]) expect(line).not.toContain(control);
    expect(JSON.parse(line).time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: 30, msg: "a tool is called", tool: forged });
});
