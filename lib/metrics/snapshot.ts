/** An engine's figures as its row keeps them, and all of a scrape as one text. */
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
/** Metrics of one process; what an engine of another version wrote may lack some, or have more. */
export const snapshotSchema = z.array(metricSchema);
export type Snapshot = z.infer<typeof snapshotSchema>;

/** Of the figures that every Node process has, those that tell one engine from another. */
const OF_PROCESS = new Set([
  "process_cpu_seconds_total",
  "process_resident_memory_bytes",
  "nodejs_eventloop_lag_p99_seconds",
]);

/** What goes into the engine's row; small, for it is written with every sign of life. */
export async function takeSnapshot(registry: Registry): Promise<Snapshot> {
  const all = await registry.getMetricsAsJSON();
  const kept = all.filter(({ name }) => name.startsWith("intray_") || OF_PROCESS.has(name));
  // JSON has no NaN, which an event loop without a measure has for its lag.
  const finite = kept.map((metric) => ({
    ...metric,
    values: metric.values.filter(({ value }) => Number.isFinite(value)),
  }));
  return snapshotSchema.parse(finite.map((metric) => ({ ...metric, type: String(metric.type) })));
}

/** Everything in Prometheus' text format. The engines' figures bear the label `engine`, so that a restart is a reset. */
export async function exposition(
  own: Registry,
  engines: { id: string; metrics: Snapshot }[],
): Promise<string> {
  const labelled = engines.map(({ id, metrics }) =>
    metrics.map((metric) => ({
      ...metric,
      // With the label nothing is left to add up.
      aggregator: "sum" as const,
      values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, engine: id } })),
    })),
  );
  const mine = (await own.getMetricsAsJSON()).map((metric) => ({ ...metric, aggregator: "sum" as const }));
  return AggregatorRegistry.aggregate([mine, ...labelled]).metrics();
}
