/**
 * What a task costs: the CPU of its life (a start by the API, a question, four reads by its caller, an answer by the API,
 * the end) by process, with statements, transactions and WAL; single calls of the API; the same life by DBOS, and a job
 * by pg-boss; a browser that looks on; an installation that has nothing to do. Web, engine and Postgres run as in an
 * installation; the sample server's CPU is apart.
 *
 * `BENCH_LIFE=calls,10` runs some sections only: `idle`, `calls`, `1`, `10`, `60`, `most` (any other number of lives at
 * once too), `statements`, `browser`, `dbos`, `pg-boss`, and `planning`, which only runs if named, since Postgres counts
 * then, which costs time in the others. `BENCH_LIFE_SECONDS=8` shortens their windows (20 s; `idle` has
 * 60), `BENCH_LIFE_TOP=30` prints the statements that take most of Postgres's time. `BENCH_LIFE_PROFILE=<folder>` writes
 * CPU profiles of web and engine there, one for each window, which cost time themselves.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "@playwright/test";
import pg from "pg";
import { createDatabase } from "../../lib/base/db/db.ts";
import { setQuota } from "../../lib/people/organizations/quota.ts";
import { findChromium } from "../../scripts/chromium.ts";
import { freePort } from "../../scripts/ports.ts";
import { type Child, startChild } from "../child.ts";
import { type Figure, quantile } from "../figure.ts";
import { inspect } from "../hot-path/inspector.ts";
import { type Installation, startInstallation } from "../installation.ts";
import { table } from "../table.ts";
import { type Caller, callerOf, keepAlive } from "./caller.ts";
import { type Cost, type Meter, openMeter } from "./meter.ts";
import type { RivalCount, RivalOrder } from "./rival.ts";
import type { News } from "./server.ts";
import { COUNTED, type Counted, counted, type Logged, logged } from "./statements.ts";

const SECTIONS = (process.env.BENCH_LIFE ?? "idle,calls,1,10,60,most,statements,browser,dbos,pg-boss").split(
  ",",
);
const SECONDS = Number(process.env.BENCH_LIFE_SECONDS ?? 20);
const IDLE_SECONDS = Math.max(60, SECONDS);
const TOP = Number(process.env.BENCH_LIFE_TOP ?? 0);
const PROFILES = process.env.BENCH_LIFE_PROFILE;
/** As many at once as find two cores always busy. */
const MOST_AT_ONCE = 120;
const READS = 300;
const STARTS = 60;

interface Scene {
  installation: Installation;
  meter: Meter;
  caller: Caller;
  webUrl: string;
  cookie: string;
  /** Profiles web and engine while `work` runs, if profiles are asked for. */
  profiled(what: string, work: () => Promise<void>): Promise<void>;
}

export async function run(): Promise<Figure[]> {
  const installation = await startInstallation(SECTIONS.includes("planning") ? COUNTED : []);
  const server = startChild(new URL("server.ts", import.meta.url));
  try {
    const scene = await createScene(installation, server);
    const figures: Figure[] = [];
    for (const section of SECTIONS) {
      const some = await measure(section, scene);
      console.log(`\n${section}\n${table(some)}`);
      figures.push(...some);
    }
    await scene.meter.close();
    return figures;
  } catch (error) {
    // Logged here, because closing may throw another error.
    console.error(error);
    throw error;
  } finally {
    await server.end();
    await installation.end();
  }
}

async function createScene(installation: Installation, server: Child): Promise<Scene> {
  const { url: serverUrl } = await server.next<News & { url: string }>((news) => "url" in news);
  const allowed = { INTRAY_ALLOW_HOSTS: "127.0.0.1", LOG_LEVEL: "info" };
  const organizationId = await installation.organization("acme");
  const owner = createDatabase(installation.database.ownerUrl, { connections: 1 });
  const most = { openTasks: 1_000_000, startsAMinute: 1_000_000 };
  await owner.withOrganization(organizationId, (tx) =>
    setQuota(tx, { ...most, openTasksEach: 1_000_000, startsAMinuteEach: 1_000_000 }),
  );
  await owner.close();
  const { cookie } = await installation.member(organizationId, "Ola", "owner");
  const key = await installation.key(organizationId, "admin");
  const ports = { web: await freePort(), engine: await freePort() };
  const inspected = (port: number) =>
    PROFILES ? { NODE_OPTIONS: `--inspect=127.0.0.1:${port}`, ...allowed } : allowed;
  const web = await installation.startWeb(inspected(ports.web));
  const engine = await installation.startEngine(inspected(ports.engine));
  const meter = await openMeter(installation.database.adminUrl, {
    web: web.pid,
    engine: engine.pid,
    server,
  });
  const { call } = callerOf(web.url, key, "", server);
  const { id } = await call("POST", "/api/v1/servers", { name: "Sample", url: serverUrl });
  const caller = callerOf(web.url, key, id, server);
  await gatherStatistics(installation, caller);
  const profiled = PROFILES
    ? await profiler(PROFILES, ports)
    : (_: string, work: () => Promise<void>) => work();
  return { installation, meter, caller, webUrl: web.url, cookie, profiled };
}

/**
 * Has Postgres look at tables that have some rows, as autovacuum does within a minute or two of an installation's first
 * tasks: until then it plans for empty ones, reads an organization's rows all, and keeps those plans.
 */
async function gatherStatistics(installation: Installation, caller: Caller): Promise<void> {
  const some = async () => {
    for (let n = 0; n < 6; n++) await caller.live();
  };
  await Promise.all(Array.from({ length: 10 }, some));
  const admin = new pg.Client({ connectionString: installation.database.adminUrl });
  await admin.connect();
  await admin.query("ANALYZE");
  await admin.end();
}

async function profiler(folder: string, ports: Record<string, number>): Promise<Scene["profiled"]> {
  mkdirSync(folder, { recursive: true });
  const inspectors = await Promise.all(
    Object.entries(ports).map(async ([name, port]) => {
      const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
        webSocketDebuggerUrl: string;
      }[];
      return { name, inspector: await inspect(target!.webSocketDebuggerUrl) };
    }),
  );
  return async (what, work) => {
    const done = work();
    await Promise.all(
      inspectors.map(async ({ name, inspector }) => {
        const profile = await inspector.profile(() => done);
        writeFileSync(join(folder, `${what.replace(/\W+/g, "-")}.${name}.cpuprofile`), profile);
      }),
    );
  };
}

function measure(section: string, scene: Scene): Promise<Figure[]> | Figure[] {
  if (section === "idle") return idle(scene);
  if (section === "calls") return calls(scene);
  if (section === "most") return lives(scene, MOST_AT_ONCE);
  if (section === "statements") return statements(scene);
  if (section === "planning") return planning(scene);
  if (section === "browser") return browser(scene);
  if (section === "dbos" || section === "pg-boss") return rival(scene, section);
  if (Number(section) > 0) return lives(scene, Number(section));
  throw new Error(`There is no section "${section}"`);
}

function byProcess(what: string, { cpu }: Cost, times: number, unit = "ms"): Figure[] {
  const { web, engine, postgres, server } = cpu;
  const figure = (name: string, ms: number) => ({ what: `${what}: ${name}`, value: ms / times, unit });
  return [
    figure("CPU", web + engine + postgres),
    figure("of it web", web),
    figure("of it engine", engine),
    figure("of it Postgres", postgres),
    figure("the sample server, apart", server),
  ];
}

async function idle({ meter }: Scene): Promise<Figure[]> {
  // After the start, and the probe of the server.
  await sleep(10_000);
  const end = await meter.start();
  await sleep(IDLE_SECONDS * 1_000);
  const cost = await end();
  return [
    ...byProcess("idle, a second", cost, cost.seconds).filter(({ what }) => !what.includes("sample server")),
    { what: "idle: transactions", value: cost.transactions / cost.seconds, unit: "/s" },
    { what: "idle: rows written", value: cost.rows / cost.seconds, unit: "/s" },
    { what: "idle: WAL", value: cost.walBytes / cost.seconds, unit: "bytes/s" },
  ];
}

/** The calls of a caller one at a time, warm. */
async function calls({ meter, caller, profiled }: Scene): Promise<Figure[]> {
  const { id } = await caller.start("rest");
  while ((await caller.call("GET", `/api/v1/tasks/${id}`)).inputRequests.length === 0) await sleep(100);
  const figures: Figure[] = [];
  const one = async (what: string, times: number, call: () => Promise<unknown>) => {
    for (let n = 0; n < times / 3; n++) await call();
    await sleep(500);
    const end = await meter.start();
    const took: number[] = [];
    await profiled(what, async () => {
      for (let n = 0; n < times; n++) {
        const began = performance.now();
        await call();
        took.push(performance.now() - began);
      }
    });
    const cost = await end();
    figures.push(
      { what: `${what}: p50`, value: quantile(took, 0.5), unit: "ms" },
      { what: `${what}: p99`, value: quantile(took, 0.99), unit: "ms" },
      ...byProcess(what, cost, times).slice(0, 4),
      { what: `${what}: transactions`, value: cost.transactions / times, unit: "" },
    );
  };
  const get = (path: string) => () => caller.call("GET", path);
  await one("GET /healthz", READS, get("/healthz"));
  await one("GET members", READS, get("/api/v1/members"));
  await one("GET input-requests?taskId", READS, get(`/api/v1/input-requests?taskId=${id}`));
  await one("GET tasks/{id}", READS, get(`/api/v1/tasks/${id}`));
  await one("POST tasks", STARTS, () => caller.start("rest"));
  return figures;
}

/** Lives at a steady number at once; those that end in the window count, which are as many as begin at once, or more. */
async function lives({ meter, caller, profiled }: Scene, atOnce: number): Promise<Figure[]> {
  const stop = new AbortController();
  const ends: { at: number; ms: number; reads: number }[] = [];
  const alive = keepAlive(caller, atOnce, stop.signal, (ms, reads) =>
    ends.push({ at: performance.now(), ms, reads }),
  );
  // A call that fails ends the part, not only its own life.
  const warm = async () => {
    while (ends.length < atOnce) await sleep(50);
  };
  await Promise.race([warm(), alive]);
  const end = await meter.start();
  const from = performance.now();
  const inTheWindow = () => ends.filter(({ at }) => at >= from).length;
  const window = async () => {
    await sleep(SECONDS * 1_000);
    // Those that began together end together.
    while (inTheWindow() < atOnce) await sleep(50);
  };
  await profiled(`lives ${atOnce}`, () => Promise.race([window(), alive]));
  const until = performance.now();
  const cost = await end();
  stop.abort();
  await alive;
  const its = ends.filter(({ at }) => at >= from && at < until);
  const name = `${atOnce} at once`;
  const times = its.map(({ ms }) => ms);
  return [
    ...byProcess(`a life, ${name}`, cost, its.length),
    { what: `${name}: lives`, value: its.length / cost.seconds, unit: "/s" },
    { what: `${name}: a life's time p50`, value: quantile(times, 0.5), unit: "ms" },
    { what: `${name}: a life's time p99`, value: quantile(times, 0.99), unit: "ms" },
    {
      what: `${name}: reads of the task by its caller`,
      value: its.reduce((sum, { reads }) => sum + reads, 0) / its.length,
      unit: "",
    },
    { what: `${name}: transactions of a life`, value: cost.transactions / its.length, unit: "" },
    { what: `${name}: rows written`, value: cost.rows / its.length, unit: "" },
    { what: `${name}: WAL of a life`, value: cost.walBytes / its.length / 1_024, unit: "KiB" },
  ];
}

async function statements({ installation, caller }: Scene): Promise<Figure[]> {
  const wanted = 90;
  const live = (times: number) =>
    Promise.all(
      Array.from({ length: 10 }, async () => {
        for (let n = 0; n < times / 10; n++) await caller.live();
      }),
    );
  // A connection plans each statement once: what is counted are lives, and not how many connections were opened for them.
  await live(2 * wanted);
  const all = await logged(installation.database.adminUrl, installation.logFile, async () => {
    await live(wanted);
  });
  const sum = (some: Logged[], pick: (one: Logged) => number) =>
    some.reduce((total, one) => total + pick(one), 0) / wanted;
  const bounds = /^(BEGIN|COMMIT|ROLLBACK|START TRANSACTION)/i;
  const by = (name: string) => all.filter((one) => one.by === name);
  const total = (one: Logged) => one.parseMs + one.planMs + one.runMs;
  for (const one of [...all].sort((a, b) => total(b) - total(a)).slice(0, TOP)) {
    const ms = (value: number) => (value / wanted).toFixed(2).padStart(6);
    const times = `${(one.count / wanted).toFixed(1).padStart(5)}×`;
    console.log(
      `${one.by.padEnd(6)} ${times}, parsed ${(one.parsed / wanted).toFixed(1)} | ${ms(one.parseMs)} ${ms(one.planMs)} ${ms(one.runMs)} ms | ${one.text.slice(0, 200)}`,
    );
  }
  return [
    ...["web", "engine"].flatMap((name) => [
      {
        what: `a life's statements, ${name}`,
        value: sum(
          by(name).filter(({ text }) => !bounds.test(text)),
          ({ count }) => count,
        ),
        unit: "",
      },
      {
        what: `beginnings and ends of transactions, ${name}`,
        value: sum(
          by(name).filter(({ text }) => bounds.test(text)),
          ({ count }) => count,
        ),
        unit: "",
      },
    ]),
    { what: "parsed anew, of a life", value: sum(all, ({ parsed }) => parsed), unit: "" },
    { what: "in Postgres: parsing, by its log", value: sum(all, ({ parseMs }) => parseMs), unit: "ms" },
    { what: "in Postgres: planning, by its log", value: sum(all, ({ planMs }) => planMs), unit: "ms" },
    { what: "in Postgres: running, by its log", value: sum(all, ({ runMs }) => runMs), unit: "ms" },
  ];
}

/** Postgres's own counts of lives at sixty at once: what it plans, and what it runs, statements within functions and of foreign keys too. */
async function planning({ installation, caller }: Scene): Promise<Figure[]> {
  const wanted = 600;
  const live = (times: number) =>
    Promise.all(
      Array.from({ length: 60 }, async () => {
        for (let n = 0; n < times / 60; n++) await caller.live();
      }),
    );
  await live(wanted / 2);
  const all = await counted(installation.database.adminUrl, () => live(wanted));
  for (const { text, calls, planMs, runMs, isOutermost } of all.slice(0, TOP)) {
    const ms = (value: number) => (value / wanted).toFixed(3).padStart(7);
    console.log(
      `${isOutermost ? " " : "·"}${(calls / wanted).toFixed(1).padStart(5)}× | ${ms(planMs)} ${ms(runMs)} ms | ${text.replace(/\s+/g, " ").slice(0, 200)}`,
    );
  }
  const sum = (pick: (one: Counted) => number) =>
    all.filter(({ isOutermost }) => isOutermost).reduce((total, one) => total + pick(one), 0) / wanted;
  const plan = all.reduce((total, one) => total + one.planMs, 0) / wanted;
  const run = sum(({ runMs }) => runMs);
  return [
    { what: "statements of a life, by Postgres's count", value: sum(({ calls }) => calls), unit: "" },
    { what: "planning, a life", value: plan, unit: "ms" },
    { what: "running, a life", value: run, unit: "ms" },
    { what: "planning's share", value: (100 * plan) / (plan + run), unit: "%" },
  ];
}

/** Lives at ten at once without and with a browser that has the inbox open: the difference is the browser's. */
async function browser(scene: Scene): Promise<Figure[]> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("There is no Chromium for the browser that looks on.");
  const alone = await lives(scene, 10);
  const looker = await chromium.launch({
    executablePath,
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--disable-dev-shm-usage"],
  });
  try {
    const context = await looker.newContext();
    const [name = "", value = ""] = scene.cookie.split(/=(.*)/s);
    await context.addCookies([{ name, value, url: scene.webUrl }]);
    const page = await context.newPage();
    await page.goto(`${scene.webUrl}/inbox`);
    await page.getByRole("heading").first().waitFor();
    const watched = await lives(scene, 10);
    return watched.slice(0, 4).map(({ what, value: ms, unit }, at) => ({
      what: `a browser that looks on, a life${what.slice(what.indexOf(":"))}`,
      value: ms - (alone[at]?.value ?? Number.NaN),
      unit,
    }));
  } finally {
    await looker.close();
  }
}

async function rival({ installation, meter }: Scene, name: RivalOrder["rival"]): Promise<Figure[]> {
  const database = `rival_${name.replace("-", "_")}`;
  const admin = new pg.Client({ connectionString: installation.database.adminUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  const url = new URL(installation.database.adminUrl);
  url.pathname = `/${database}`;
  const figures: Figure[] = [];
  for (const atOnce of [1, 10]) {
    const child = startChild(new URL("rival.ts", import.meta.url));
    try {
      child.send({ rival: name, databaseUrl: url.href, atOnce } satisfies RivalOrder);
      await child.next((message) => message === "lives");
      await sleep(2_000);
      const count = async () => {
        const counted = child.next<RivalCount>((message) => typeof message === "object");
        child.send("count" as unknown as object);
        return { ...(await counted), postgresMs: meter.postgresMs(), at: performance.now() };
      };
      const before = await count();
      await sleep(SECONDS * 1_000);
      const after = await count();
      const done = after.lives - before.lives;
      const [own, postgres] = [after.cpuMs - before.cpuMs, after.postgresMs - before.postgresMs];
      const what = `${name}, ${atOnce} at once`;
      figures.push(
        { what: `${what}: CPU of a life`, value: (own + postgres) / done, unit: "ms" },
        { what: `${what}: of it Postgres`, value: postgres / done, unit: "ms" },
        { what: `${what}: lives`, value: (done * 1_000) / (after.at - before.at), unit: "/s" },
      );
    } finally {
      await child.end();
    }
  }
  await admin.end();
  return figures;
}
