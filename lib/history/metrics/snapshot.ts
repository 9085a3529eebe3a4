/** An engine's metrics as stored in its row, and the text of a scrape. */
import { AggregatorRegistry, type Registry } from "prom-client";
import { z } from "zod";

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
export type Snapshot = z.infer<typeof snapshotSchema>;

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
