/**
 * Proves the arrangement of compose.yaml: one web, two engines, one Postgres, by the image's own entrance. Answers a
 * crowd's questions while an engine and the web app are killed with -9, then drains all with SIGTERM. `npm run
 * check:arrangement` starts them as processes by hand; with `-- --compose` it is `docker compose` that does, on the image
 * `intray`. Fails where an answer got lost or came twice, or a drain did not end by itself.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../test/fixtures/organization-fixture.ts";
import { startTestServer, type TestServer } from "../../test/servers/mcp-server.ts";
import type { Arrangement } from "./arranged.ts";
import { arrangeByCompose } from "./by-compose.ts";
import { arrangeByHand } from "./by-hand.ts";

const TASKS = 40;
const PATIENCE_MS = 120_000;
const GRACE_S = 40;

const say = (text: string) => process.stdout.write(`${text}\n`);
const wrong: string[] = [];
const server = await startTestServer();
const port = Number(new URL(server.url).port);
const arrangement = await (process.argv.includes("--compose") ? arrangeByCompose : arrangeByHand)(port);
try {
  const key = await drive(arrangement, server);
  const underWay = await leaveUnderWay(arrangement.url, key);
  for (const { part, code, seconds } of await arrangement.drain()) {
    say(`${part} drained: code ${code} after ${seconds.toFixed(1)} s`);
    if (code !== 0 || seconds > GRACE_S) wrong.push(`${part} did not drain`);
  }
  say(`under way when the drain began: ${(await underWay.ends).join(", ")}`);
} finally {
  await arrangement.close();
  await server.close();
}
for (const line of wrong) say(`WRONG ${line}`);
process.exit(wrong.length > 0 ? 1 : 0);

/** Returns the key it called with. */
async function drive({ url, command, kill, reach }: Arrangement, server: TestServer): Promise<string> {
  await until("everything works together", () => ok(`${url}/readyz`), PATIENCE_MS);
  say("ready");
  await command("org", "create", "acme", "--name", "Acme", "--owner", "ana@acme.example");
  const key = await command("key", "create", "--org", "acme", "--role", "admin");
  const once = async (method: string, path: string, body?: object, name?: string) => {
    const reply = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { "content-type": "application/json" }),
        ...(name && { "idempotency-key": name }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: await reply.json() };
  };
  // Whoever calls tries again while the web app is away; a start names itself so that it is made once.
  const call = async (method: string, path: string, body?: object, name?: string) => {
    for (;;) {
      const reply = await once(method, path, body, name).catch(() => undefined);
      if (reply?.status === 500) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
      if (reply && reply.status < 429) return reply;
      await sleep(200);
    }
  };
  const { body: added } = await call("POST", "/servers", { name: "Checked", url: await reach(port) });
  const started = await Promise.all(
    Array.from({ length: TASKS }, (_, at) =>
      call("POST", "/tasks", { serverId: added.id, tool: "approve", arguments: {} }, `task ${at}`),
    ),
  );
  const ids = started.map(({ body }) => body.id as string);
  let answered = 0;
  const answering = ids.map(async (id, at) => {
    await sleep(at * 250);
    const look = async () => (await call("GET", `/input-requests?taskId=${id}`)).body.items[0];
    const request = await until("a question is open", look, PATIENCE_MS);
    const { body } = await call("GET", `/input-requests/${request.id}`);
    const answer = { action: "accept", content: { approve: true }, questionHash: body.questionHash };
    const { status } = await call("POST", `/input-requests/${request.id}/answer`, answer);
    // Taken before the web app was killed, and told after: the second try is refused.
    if (status !== 202 && status !== 409) wrong.push(`an answer was refused: ${status}`);
    answered++;
  });
  const allAnswered = Promise.all(answering);
  allAnswered.catch(() => undefined); // waited for below
  for (const part of ["engine", "web", "engine"] as const) {
    await sleep(3_000);
    await kill(part);
    say(`kill -9 of ${part}, ${answered} of ${TASKS} answered`);
  }
  await allAnswered;
  const ended = async () =>
    (await Promise.all(ids.map((id) => call("GET", `/tasks/${id}`)))).every(
      ({ body }) => body.state === "completed",
    );
  await until("every task has ended", ended, PATIENCE_MS);
  const told = new Set(server.answers.map(({ taskId }) => taskId)).size;
  say(
    `${TASKS} tasks, ${server.tasks.size} at the server, ${server.answers.length} answers told to ${told} of them`,
  );
  if (server.tasks.size !== TASKS) wrong.push("a task was lost, or made twice");
  if (server.answers.length !== TASKS || told !== TASKS) wrong.push("an answer was lost, or told twice");
  return key;
}

/** A stream of hints, which the drain ends, and a call whose body comes in two halves, which it waits for. */
async function leaveUnderWay(url: string, key: string): Promise<{ ends: Promise<string[]> }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const stream = await fetch(`${url}/api/v1/stream`, { headers });
  if (stream.status !== 200) wrong.push(`the stream did not open: ${stream.status}`);
  const slowly = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode('{"name": "Slow", '));
      await sleep(1_500);
      controller.enqueue(new TextEncoder().encode('"url": "https://mcp.example/mcp"}'));
      controller.close();
    },
  });
  const call = fetch(`${url}/api/v1/servers`, {
    method: "POST",
    headers,
    body: slowly,
    duplex: "half",
  } as RequestInit);
  await sleep(500);
  const both = Promise.allSettled([stream.text(), call.then(({ status }) => status)]);
  const ends = both.then(([streamed, called]) => {
    if (streamed.status !== "fulfilled") wrong.push("the stream was torn, not ended");
    if (called.status !== "fulfilled") wrong.push("a call that was under way got no answer");
    const status = called.status === "fulfilled" ? called.value : "none";
    return [
      `the stream ${streamed.status === "fulfilled" ? "ended" : "was torn"}`,
      `the call answered ${status}`,
    ];
  });
  return { ends };
}

async function ok(url: string): Promise<boolean> {
  const reply = await fetch(url).catch(() => undefined);
  await reply?.body?.cancel();
  return reply?.ok === true;
}
