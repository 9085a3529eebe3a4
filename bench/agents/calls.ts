/** Calls of a tool that answers at once, at an even rate, by the official client: at Intray, and at the server itself. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Figure, quantile } from "../figure.ts";
import { openMeter } from "../life/meter.ts";
import type { Scene } from "./scene.ts";

const SECONDS = 30;
/** Connections, plans and compiled code are there before it counts. */
const WARM_UP_CALLS = 200;
const RATES = [20, 50];
const GOALS: Record<number, { p50: number; p99: number }> = { 20: { p50: 25, p99: 80 } };
/** How long after the last call the last answer may come where no queue grows. */
const LAST_MS = 1_000;

async function connect(url: string, secret?: string): Promise<Client> {
  const client = new Client(
    { name: "bench", version: "1" },
    { capabilities: {}, versionNegotiation: { mode: "auto" } },
  );
  const requestInit = secret ? { headers: { authorization: `Bearer ${secret}` } } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

export async function calls(scene: Scene): Promise<Figure[]> {
  const endpoint = await scene.endpoint();
  const [through, direct] = [
    await connect(endpoint.url, await scene.agent("quick")),
    await connect(scene.urls.quick),
  ];
  let made = 0;
  // No call repeats another one, which it would join.
  const call = async (client: Client, name: string) => {
    const began = performance.now();
    const { content } = await client.callTool({ name, arguments: { note: `${made++}` } });
    const [part] = content;
    if (part?.type !== "text" || part.text !== "done")
      throw new Error(`answered: ${JSON.stringify(content)}`);
    return performance.now() - began;
  };
  const meter = await openMeter(scene.organization.adminUrl, {
    web: endpoint.pid,
    engine: scene.engine.pid,
    server: scene.server,
  });
  const figures: Figure[] = [];
  try {
    for (let n = 0; n < WARM_UP_CALLS; n++) {
      await call(through, "quick__quick");
      await call(direct, "quick");
    }
    await scene.analyze();
    for (const rate of RATES) {
      const count = rate * SECONDS;
      const taken = { through: [] as number[], direct: [] as number[] };
      const under = new Set<Promise<void>>();
      const begin = (which: keyof typeof taken, work: Promise<number>) => {
        const one: Promise<void> = work
          .then((ms) => void taken[which].push(ms))
          .finally(() => under.delete(one));
        under.add(one);
      };
      const stop = await meter.start();
      const began = performance.now();
      for (let n = 0; n < count; n++) {
        begin("through", call(through, "quick__quick"));
        await sleep(Math.max(0, began + ((n + 0.5) * 1_000) / rate - performance.now()));
        begin("direct", call(direct, "quick"));
        await sleep(Math.max(0, began + ((n + 1) * 1_000) / rate - performance.now()));
      }
      await sleep(LAST_MS);
      const late = under.size;
      await Promise.all(under);
      const { cpu } = await stop();
      figures.push(...figuresOf(rate, taken, late));
      for (const name of ["web", "engine", "postgres"] as const)
        figures.push({
          what: `${rate} calls a second: CPU of a call, ${name}`,
          value: cpu[name] / count,
          unit: "ms",
        });
    }
    return figures;
  } finally {
    await Promise.all([through.close(), direct.close(), meter.close()]);
    await endpoint.kill();
  }
}

function figuresOf(rate: number, taken: Record<"through" | "direct", number[]>, late: number): Figure[] {
  const what = `${rate} calls a second`;
  const at = (part: number, atMost?: number): Figure => {
    const direct = quantile(taken.direct, part);
    return {
      what: `${what}: above the direct call, p${part * 100}`,
      value: quantile(taken.through, part) - direct,
      unit: "ms",
      ...(atMost !== undefined && { goal: { atMost } }),
      beside: { "the direct call": direct },
    };
  };
  const third = Math.floor(taken.through.length / 3);
  const [first, last] = [taken.through.slice(0, third), taken.through.slice(-third)];
  return [
    at(0.5, GOALS[rate]?.p50),
    at(0.99, GOALS[rate]?.p99),
    { what: `${what}: not answered a second after the last`, value: late, unit: "", goal: { atMost: 0 } },
    {
      what: `${what}: p50 of the last third`,
      value: quantile(last, 0.5),
      unit: "ms",
      beside: { "of the first": quantile(first, 0.5) },
    },
  ];
}
