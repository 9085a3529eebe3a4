/** Exports spans: OTLP over HTTP, only to the address that the operator configured. */
import { randomUUID } from "node:crypto";
import { type DiagLogger, DiagLogLevel, diag } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { log } from "../log.ts";
import { operatorLookup } from "../network/guarded-lookup.ts";
import { setTracer } from "./span.ts";

/** Starts exporting. The returned function sends the rest and stops. A dead collector loses only spans. */
export function sendSpans(endpoint: string, service: string): () => Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    httpAgentOptions: { keepAlive: true, lookup: operatorLookup },
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": service, "service.instance.id": randomUUID() }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  diag.setLogger(diagLogger, DiagLogLevel.WARN);
  setTracer(provider.getTracer("intray"));
  return async () => {
    setTracer(null);
    await provider.shutdown().catch(diagLogger.error);
  };
}

const tell = (problem: unknown) => {
  const err = problem instanceof Error ? problem : new Error(String(problem));
  log.warn({ err }, "traces could not be sent");
};
const diagLogger: DiagLogger = { error: tell, warn: tell, info() {}, debug() {}, verbose() {} };
