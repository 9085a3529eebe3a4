/** What the plugin of opencode asks, what it is answered, and that it throws unless the answer allows the call. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { hookSetUps } from "../../agents/hook-set-up-words.ts";
import { opencode } from "./opencode.ts";

const event = {
  session: "ses_1",
  call: "toolu_1",
  directory: "/home/ana/shop",
  tool: "bash",
  args: { command: "make" },
};
const allowed = { reason: "Ben approved it.", comment: null, input: null };
const read = (body: unknown) => opencode.read(body, new Headers());

test("a call is told by its tool, its arguments, and its id", () => {
  const { call, whenUndecided } = read(event);
  expect(whenUndecided).toBe("deny");
  expect(call).toEqual({
    program: "opencode",
    tool: "bash",
    input: { command: "make" },
    cwd: "/home/ana/shop",
    session: "ses_1",
    callId: "toolu_1",
    by: null,
    takesChanges: true,
  });
});

test("the answers", () => {
  const { answers } = read(event);
  expect(answers.allow(allowed)).toEqual({ decision: "allow", reason: "Ben approved it." });
  expect(answers.allow({ ...allowed, input: { command: "make all" } })).toEqual({
    decision: "allow",
    reason: "Ben approved it.",
    args: { command: "make all" },
    note: 'Ben approved it. The call was made with this input: {"command":"make all"}',
  });
  for (const no of [answers.deny("No"), answers.undecided("No"), opencode.refuse("No")])
    expect(no).toEqual({ decision: "deny", reason: "No" });
});

test.each<[string, unknown]>([
  ["an event of Claude Code", { hook_event_name: "PreToolUse", session_id: "s-1", tool_name: "Bash" }],
  ["no call", { ...event, call: "" }],
  ["arguments that are no object", { ...event, args: "rm -rf /" }],
  ["nothing", null],
])("%s is no event of the plugin", (_, body) => {
  expect(() => read(body)).toThrow("Copy the set-up again");
});

/** Asks by the set-up's plugin, as opencode does, and returns the arguments of the call that opencode would make. */
async function askByPlugin(answer: (response: ServerResponse) => void) {
  const asked: { body: unknown; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    asked.push({ body: JSON.parse(Buffer.concat(chunks).toString()), headers: request.headers });
    answer(response);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  vi.stubEnv("INTRAY_AGENT_SECRET", "ita_abc");
  onTestFinished(() => void vi.unstubAllEnvs());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { text } = hookSetUps(url, null).find(({ hook }) => hook === "opencode")!;
  const plugin = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(text)}`);
  const hooks = await plugin.default.server({ directory: "/home/ana/shop" });
  const call = { tool: "bash", sessionID: "ses_1", callID: "toolu_1" };
  const args: Record<string, unknown> = { command: "make", timeout: 5 };
  return {
    asked,
    async make(result: object = { output: "made" }) {
      await hooks["tool.execute.before"](call, { args });
      await hooks["tool.execute.after"](call, result);
      return { args, result };
    },
  };
}
const says =
  (body: unknown, status = 200) =>
  (response: ServerResponse) =>
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));

test("the plugin asks about the call, and leaves an allowed one as it is", async () => {
  const { make, asked } = await askByPlugin(says({ decision: "allow", reason: "Ben approved it." }));
  expect(await make()).toEqual({ args: { command: "make", timeout: 5 }, result: { output: "made" } });
  expect(asked).toEqual([
    {
      body: { ...event, args: { command: "make", timeout: 5 } },
      headers: expect.objectContaining({ authorization: "Bearer ita_abc" }),
    },
  ]);
  expect(() => read(asked[0]?.body)).not.toThrow();
});

test("the plugin changes the call, and adds to its result what people said", async () => {
  const { make } = await askByPlugin(
    says({ decision: "allow", args: { command: "make all" }, note: "Ben changed it." }),
  );
  const args = { command: "make all" };
  expect(await make()).toEqual({ args, result: { output: "made\nBen changed it." } });
  const content = [{ type: "text", text: "made" }];
  expect(await make({ content: [...content] })).toEqual({
    args,
    result: { content: [...content, { type: "text", text: "Ben changed it." }] },
  });
});

test.each<[string, (response: ServerResponse) => void, string]>([
  ["a denial", says({ decision: "deny", reason: "Not on Fridays" }), "Not on Fridays"],
  ["an empty answer", says(""), "Intray did not allow it"],
  ["a page", says("<html>Sign in</html>"), "Intray did not allow it"],
  ["JSON of another kind", says({ ok: true }), "Intray did not allow it"],
  ["null", says("null"), "Intray did not allow it"],
  ["an error that says it is allowed", says({ decision: "allow" }, 500), "Intray did not allow it"],
  [
    "a redirect",
    (response) => response.writeHead(307, { location: "/elsewhere" }).end(),
    "Intray did not allow it",
  ],
  ["a connection that ends", (response) => response.destroy(), "Intray did not allow it"],
])("the plugin throws after %s", async (_, answer, message) => {
  const { make } = await askByPlugin(answer);
  await expect(make()).rejects.toThrow(message);
});
