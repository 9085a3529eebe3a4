/**
 * One server, or one organization, causes trouble; measures the effect on the others, beside the same figures
 * of a quiet time before. Each trouble lasts 13 s; delays that take minutes in production are shortened: 429
 * asks for 10 s.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Principal } from "../../lib/access/principal.ts";
import { type Figure, quantile } from "../figure.ts";
import { batches, tookUntil } from "../fleet/leases.ts";
import type { Behaviour, Servers } from "../fleet/servers.ts";
import type { Place, Stage } from "../fleet/stage.ts";
import { withStage } from "../fleet/with-stage.ts";

/** Server 0 causes the trouble. */
const SERVERS = 6;
const NEIGHBOURS = Array.from({ length: SERVERS - 1 }, (_, at) => at + 1);
const TASKS_EACH = 20;
const LOOK_MS = 10_000;
const TROUBLE_MS = 3_000;
const RETRY_AFTER_S = 10;
const BURST = Number(process.env.BENCH_BURST ?? 20_000);

interface Scene {
  stage: Stage;
  servers: Servers;
  /** The organization whose server or starts cause the trouble. */
  noisy: { who: Principal; places: Place[] };
  /** Another organization. */
  quiet: { who: Principal; places: Place[] };
}

interface Look {
  lateness: number[];
  starts: number[];
}

export async function run(): Promise<Figure[]> {
  return withStage(SERVERS, async (stage, servers) => {
    const noisy = await stage.organization("noisy");
    const quiet = await stage.organization("quiet");
    const noisyUrls = servers.urls.slice(0, 3);
    const scene: Scene = {
      stage,
      servers,
      noisy: { who: noisy, places: await stage.places(noisy, noisyUrls) },
      quiet: { who: quiet, places: await stage.places(quiet, servers.urls.slice(3)) },
    };
    for (let n = 0; n < TASKS_EACH; n++) {
      await stage.seed(noisy, scene.noisy.places, "work", 1_000);
      await stage.seed(quiet, scene.quiet.places, "work", 1_000);
    }
    const engine = await stage.engine();
    await sleep(8_000);
    const before = await look(scene);
    const rss = engine.memory();

    const figures: Figure[] = [];
    for (const [name, behaviour] of TROUBLE) {
      await servers.behave(0, behaviour);
      await sleep(TROUBLE_MS);
      figures.push(...neighbours(name, await look(scene), before));
      const turnedAway = (await servers.seen()).filter(({ what }) => what === "turned away");
      if (behaviour.retryAfterS !== undefined)
        figures.push({
          what: `requests to the server that says 429, in ${(LOOK_MS + TROUBLE_MS) / 1_000} s`,
          value: turnedAway.length,
          unit: "",
        });
      await servers.lateness([0]);
      await servers.behave(0, {});
      let polls = 0;
      const isPolled = async () => {
        polls += (await servers.lateness([0])).length;
        return polls >= TASKS_EACH;
      };
      const polled = await tookUntil("it is polled again", isPolled);
      figures.push({ what: `${name}: polled again when that is over`, value: polled / 1_000, unit: "s" });
      await sleep(2_000);
    }
    figures.push(...(await burst(scene, before, () => engine.memory(), rss)));
    return figures;
  });
}

const TROUBLE: [name: string, behaviour: Behaviour][] = [
  ["a server takes 10 s for each answer", { delayMs: 10_000 }],
  ["a server says 429", { retryAfterS: RETRY_AFTER_S }],
  ["a server refuses connections", { refuses: true }],
];

/** Measures the neighbours' polls for a while, with a start at one of them every second. */
async function look({ stage, servers, quiet }: Scene): Promise<Look> {
  await servers.lateness(NEIGHBOURS);
  const started = new Map<string, number>();
  for (const until = performance.now() + LOOK_MS; performance.now() < until; await sleep(1_000)) {
    const [id] = await stage.start(quiet.who, quiet.places.slice(0, 1), "ask", 5_000);
    if (id !== undefined) started.set(id, performance.timeOrigin + performance.now());
  }
  const lateness = await servers.lateness(NEIGHBOURS);
  await tookUntil("all starts have arrived", async () => {
    const called = new Set((await servers.seen()).filter(({ what }) => what === "call").map(({ of }) => of));
    return [...started.keys()].every((id) => called.has(id));
  });
  const seen = await servers.seen();
  const starts = seen.flatMap(({ what, of, at }) => {
    const asked = started.get(of);
    return what === "call" && asked !== undefined ? [at - asked] : [];
  });
  return { lateness, starts };
}

function neighbours(trouble: string, during: Look, before: Look): Figure[] {
  const one = (name: string, part: number, values: number[], was: number[]): Figure => ({
    what: `${trouble}: ${name}`,
    value: quantile(values, part),
    unit: "ms",
    beside: { before: quantile(was, part) },
  });
  return [
    one("lateness of the others' polls, p50", 0.5, during.lateness, before.lateness),
    one("lateness of the others' polls, p99", 0.99, during.lateness, before.lateness),
    one("another organization's start, longest", 1, during.starts, before.starts),
  ];
}

/** One organization starts thousands of tasks at one server at once. */
async function burst(
  { stage, servers, noisy, quiet }: Scene,
  before: Look,
  memory: () => number,
  rss: number,
): Promise<Figure[]> {
  const place = noisy.places[1];
  if (!place) throw new Error("there is no server for the burst");
  const all = Array.from({ length: BURST }, () => place);
  for (const some of batches(all, 2_000)) await stage.queue(noisy.who, some, "ask", 60_000);
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, memory());
  }, 250);
  const called = async () => (await servers.seen()).filter(({ what }) => what === "call").length;
  const atFirst = await called();
  await tookUntil("the burst has begun", async () => (await called()) > atFirst + 10);
  const [calls, began] = [await called(), performance.now()];
  const during = await look({ stage, servers, noisy, quiet });
  const rate = ((await called()) - calls) / ((performance.now() - began) / 1_000);
  clearInterval(watch);
  const { rows } = await stage.admin.query("SELECT count(*)::integer AS n FROM task WHERE state = 'queued'");
  const trouble = `${BURST.toLocaleString("en")} starts at once`;
  return [
    ...neighbours(trouble, during, before),
    { what: `${trouble}: made meanwhile`, value: rate, unit: "/s" },
    { what: `${trouble}: shown as queued at the end of the look`, value: rows[0].n, unit: "" },
    {
      what: `${trouble}: memory of the engine, most`,
      value: most / 2 ** 20,
      unit: "MiB",
      beside: { before: rss / 2 ** 20 },
    },
  ];
}
