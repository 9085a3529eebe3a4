/** A person tries an agent's hook: the call is decided as the program's own would be, and the answer says what is stored. */
import { beforeAll, expect, test } from "vitest";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let ada: { cookie: string; userId: string };
beforeAll(async () => {
  acme = await web.organization("acme");
  ada = await web.member(acme, "Ada", "admin");
});

const call = async (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object, headers = {}) =>
  web.call(method, `/api/v1${path}`, { cookie: ada.cookie, body, headers });
const anAgent = async () => (await call("POST", "/agent-credentials", { name: "Coder" })).body.id as string;
const tryIt = (id: string, program = "claude-code") =>
  call("POST", `/agent-credentials/${id}/try-hook`, { program });
async function rules(...all: object[]) {
  const { version } = (await call("GET", "/call-rules")).body;
  const saved = await call("PUT", "/call-rules", { rules: all }, { "if-match": `"${version}"` });
  expect(saved.status).toBe(200);
}

test("the call waits in the inbox as the agent's; each try asks again, and the history names who tried", async () => {
  const id = await anAgent();
  const tries = [await tryIt(id), await tryIt(id, "codex"), await tryIt(id, "gemini-cli")];
  const requests = [];
  for (const { status, body } of tries) {
    expect([status, body.outcome]).toEqual([200, "asked"]);
    requests.push((await call("GET", `/input-requests/${body.inputRequestId}`)).body);
  }
  expect(requests.map(({ message, state }) => [message, state])).toEqual([
    ["May Claude Code run this command?", "open"],
    ["May Codex run this command?", "open"],
    ["May Gemini CLI run this command?", "open"],
  ]);
  const tasks = await web.database.sql("SELECT agent_id, requested_by->>'kind' AS by FROM task");
  expect(tasks).toEqual([id, id, id].map((agent_id) => ({ agent_id, by: "agent" })));
  const lines = await web.database.sql(
    "SELECT actor->>'id' AS by, data FROM event WHERE type = 'agent.hook_tried' ORDER BY seq",
  );
  expect(lines).toMatchObject([
    { by: ada.userId, data: { agentId: id, name: "Coder", program: "Claude Code" } },
    { by: ada.userId, data: { program: "Codex" } },
    { by: ada.userId, data: { program: "Gemini CLI" } },
  ]);
  // The agent itself was not there.
  expect((await call("GET", `/agent-credentials/${id}`)).body).toMatchObject({ lastSeenAt: null, calls: 0 });
});

test("a rule decides it, and is named", async () => {
  const id = await anAgent();
  await rules({ name: "Echo is free", tools: ["Bash"], before: "allow" });
  expect((await tryIt(id)).body).toEqual({
    outcome: "allowed",
    reason: "Intray’s rule “Echo is free” allows it.",
  });
  await rules({ name: "No shells", tools: ["Bash"], before: "deny" });
  expect((await tryIt(id)).body).toEqual({
    outcome: "denied",
    reason: "The rule “No shells” does not allow this call.",
  });
  await rules();
});

test("an agent whose calls are refused has nothing to try", async () => {
  const ended = await anAgent();
  await web.database.sql(
    "UPDATE agent_credential SET created_at = now() - interval '2 h', expires_at = now() - interval '1 s' WHERE id = $1",
    [ended],
  );
  const late = await tryIt(ended);
  expect([late.status, late.body.code]).toEqual([409, "suspended"]);
  const revoked = await anAgent();
  await call("DELETE", `/agent-credentials/${revoked}`);
  expect((await tryIt(revoked)).status).toBe(404);
});
