/** The metrics of this web process and of all processes, for Prometheus. */
import { timingSafeEqual } from "node:crypto";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { env } from "../../base/env.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { hashSecret } from "../../base/ids.ts";
import { log } from "../../base/log.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";
import { collectProcessMetrics, exposition, snapshotSchema } from "../../history/metrics/process.ts";
import { database } from "../database.ts";
import { createFigures, readFigures, showFigures } from "./figures.ts";

const own = onePerProcess("web metrics", create);

function create() {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const answers = new Histogram({
    name: "intray_http_request_seconds",
    help: "Answers to requests, by the pattern of the address; for a stream the time until it began.",
    labelNames: ["method", "route", "status"],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const signIns = new Counter({
    name: "intray_sign_ins_total",
    help: "Sign-ins by how and outcome: succeeded, half (a code is asked for), wrong, refused, paused, failed.",
    labelNames: ["kind", "outcome"],
    registers: [registry],
  });
  const heldCalls = new Gauge({
    name: "intray_held_calls",
    help: "Calls of agents that this process holds open.",
    registers: [registry],
  });
  return { registry, answers, signIns, heldCalls, figures: createFigures(registry) };
}

/** Counts an answer. `route`: the pattern of the address, never the address. */
export function countAnswer(method: string, route: string, status: number, ms: number): void {
  own().answers.observe({ method, route, status: String(status) }, ms / 1000);
}

export function countSignIn(kind: string, outcome: string): void {
  own().signIns.inc({ kind, outcome });
}

/** Counts a call of an agent that is held open from now on (1), or that is not any more (-1). */
export function countHeldCall(change: 1 | -1): void {
  own().heldCalls.inc(change);
}

/** Throws `not_found` without a METRICS_TOKEN, and `unauthenticated` for a wrong one. */
export function refuseWithoutToken(authorization: string | null): void {
  const { metricsToken } = env();
  if (!metricsToken) throw notFound("address");
  // Hashes have one length, whatever was sent.
  const isIt = timingSafeEqual(hashSecret(authorization ?? ""), hashSecret(`Bearer ${metricsToken}`));
  if (!isIt) throw new AppError("unauthenticated", "Send METRICS_TOKEN as a Bearer token.");
}

/** All figures in Prometheus' text format. Without the database, its figures are missing or 0. */
export async function metricsText(): Promise<string> {
  const { registry, figures } = own();
  const { values, engines } = await database()
    .then(readFigures)
    .catch((error: unknown) => {
      if (!isDatabaseDown(error)) throw error;
      log.warn({ err: error }, "The database cannot be reached");
      return { values: [], engines: [] };
    });
  showFigures(figures, values);
  // An engine of another version may write unreadable figures; it counts as an engine all the same.
  const understood = engines.flatMap(({ id, metrics }) => {
    const { data } = snapshotSchema.safeParse(metrics);
    return data ? [{ id, metrics: data }] : [];
  });
  return exposition(registry, understood);
}
