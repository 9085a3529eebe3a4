/** The published client of the Agent Approval Protocol and its shims, each with a real framework over a scripted model. */
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { freePort } from "@/scripts/ports.ts";
import { type EngineProcess, startEngineProcess } from "@/test/engine-process.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { installAap, runAgent } from "@/test/servers/aap/aap.ts";
import { orLeftOut } from "@/test/setup/own-package.ts";
import { type ServedRoutes, serveRoutes, startWeb, type TestWeb } from "@/test/web.ts";

const ROUTES = ["requests", "requests/[id]", "requests/[id]/consume", "requests/[id]/outcome", "instances"];
const CALL = { payment_id: "payment_123", amount: 4900 };

const python = orLeftOut("agentapprovalprotocol", installAap);
let web: TestWeb;
let engine: EngineProcess;
let served: ServedRoutes;
let baseUrl: string;
let acme: string;
let ben: { userId: string; cookie: string };

beforeAll(async () => {
  if (python === null) return;
  web = await startWeb({ INTRAY_ALLOW_HOSTS: "127.0.0.1" });
  acme = await web.organization("acme-aap-clients");
  ben = await web.member(acme, "Ben", "approver");
  engine = await startEngineProcess(web.engineEnvironment);
  served = await serveRoutes(ROUTES.map((route) => `/api/aap/v1/${route}`));
  baseUrl = `${served.origin}/api/aap`;
});

beforeEach(({ skip }) => skip(python === null));

afterAll(async () => {
  await engine?.kill();
  await served?.close();
  await web?.stop();
});

/** Starts an agent with a key of its own: each makes the same call, which one key would make once. */
async function start(kind: string, ...more: string[]) {
  return startWith(await web.key(acme, "operator"), kind, ...more);
}

type Agent = ReturnType<typeof runAgent>;

function startWith(key: string, kind: string, ...more: string[]) {
  const agent = runAgent(kind, baseUrl, key, ...more);
  onTestFinished(() => void agent.kill());
  return agent;
}

const asked = () =>
  until("people are asked", async () => {
    const open = await web.call("GET", "/api/v1/input-requests?state=open", ben);
    return open.body.items[0];
  });

/** Decides on what the agent asks. */
async function decide(agent: Agent, answer: object = { action: "accept", content: {} }): Promise<string> {
  const ended = agent.end().then(() => Promise.reject(new Error("the agent ended before it asked")));
  const { id, questionHash } = await Promise.race([asked(), ended]);
  const path = `/api/v1/input-requests/${id}/answer`;
  expect((await web.call("POST", path, { ...ben, body: { ...answer, questionHash } })).status).toBe(202);
  return id;
}

const outcomeOf = async (id: string) =>
  (await web.database.sql("SELECT outcome FROM approval_use WHERE input_request_id = $1", [id]))[0]?.outcome;

test("the gate lets a call run once a person has approved it, also where the engine was killed in between", async () => {
  const agent = await start("gate", "10m");
  const { id } = await asked();
  await engine.kill();
  expect(await decide(agent)).toBe(id);
  engine = await startEngineProcess(web.engineEnvironment);
  expect(await agent.next()).toMatchObject({ ran: [CALL], verdict: "Allow" });
  await agent.end();
  expect(await outcomeOf(id)).toBe("succeeded");
  const card = (await web.call("GET", `/api/v1/input-requests/${id}`, ben)).body;
  expect(card.arguments).toMatchObject({
    details: { agentReasoning: "The customer was charged twice.", context: { call_id: "run:1" } },
    subject: { tool: "refund", server: "payments", arguments: CALL },
  });
});

test("a call that is seen again, as after a crash, is not made again", async () => {
  const key = await web.key(acme, "operator");
  const first = startWith(key, "gate", "10m");
  await decide(first);
  expect(await first.next()).toMatchObject({ verdict: "Allow" });
  const again = await startWith(key, "gate", "10m").next();
  expect(again).toMatchObject({ ran: [], verdict: "Deny", status: "consumed" });
});

test("the gate knows its call again, whatever numbers and texts it is made with", async () => {
  const args =
    '{"a":0.1,"b":1e22,"c":1.0,"d":-0.0,"e":9007199254740992,"f":1e-9,"g":"ü😀\\u2028\\"\\\\","h":[null,true,{"":{}}],"i":"\\ud83d\\ude00"}';
  const agent = await start("gate", "10m", args);
  await decide(agent);
  expect(await agent.next()).toMatchObject({ verdict: "Allow" });
});

test.each([
  ["declines", { action: "decline", comment: "Not on Friday" }, "denied", "Not on Friday"],
  ["asks to revise", { action: "decline", revise: true, comment: "Refund half" }, "denied", "Refund half"],
])("the gate lets no call run that a person %s, and says why", async (_what, answer, status, words) => {
  const agent = await start("gate", "10m");
  await decide(agent, answer);
  const said = await agent.next();
  expect(said).toMatchObject({ ran: [], verdict: "Deny", status });
  expect(said.told[0]).toContain(words);
});

test("the gate lets no call run that nobody decided in time", async () => {
  const agent = await start("gate", "1s");
  const said = await agent.next();
  expect(said).toMatchObject({ ran: [], verdict: "Deny", status: "expired" });
});

test("the gate lets no call run whose numbers people can't be shown, and asks nobody", async () => {
  const before = await web.database.sql("SELECT count(*) FROM task");
  const agent = await start("gate", "10m", '{"user_id":123456789012345678}');
  const said = await agent.next();
  expect(said).toMatchObject({ ran: [], verdict: "Deny", status: "error" });
  expect(await web.database.sql("SELECT count(*) FROM task")).toEqual(before);
});

test("the gate lets no call run with a key that asks nobody", async () => {
  const viewer = await web.key(acme, "viewer");
  expect(await startWith(viewer, "gate", "10m").next()).toMatchObject({
    ran: [],
    verdict: "Deny",
    status: "error",
  });
});

test.each(["langgraph", "pydantic_ai", "openai_agents"])(
  "%s runs an approved tool once, and no other",
  async (kind) => {
    const agent = await start(kind);
    const id = await decide(agent);
    expect(await agent.next()).toMatchObject({ ran: [CALL], told: ["refunded"] });
    await agent.end();
    expect(await outcomeOf(id)).toBe("succeeded");

    const declined = await start(kind);
    await decide(declined, { action: "decline", comment: "Not on Friday" });
    const said = await declined.next();
    expect([said.ran, said.told.length]).toEqual([[], 1]);
    expect(said.told[0]).toContain("Not on Friday");
  },
);

test("a run of LangGraph that has paused is woken by its receiver, and asks again before the tool runs", async () => {
  const provisioner = await web.key(acme, "owner");
  const agent = startWith(provisioner, "paused", String(await freePort()));
  const { ran, waits } = await agent.next();
  const { id } = await asked();
  expect([ran, waits]).toEqual([[], [id]]);
  await decide(agent);
  expect(await agent.next()).toMatchObject({ ran: [CALL], told: ["refunded"] });
  await agent.end();
  expect(await outcomeOf(id)).toBe("succeeded");
});
