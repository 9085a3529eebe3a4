/**
 * How soon 2,000 browsers of one organization receive a change: from before the commit until each has read
 * the hint. The real web process holds the streams, and the real engine pumps the outbox.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createDatabase } from "../../lib/base/db/db.ts";
import { insertServer, insertTask } from "../../test/fixtures/rows.ts";
import { clock, startChild } from "../child.ts";
import { type Figure, quantile } from "../figure.ts";
import { startInstallation } from "../installation.ts";

const BROWSERS = 2_000;
const EACH = 8;
const PROCESSES = 2;
const HINTS = 40;
const PAUSE_MS = 500;

export async function run(): Promise<Figure[]> {
  const installation = await startInstallation();
  const processes = Array.from({ length: PROCESSES }, () =>
    startChild(new URL("browsers.ts", import.meta.url)),
  );
  const client = new pg.Client({ connectionString: installation.database.engineUrl });
  const owner = createDatabase(installation.database.ownerUrl, { connections: 2 });
  try {
    await client.connect();
    const organizationId = await installation.organization("acme");
    const cookies: string[] = [];
    for (let n = 0; n < BROWSERS / EACH; n++)
      cookies.push((await installation.member(organizationId, `Person ${n}`, "viewer")).cookie);
    const web = await installation.startWeb();
    await installation.startEngine();
    // The web looks up who sees each task before it tells anybody.
    const server = await insertServer(owner, organizationId);
    const memoryBefore = memoryOf(web.pid);
    for (const [at, browsers] of processes.entries()) {
      browsers.send({ url: web.url, cookies: cookies.filter((_, n) => n % PROCESSES === at), each: EACH });
      await browsers.next<{ open?: number }>(({ open }) => open !== undefined);
    }
    const memory = (memoryOf(web.pid) - memoryBefore) / BROWSERS / 1024;

    /** Sends hints, and returns how long each took to each browser, in ms. */
    const measure = async (say: (id: string) => Promise<unknown>): Promise<number[]> => {
      const times: number[] = [];
      for (let hint = 0; hint < HINTS; hint++) {
        const id = await insertTask(owner, organizationId, server, { state: "completed" });
        const sentAt = clock();
        await say(id);
        await sleep(PAUSE_MS);
        for (const browsers of processes) {
          browsers.send({ report: id });
          const reply = await browsers.next<{ id?: string; times: number[] }>((one) => one.id === id);
          times.push(...reply.times.map((at) => at - sentAt));
        }
      }
      return times;
    };
    await client.query("SELECT set_config('app.organization_id', $1, false)", [organizationId]);
    const now = (id: string) =>
      client.query("SELECT pg_notify('intray_change', $1)", [
        JSON.stringify({ o: organizationId, c: [["task", id]] }),
      ]);
    const byOutbox = (id: string) =>
      client.query(
        `WITH hint AS (INSERT INTO change (organization_id, topic, entity_id) VALUES ($1, 'task', $2) RETURNING 1)
         SELECT pg_notify('intray_wake', $3) FROM hint`,
        [organizationId, id, `${randomUUID()} ${randomUUID()}`],
      );
    await measure(now); // warms up
    const direct = await measure(now);
    const pumped = await measure(byOutbox);
    const goal = { atMost: 100 };
    const figure = (what: string, times: number[]): Figure[] => [
      { what: `${what}, p50`, value: quantile(times, 0.5), unit: "ms" },
      { what: `${what}, p99`, value: quantile(times, 0.99), unit: "ms", goal },
      { what: `${what}, lost`, value: HINTS * BROWSERS - times.length, unit: "hints", goal: { atMost: 0 } },
    ];
    return [
      ...figure(`a hint to ${BROWSERS} browsers`, direct),
      ...figure(`a hint through the outbox and an engine`, pumped),
      { what: "memory of the web a stream", value: memory, unit: "KiB" },
    ];
  } finally {
    await client.end();
    await owner.close();
    await Promise.all(processes.map((browsers) => browsers.end()));
    await installation.end();
  }
}

/** Returns resident memory, in bytes. */
function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}
