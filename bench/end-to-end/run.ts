/**
 * From a server's question to a browser's hint, and from the API call that answers to the server. Web, engine
 * and Postgres run as in an installation. Two servers on the official package run in their own processes, one
 * of which notifies of changes, with 500 more tasks watched at each. First at five starts a second, then at
 * `BENCH_STARTS` (20), with one engine and with two.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Child, startChild } from "../child.ts";
import type { Figure } from "../figure.ts";
import { startInstallation } from "../installation.ts";
import { table } from "../table.ts";
import { figuresOfFew, figuresOfMany } from "./figures.ts";
import { answerAll, apiOf, type Trace } from "./people.ts";
import type { News, Settings } from "./server.ts";

const SERVER = new URL("server.ts", import.meta.url);
/** Watched tasks at each of the two servers. */
const WATCHED = 500;
const STARTS_A_SECOND = 5;
const SECONDS = 30;
const MANY_STARTS = Number(process.env.BENCH_STARTS ?? 20);
const MANY_SECONDS = 20;
/**
 * The poll interval of tasks that ask, at the server without notifications; at the other server they poll
 * like all others.
 */
const POLL_MS = 1_000;
const SLOW_POLL_MS = 5_000;
const ASK_AFTER_MS = 2_500;
/** How long the answers to all started tasks may take. */
const PATIENCE_MS = 20_000;

export async function run(): Promise<Figure[]> {
  const installation = await startInstallation();
  const servers = [startChild(SERVER), startChild(SERVER)] as const;
  const traces = new Map<string, Trace>();
  const traceOf = (note: string) => {
    const known = traces.get(note) ?? {};
    traces.set(note, known);
    return known;
  };
  try {
    const allowed = { INTRAY_ALLOW_HOSTS: "127.0.0.1" };
    const organizationId = await installation.organization("acme");
    const keys = {
      admin: await installation.key(organizationId, "admin"),
      operator: await installation.key(organizationId, "operator"),
      approver: await installation.key(organizationId, "approver"),
    };
    const web = await installation.startWeb(allowed);
    await installation.startEngine(allowed);
    const api = apiOf(web.url);
    const add = async (name: string, child: Child, settings: Settings) => {
      const { url } = await child.next<{ url: string }>((news) => "url" in news);
      child.on((news: News) => {
        if ("note" in news) traceOf(news.note)[news.what] ??= news.at;
      });
      child.send(settings);
      const { id } = await api(keys.admin, "POST", "/servers", { name, url });
      return (note: string) =>
        api(keys.operator, "POST", "/tasks", { serverId: id, tool: "wait", arguments: { note } });
    };
    const usual = { pollMs: SLOW_POLL_MS, askAfterMs: ASK_AFTER_MS };
    const polled = await add("Polled", servers[0], { ...usual, subscribes: false });
    const telling = await add("Telling", servers[1], { ...usual, subscribes: true });
    for (let done = 0; done < WATCHED; done += 5)
      await Promise.all(
        Array.from({ length: 5 }, (_, n) => [
          polled(`watch ${done + n}`),
          telling(`watch ${done + n}`),
        ]).flat(),
      );
    console.log(`${2 * WATCHED} tasks are watched`);
    servers[0].send({ ...usual, pollMs: POLL_MS, subscribes: false });

    const under: Promise<unknown>[] = [];
    const failed: unknown[] = [];
    const begin = (call: Promise<unknown>) => {
      under.push(call.catch((error: unknown) => failed.push(error)));
    };
    const answering = answerAll(web.url, api, keys.approver, traceOf, begin);
    const phase = async (
      name: string,
      start: (note: string) => Promise<unknown>,
      rate: number,
      seconds: number,
    ) => {
      const began = performance.now();
      for (let n = 0; n < seconds * rate; n++) {
        begin(start(`ask ${name} ${n}`));
        await sleep(Math.max(0, began + ((n + 1) * 1_000) / rate - performance.now()));
      }
      const its = () =>
        [...traces].filter(([note]) => note.startsWith(`ask ${name} `)).map(([, trace]) => trace);
      const isOver = () => its().filter(({ answered }) => answered !== undefined).length === seconds * rate;
      for (const until = performance.now() + PATIENCE_MS; !isOver() && performance.now() < until; )
        await sleep(250);
      await Promise.all(under);
      if (failed.length > 0) throw new AggregateError(failed, `${failed.length} calls failed: ${failed[0]}`);
      console.log(`${name}: ${its().length} of ${seconds * rate} have asked`);
      return its();
    };
    const few = {
      polled: await phase("polled", polled, STARTS_A_SECOND, SECONDS),
      told: await phase("told", telling, STARTS_A_SECOND, SECONDS),
    };
    const figures = figuresOfFew(few, POLL_MS, 2 * SECONDS * STARTS_A_SECOND);
    console.log(table(figures));
    let turn = 0;
    const both = (note: string) => (turn++ % 2 === 0 ? polled : telling)(note);
    const byOne = await phase("by one", both, MANY_STARTS, MANY_SECONDS);
    await installation.startEngine(allowed);
    await sleep(5_000);
    const byTwo = await phase("by two", both, MANY_STARTS, MANY_SECONDS);
    answering.abort();
    return [
      ...figures,
      ...figuresOfMany(`${MANY_STARTS} a second`, byOne, MANY_SECONDS * MANY_STARTS),
      ...figuresOfMany(`${MANY_STARTS} a second, two engines`, byTwo, MANY_SECONDS * MANY_STARTS),
    ];
  } catch (error) {
    // Logged here, because closing may throw another error.
    console.error(error);
    throw error;
  } finally {
    await Promise.all(servers.map((server) => server.end()));
    await installation.end();
  }
}
