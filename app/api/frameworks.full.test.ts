/** The recipes of docs/frameworks.md as they stand there, each with the published framework over a scripted model. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { type EngineProcess, startEngineProcess } from "@/test/engine-process.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { installOwnPackage, orLeftOut } from "@/test/setup/own-package.ts";
import { type ServedRoutes, serveRoutes, startWeb, type TestWeb } from "@/test/web.ts";

const RECIPES = ["ask-people", "openai-agents", "ai-sdk", "langchain"] as const;
const CALL = { payment_id: "payment_123", amount: 4900 };
const run = promisify(execFile);

const place = orLeftOut("frameworks", () => installOwnPackage("agent-clients", []));
let web: TestWeb;
let engine: EngineProcess;
let served: ServedRoutes;
let acme: string;
let ben: { userId: string; cookie: string };

beforeAll(async () => {
  if (place === null) return;
  web = await startWeb();
  acme = await web.organization("acme-frameworks");
  ben = await web.member(acme, "Ben", "approver");
  engine = await startEngineProcess(web.engineEnvironment);
  served = await serveRoutes(
    ["requests", "requests/[id]", "requests/[id]/consume"].map((route) => `/api/v1/${route}`),
  );
});

beforeEach(({ skip }) => skip(place === null));

afterAll(async () => {
  await engine?.kill();
  await served?.close();
  await web?.stop();
});

/** A folder with the page's recipes, and what runs them. */
function folderOfRecipes(): string {
  const folder = mkdtempSync(join(tmpdir(), "intray-frameworks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(place ?? "", "node_modules"), join(folder, "node_modules"));
  copyFileSync("test/agent-clients/frameworks.mjs", join(folder, "frameworks.mjs"));
  const page = readFileSync("docs/frameworks.md", "utf8");
  const texts = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  expect(texts).toHaveLength(RECIPES.length);
  for (const [n, name] of RECIPES.entries())
    writeFileSync(
      join(folder, `${name}.ts`),
      (texts[n] ?? "").replace("https://intray.example", served.origin),
    );
  return folder;
}

/** Runs an agent whose model makes one call, of which people are asked. Returns the calls that ran, and what the model read. */
async function runAgent(framework: string, answer: object): Promise<{ ran: object[]; read: string[] }> {
  const INTRAY_KEY = await web.key(acme, "operator");
  const ended = run(process.execPath, ["frameworks.mjs", framework], {
    cwd: folderOfRecipes(),
    env: { ...process.env, INTRAY_KEY },
  });
  ended.catch(() => undefined); // it is awaited below
  const failed = ended.then(() => Promise.reject(new Error("the agent ended before it asked")));
  const asked = until("people are asked", async () => {
    const open = await web.call("GET", "/api/v1/input-requests?state=open", ben);
    return open.body.items[0];
  });
  const { id, questionHash } = await Promise.race([asked, failed]);
  const path = `/api/v1/input-requests/${id}/answer`;
  expect((await web.call("POST", path, { ...ben, body: { ...answer, questionHash } })).status).toBe(202);
  failed.catch(() => undefined);
  return JSON.parse((await ended).stdout);
}

test.each(RECIPES.slice(1))("%s runs an approved tool once, and no other", async (framework) => {
  expect(await runAgent(framework, { action: "accept", content: {} })).toEqual({
    ran: [CALL],
    read: [expect.stringContaining("refunded")],
  });
  const declined = { action: "decline", comment: "Not on Friday" };
  expect(await runAgent(framework, declined)).toEqual({
    ran: [],
    read: [expect.stringContaining("Not on Friday")],
  });
});
