/** Hooks of coding agents: one that a call rule allows, at an even rate; and 1,000 that are held until people decide. */
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { readCallRules } from "../../lib/policy/call-rules/call-rule-reads.ts";
import { callRulesInputSchema } from "../../lib/policy/call-rules/call-rule-schema.ts";
import { saveCallRules } from "../../lib/policy/call-rules/call-rule-writes.ts";
import { beforeTool } from "../../test/fixtures/agents/raw-hook.ts";
import { type Figure, quantile } from "../figure.ts";
import type { Scene } from "./scene.ts";

const RATE = 50;
const SECONDS = 30;
const WARM_UP_CALLS = 200;
const FEW = 200;
const MANY = 1_200;
const OPENED_AT_ONCE = 40;
/** Until V8 and libuv have given back what opening the requests took. */
const SETTLE_MS = 5_000;
const KIB = 1_024;

export async function hooks(scene: Scene): Promise<Figure[]> {
  const { endpoint, inspector } = await scene.inspected();
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const secret = await scene.agent(null);
  const ask = (tool: string, input: Record<string, unknown>) =>
    post(agent, endpoint.url, secret, beforeTool(tool, input));
  try {
    await allowReads(scene);
    const allowed = await atAnEvenRate((n) => ask("Read", { file_path: `/home/ana/shop/${n}.ts` }));
    const before = await asked(scene);
    const open = async (from: number, to: number) => {
      for (let n = from; n < to; n += OPENED_AT_ONCE) {
        // Refusals, if there are any, show in the count.
        for (let at = n; at < n + OPENED_AT_ONCE; at++) void ask("Bash", { command: `rm -r build/${at}` });
        while ((await asked(scene)) - before < n + OPENED_AT_ONCE) await sleep(5);
      }
      await sleep(SETTLE_MS);
      return inspector.memory();
    };
    const [few, many] = [await open(0, FEW), await open(FEW, MANY)];
    return [
      {
        what: `a hook that a rule allows, ${RATE} a second, p50`,
        value: quantile(allowed, 0.5),
        unit: "ms",
        goal: { atMost: 8 },
      },
      {
        what: `a hook that a rule allows, ${RATE} a second, p99`,
        value: quantile(allowed, 0.99),
        unit: "ms",
        goal: { atMost: 40 },
      },
      {
        what: "memory a held hook",
        value: (many.rss - few.rss) / (MANY - FEW) / KIB,
        unit: "KiB",
        goal: { atMost: 40 },
      },
    ];
  } finally {
    agent.destroy();
    await endpoint.kill();
  }
}

function asked({ organization }: Scene): Promise<number> {
  return organization.within((tx) => tx.inputRequest.count({ where: { state: "open" } }));
}

async function allowReads({ organization: { within, operator } }: Scene): Promise<void> {
  await within(async (tx) => {
    const { version } = await readCallRules(tx);
    const rules = [{ name: "Reads are free", tools: ["Read"], before: "allow" }];
    await saveCallRules(tx, { ...operator, role: "admin" }, version, callRulesInputSchema.parse({ rules }));
  });
}

/** Returns how long each call took, in ms. Throws if one was not allowed. */
async function atAnEvenRate(call: (n: number) => Promise<string>): Promise<number[]> {
  const taken: number[] = [];
  const one = async (n: number, counts: boolean) => {
    const began = performance.now();
    const said = await call(n);
    if (!said.includes('"allow"')) throw new Error(`a hook was answered: ${said}`);
    if (counts) taken.push(performance.now() - began);
  };
  for (let n = 0; n < WARM_UP_CALLS; n++) await one(n, false);
  const under: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < RATE * SECONDS; n++) {
    under.push(one(n, true));
    await sleep(Math.max(0, began + ((n + 1) * 1_000) / RATE - performance.now()));
  }
  await Promise.all(under);
  return taken;
}

function post(agent: Agent, endpoint: string, secret: string, body: object): Promise<string> {
  const url = new URL("/hooks/claude-code?timeout=600", endpoint);
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return new Promise((resolve) => {
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.once("close", () => resolve(text));
    });
    sent.once("error", (error) => resolve(String(error)));
    sent.end(JSON.stringify(body));
  });
}
