/** Metrics of the process itself: memory, processor, event loop. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";

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
