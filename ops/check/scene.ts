/** A running Intray with servers of its own, and hands: the API, the superuser of its database, its processes. */
import { type Intray, startIntray } from "../../e2e/fixtures/intray.ts";
import { readRecord } from "../../scripts/database/cluster.ts";
import { withClient, withLogin } from "../../scripts/database/roles.ts";
import { readSecrets } from "../../scripts/database/secrets.ts";
import { until } from "../../test/fixtures/organization-fixture.ts";
import { startTestServer, type TestServer } from "../../test/servers/mcp-server.ts";
import { type Front, gone, refuseAnswers } from "./troublemakers.ts";

const PATIENCE_MS = 120_000;
export const TOKEN = "the token of the check";

export interface Scene {
  intray: Intray;
  fine: TestServer;
  moody: TestServer;
  receiver: Front;
  /** Ids, by what they are like. */
  servers: { fine: string; moody: string; refusing: string };
  // biome-ignore lint/suspicious/noExplicitAny: replies of any shape
  call(method: string, path: string, body?: object): Promise<{ status: number; body: any }>;
  sql(statement: string): Promise<void>;
  /** Starts a task and waits for its question. */
  ask(serverId: string): Promise<string>;
  answer(requestId: string): Promise<void>;
  close(): Promise<void>;
}

export async function setTheScene(): Promise<Scene> {
  const fine = await startTestServer();
  const moody = await startTestServer();
  const refusing = await refuseAnswers(fine.url);
  const receiver = await gone();
  const intray = await startIntray({
    METRICS_TOKEN: TOKEN,
    INTRAY_ALLOW_HOSTS: [fine, moody, refusing, receiver].map(({ hostAndPort }) => hostAndPort).join(","),
  });
  const key = await intray.command("key", "create", "--org", "acme", "--role", "admin");
  const call: Scene["call"] = async (method, path, body) => {
    const reply = await fetch(`${intray.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, body: text.startsWith("{") ? JSON.parse(text) : null };
  };
  const add = async (name: string, url: string): Promise<string> =>
    (await call("POST", "/servers", { name, url })).body.id;
  const secrets = readSecrets(intray.dataDir);
  const database = `postgresql://127.0.0.1:${readRecord(intray.dataDir).port}/intray`;
  const superuser = withLogin(database, "postgres", secrets?.superuserPassword ?? "");
  return {
    intray,
    fine,
    moody,
    receiver,
    servers: {
      fine: await add("Fine", fine.url),
      moody: await add("Moody", moody.url),
      refusing: await add("Refusing", refusing.url),
    },
    call,
    sql: (statement) => withClient(superuser, async (client) => void (await client.query(statement))),
    async ask(serverId) {
      const task = await call("POST", "/tasks", { serverId, tool: "approve", arguments: {} });
      const look = async () => (await call("GET", `/input-requests?taskId=${task.body.id}`)).body?.items[0];
      return (await until("a question is open", look, PATIENCE_MS)).id;
    },
    async answer(requestId) {
      const { questionHash } = (await call("GET", `/input-requests/${requestId}`)).body;
      const body = { action: "accept", content: { approve: true }, questionHash };
      const { status } = await call("POST", `/input-requests/${requestId}/answer`, body);
      if (status !== 202) throw new Error(`the answer was not taken: ${status}`);
    },
    async close() {
      await intray.stop();
      for (const one of [fine, moody, refusing, receiver]) await one.close();
    },
  };
}
