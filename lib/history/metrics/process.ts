/** Metrics of one process: its memory, processor and event loop, what an engine's row keeps, and the text of a scrape. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { AggregatorRegistry, collectDefaultMetrics, Gauge, type Registry } from "prom-client";
import { z } from "zod";

/**
 * Interval of measuring the event loop. prom-client's own measures every 10 ms, which alone keeps an idle process at
 * 0.3 % of a core and its machine from sleeping.
 */
const MEASURE_MS = 250;
/** Longer than any process lives: prom-client's own measuring can't be turned off. */
const NEVER_MS = 2_147_483_647;

/** Collects the process metrics, with the event loop's lag measured less often. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const figure of ["min", "max", "mean", "stddev", "p50", "p90", "p99"])
    registry.removeSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`);
  const measured = monitorEventLoopDelay({ resolution: MEASURE_MS });
  measured.enable();
  new Gauge({
    name: "nodejs_eventloop_lag_p99_seconds",
    help: "The 99th percentile of how late timers of the event loop ran, since the last time this was asked for.",
    registers: [registry],
    aggregator: "max",
    collect() {
      // What is measured is the time between two timers, so the interval is part of it; NaN before the first.
      this.set(Math.max(0, (measured.percentile(99) / 1e6 - MEASURE_MS) / 1e3));
      measured.reset();
    },
  });
}

const metricSchema = z.object({
  name: z.string().regex(/^[a-z_][a-z0-9_]{0,100}$/),
  help: z.string().max(500),
  type: z.enum(["counter", "gauge", "histogram"]),
  values: z.array(
    z.object({
      metricName: z.string().optional(),
      labels: z.record(z.string(), z.union([z.string(), z.number()])),
      value: z.number(),
    }),
  ),
});
/** Metrics of one process. Engines of other versions may write fewer or more. */
export const snapshotSchema = z.array(metricSchema);
type Snapshot = z.infer<typeof snapshotSchema>;

/** The process metrics worth keeping per engine. */
const OF_PROCESS = new Set([
  "process_cpu_seconds_total",
  "process_resident_memory_bytes",
  "nodejs_eventloop_lag_p99_seconds",
]);

/** Returns the metrics for the engine's row. Kept small, since they are written every ten seconds. */
export async function takeSnapshot(registry: Registry): Promise<Snapshot> {
  const all = await registry.getMetricsAsJSON();
  const kept = all.filter(({ name }) => name.startsWith("intray_") || OF_PROCESS.has(name));
  // JSON has no NaN, the event loop lag before its first measurement.
  const finite = kept.map((metric) => ({
    ...metric,
    values: metric.values.filter(({ value }) => Number.isFinite(value)),
  }));
  return snapshotSchema.parse(finite.map((metric) => ({ ...metric, type: String(metric.type) })));
}

/** Renders all metrics for Prometheus. A label `engine` makes an engine's restart count as a reset. */
export async function exposition(
  own: Registry,
  engines: { id: string; metrics: Snapshot }[],
): Promise<string> {
  const labelled = engines.map(({ id, metrics }) =>
    metrics.map((metric) => ({
      ...metric,
      // The label makes each series unique, so nothing is summed.
      aggregator: "sum" as const,
      values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, engine: id } })),
    })),
  );
  const mine = (await own.getMetricsAsJSON()).map((metric) => ({ ...metric, aggregator: "sum" as const }));
  return AggregatorRegistry.aggregate([mine, ...labelled]).metrics();
}
