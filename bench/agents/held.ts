/** Calls that are held open until people answer: what each takes in the web process, and how soon it wakes. */

import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { clock, startChild } from "../child.ts";
import { type Figure, quantile } from "../figure.ts";
import type { Bare, Memory } from "./bare.ts";
import type { Scene } from "./scene.ts";

const KIB = 1_024;
const FEW = 1_000;
const MANY = 5_000;
const OPENED_AT_ONCE = 40;
/** Until streams are open, and V8 and libuv have given back what opening them took. */
const SETTLE_MS = 5_000;
const ANSWERS = 300;
const ANSWERS_A_SECOND = 10;

interface Held {
  /** When it was answered, and with what. */
  answer: Promise<{ at: number; text: string }>;
}

export async function held(scene: Scene): Promise<Figure[]> {
  const { organization } = scene;
  const { endpoint, inspector } = await scene.inspected();
  const secret = await scene.agent(null);
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const calls = new Map<string, Held>();
  const open = async (count: number) => {
    const asked = () => organization.within((tx) => tx.inputRequest.count({ where: { state: "open" } }));
    while (calls.size < count) {
      for (let n = 0; n < OPENED_AT_ONCE; n++) {
        const message = `Which supplier is it for order ${calls.size}?`;
        calls.set(message, hold(agent, endpoint.url, secret, message));
      }
      while ((await asked()) < calls.size) await sleep(5);
    }
    await sleep(SETTLE_MS);
    return inspector.memory();
  };
  try {
    const few = await open(FEW);
    const many = await open(MANY);
    const bare = await heldByNode(agent, secret);
    await scene.analyze();
    const wakes = await answerSome(scene, calls);
    return [
      {
        what: "memory a held call",
        value: each({ few, many }, "rss"),
        unit: "KiB",
        goal: { atMost: 20 },
        beside: { "Node alone": each(bare, "rss") },
      },
      {
        what: "of it in the heap",
        value: each({ few, many }, "heapUsed"),
        unit: "KiB",
        beside: { "Node alone": each(bare, "heapUsed") },
      },
      { what: `${MANY} held: awake after its answer, p50`, value: quantile(wakes.answered, 0.5), unit: "ms" },
      {
        what: `${MANY} held: awake after its answer, p99`,
        value: quantile(wakes.answered, 0.99),
        unit: "ms",
        goal: { atMost: 150 },
      },
      { what: "of it after the task had ended, p99", value: quantile(wakes.ended, 0.99), unit: "ms" },
    ];
  } finally {
    agent.destroy();
    await endpoint.kill();
  }
}

type Both = Record<"few" | "many", Memory>;

/** Returns what one more call takes, in KiB. */
function each({ few, many }: Both, what: keyof Memory): number {
  return (many[what] - few[what]) / (MANY - FEW) / KIB;
}

/** Opens as many calls at a server of Node's alone. */
async function heldByNode(agent: Agent, secret: string): Promise<Both> {
  const child = startChild(new URL("bare.ts", import.meta.url));
  try {
    const { url } = await child.next<Bare>((message) => "url" in message);
    let held = 0;
    const open = async (count: number) => {
      while (held < count) {
        const wanted = held + OPENED_AT_ONCE;
        const reached = child.next<{ open: number }>((message) => message.open === wanted);
        for (; held < wanted; held++)
          void hold(agent, url, secret, `Which supplier is it for order ${held}?`).answer;
        await reached;
      }
      await sleep(SETTLE_MS);
      child.send({});
      return child.next<Memory>((message) => "rss" in message);
    };
    return { few: await open(FEW), many: await open(MANY) };
  } finally {
    await child.end();
  }
}

function hold(agent: Agent, url: string, secret: string, message: string): Held {
  const { promise, resolve } = Promise.withResolvers<{ at: number; text: string }>();
  const headers = {
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${secret}`,
    "content-type": "application/json",
    "mcp-protocol-version": "2025-11-25",
  };
  const sent = request(url, { method: "POST", agent, headers }, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text += chunk;
    });
    response.once("close", () => resolve({ at: clock(), text }));
  });
  sent.once("error", (error) => resolve({ at: clock(), text: String(error) }));
  const params = { name: "ask_person", arguments: { message } };
  sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  return { answer: promise };
}

/** Answers at an even rate. Returns how long after its answer, and after its task's end, each call had its result. */
async function answerSome(
  { organization }: Scene,
  calls: Map<string, Held>,
): Promise<Record<"answered" | "ended", number[]>> {
  const requests = await organization.within((tx) =>
    tx.inputRequest.findMany({ where: { state: "open" }, take: ANSWERS, orderBy: { id: "desc" } }),
  );
  const wakes: Record<"answered" | "ended", number[]> = { answered: [], ended: [] };
  const one = async ({ id, message, taskId }: (typeof requests)[number]) => {
    await organization.answer(id, { action: "accept", content: {} });
    const answered = clock();
    const { at, text } = await calls.get(message)!.answer;
    if (!text.includes('"answered"')) throw new Error(`a held call was answered: ${text}`);
    wakes.answered.push(at - answered);
    const task = await organization.within((tx) => tx.task.findFirstOrThrow({ where: { id: taskId } }));
    wakes.ended.push(at - task.finishedAt!.getTime());
  };
  const under: Promise<void>[] = [];
  const began = performance.now();
  for (const [n, asked] of requests.entries()) {
    under.push(one(asked));
    await sleep(Math.max(0, began + ((n + 1) * 1_000) / ANSWERS_A_SECOND - performance.now()));
  }
  await Promise.all(under);
  return wakes;
}
