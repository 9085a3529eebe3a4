/**
 * From a server's question to a browser's hint, and from the API call that answers to the server: web, engine and
 * Postgres as in an installation, the server on the official package in its own process, 1,000 more tasks being watched.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Child, clock, startChild } from "../child.ts";
import { type Figure, quantile } from "../figure.ts";
import { startInstallation } from "../installation.ts";
import type { News } from "./server.ts";

const WATCHED = 1_000;
const STARTS_A_SECOND = 5;
const SECONDS = 30;
/** Of a task that asks, in the phase without notifications. */
const POLL_MS = 1_000;
const ASK_AFTER_MS = 2_500;

interface Trace {
  asked?: number;
  shown?: number;
  answered?: number;
  /** A hint of the request was read from a stream. */
  seen?: number;
  /** The API has taken the answer. */
  taken?: number;
}

export async function run(): Promise<Figure[]> {
  const installation = await startInstallation();
  const server = startChild(new URL("server.ts", import.meta.url));
  const traces = new Map<string, Trace>();
  const traceOf = (note: string) => {
    const known = traces.get(note) ?? {};
    traces.set(note, known);
    return known;
  };
  try {
    const { hostAndPort } = await server.next<{ hostAndPort: string }>((news) => "hostAndPort" in news);
    server.on((news: News) => {
      if ("note" in news) traceOf(news.note)[news.what] ??= news.at;
    });
    const organizationId = await installation.organization("acme");
    const keys = {
      admin: await installation.key(organizationId, "admin"),
      operator: await installation.key(organizationId, "operator"),
      approver: await installation.key(organizationId, "approver"),
    };
    const allowed = { INTRAY_ALLOW_HOSTS: hostAndPort };
    const web = await installation.startWeb(allowed);
    await installation.startEngine(allowed);
    const api = apiOf(web.url);
    const made = await api(keys.admin, "POST", "/servers", { name: "ERP", url: `http://${hostAndPort}/mcp` });
    const start = (note: string) =>
      api(keys.operator, "POST", "/tasks", { serverId: made.id, tool: "wait", arguments: { note } });

    const settings = { subscribes: false, pollMs: 5_000, askAfterMs: ASK_AFTER_MS };
    server.send(settings);
    for (let done = 0; done < WATCHED; done += 10)
      await Promise.all(Array.from({ length: 10 }, (_, n) => start(`watch ${done + n}`)));

    const under: Promise<unknown>[] = [];
    const failed: unknown[] = [];
    const begin = (call: Promise<unknown>) => {
      under.push(call.catch((error: unknown) => failed.push(error)));
    };
    const answering = answerAll(web.url, api, keys.approver, traceOf, begin);
    const phase = async (name: string) => {
      for (let n = 0; n < SECONDS * STARTS_A_SECOND; n++) {
        begin(start(`ask ${name} ${n}`));
        await sleep(1000 / STARTS_A_SECOND);
      }
      await sleep(ASK_AFTER_MS + 5_000);
      await Promise.all(under);
      if (failed.length > 0) throw new AggregateError(failed, `${failed.length} calls failed: ${failed[0]}`);
      return [...traces].filter(([note]) => note.startsWith(`ask ${name} `)).map(([, trace]) => trace);
    };
    server.send({ ...settings, pollMs: POLL_MS });
    const polled = await phase("polled");
    server.send({ ...settings, subscribes: true });
    const notified = await phase("notified");
    answering.abort();
    return figures(polled, notified);
  } finally {
    await (server as Child).end();
    await installation.end();
  }
}

function figures(polled: Trace[], notified: Trace[]): Figure[] {
  const all = [...polled, ...notified];
  const between = (traces: Trace[], from: keyof Trace, to: keyof Trace) =>
    traces.flatMap((trace) =>
      trace[from] !== undefined && trace[to] !== undefined ? [trace[to] - trace[from]] : [],
    );
  const at = (what: string, times: number[], part: number, atMost?: number): Figure => ({
    what: `${what}, p${part * 100}`,
    value: quantile(times, part),
    unit: "ms",
    ...(atMost !== undefined && { goal: { atMost } }),
  });
  const seen = between(polled, "asked", "seen");
  const told = between(notified, "asked", "seen");
  const shown = between(all, "shown", "seen");
  const answers = between(all, "taken", "answered");
  const wanted = 2 * SECONDS * STARTS_A_SECOND;
  return [
    at(`question seen, polled each ${POLL_MS} ms`, seen, 0.5),
    at(`question seen, polled each ${POLL_MS} ms`, seen, 0.99, POLL_MS + 100),
    at("question seen, with notifications", told, 0.5),
    at("question seen, with notifications", told, 0.99, 250),
    at("of it after the poll that shows it", shown, 0.99),
    at("answer at the server after the API call", answers, 0.5, 30),
    at("answer at the server after the API call", answers, 0.99, 150),
    { what: "answers that did not arrive", value: wanted - answers.length, unit: "", goal: { atMost: 0 } },
  ];
}

type Api = ReturnType<typeof apiOf>;

function apiOf(url: string) {
  // biome-ignore lint/suspicious/noExplicitAny: ids are taken out of answers of any shape
  return async (key: string, method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
}

/** Answers each question as soon as a hint tells of it; `begin` owns what is under way. */
function answerAll(
  url: string,
  api: Api,
  key: string,
  traceOf: (note: string) => Trace,
  begin: (call: Promise<unknown>) => void,
): AbortController {
  const stop = new AbortController();
  const known = new Set<string>();
  const answer = async (id: string, seenAt: number) => {
    const request = await api(key, "GET", `/input-requests/${id}`);
    const trace = traceOf(request.message);
    trace.seen ??= seenAt;
    if (request.state !== "open") return;
    const body = {
      action: "accept",
      content: { approve: true },
      questionHash: request.questionHash,
      holdMs: 0,
    };
    await api(key, "POST", `/input-requests/${id}/answer`, body);
    trace.taken = clock();
  };
  void (async () => {
    const response = await fetch(`${url}/api/v1/stream`, {
      headers: { authorization: `Bearer ${key}` },
      signal: stop.signal,
    });
    let rest = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const at = clock();
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const hint = line.startsWith("data: ") ? JSON.parse(line.slice(6)) : null;
        if (hint?.topic !== "input_request" || known.has(hint.id)) continue;
        known.add(hint.id);
        begin(answer(hint.id, at));
      }
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return stop;
}
