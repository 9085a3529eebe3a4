/**
 * Metrics of an engine process since its start. An engine has no port: its figures go into its row in the
 * database (process.ts), and the web's /metrics shows them. No label names a tenant: no organization,
 * server, tool, task or text.
 */

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { EVENT_TYPES } from "../events/event-schema.ts";
import { collectProcessMetrics } from "./process.ts";

export const engineRegistry = new Registry();
const registers = [engineRegistry];
collectProcessMetrics(engineRegistry);

export const polls = new Counter({
  name: "intray_polls_total",
  help: "Polls of tasks, by result.",
  labelNames: ["result"],
  registers,
});
export const lateness = new Histogram({
  name: "intray_lateness_seconds",
  help: "Delay of a task's step after it was due.",
  labelNames: ["lane"],
  buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60],
  registers,
});
export const failures = new Counter({
  name: "intray_failures_total",
  help: "Steps of tasks that failed, by the class of the error.",
  labelNames: ["class"],
  registers,
});
const watched = new Gauge({
  name: "intray_watched_tasks",
  help: "Tasks that the engine watches.",
  registers,
});
export const events = new Counter({
  name: "intray_events_total",
  help: "Lines of history, by type. Each is counted by one engine.",
  labelNames: ["type"],
  registers,
});
/** The delivery result that each event type stands for. */
export const RESULTS: Record<string, string> = {
  "delivery.sending": "sent",
  "delivery.accepted": "accepted",
  "delivery.confirmed": "confirmed",
  "delivery.unsent": "not_sent",
  "delivery.resend": "to_be_repeated",
  "delivery.flagged": "flagged",
  "request.undeliverable": "undeliverable",
};
export const deliveries = new Counter({
  name: "intray_deliveries_total",
  help: "Deliveries of answers, by method and result.",
  labelNames: ["rung", "result"],
  registers,
});
export const timeToDecision = new Histogram({
  name: "intray_time_to_decision_seconds",
  help: "From a question's opening to its answer.",
  labelNames: ["action"],
  buckets: [10, 60, 300, 1_800, 3_600, 14_400, 86_400, 259_200, 604_800],
  registers,
});
// The label is not `job`, which Prometheus sets itself.
export const jobsWaiting = new Gauge({
  name: "intray_jobs_waiting",
  help: "Organizations that a job has still to serve in this turn.",
  labelNames: ["name"],
  registers,
});
export const jobSeconds = new Histogram({
  name: "intray_job_seconds",
  help: "How long a turn of a job took, over all organizations.",
  labelNames: ["name"],
  buckets: [0.01, 0.1, 1, 10, 60, 600],
  registers,
});
export const jobFailures = new Counter({
  name: "intray_job_failures_total",
  help: "Turns of a job, or an organization's part of one, that failed.",
  labelNames: ["name"],
  registers,
});
const sent = new Counter({
  name: "intray_sent_total",
  help: "Attempts to send mails, push messages, Slack and Teams messages, webhooks and audit lines, by result.",
  labelNames: ["channel", "result"],
  registers,
});

/** Counts an attempt. `failed` will be retried; `given_up` will not. */
export function countSent(
  channel: "mail" | "webhook" | "audit_stream" | "push" | "slack" | "teams",
  result: "ok" | "failed" | "given_up",
): void {
  sent.inc({ channel, result });
}

// Starts every series at 0: if a series were absent until its first event, Prometheus would miss that first
// rise.
for (const type of EVENT_TYPES) events.inc({ type }, 0);
for (const result of ["unchanged", "changed", "task_not_found", "session_gone", "failed"])
  polls.inc({ result }, 0);
for (const name of [
  "content",
  "database",
  "internal",
  "lease_lost",
  "unreachable",
  "timeout",
  "unauthorized",
])
  failures.inc({ class: name }, 0);
for (const rung of ["update", "same_session", "asked_again", "new_session", "retry", "fetched", "none"])
  for (const result of Object.values(RESULTS)) deliveries.inc({ rung, result }, 0);
for (const action of ["accept", "decline", "cancel"]) timeToDecision.zero({ action });
for (const channel of ["mail", "webhook", "push", "slack", "teams"])
  for (const result of ["ok", "failed", "given_up"]) sent.inc({ channel, result }, 0);

const pool = new Gauge({
  name: "intray_engine_database_connections",
  help: "Connections of the engine to the database, and who waits for one.",
  labelNames: ["state"],
  registers,
});

/** Sets the gauges to their current values. */
export function noteState(now: {
  watched: number;
  pool: { busy: number; idle: number; waiting: number };
}): void {
  watched.set(now.watched);
  for (const [state, count] of Object.entries(now.pool)) pool.set({ state }, count);
}
