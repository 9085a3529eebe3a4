import { ConfigurationError, env } from "../env.ts";
import { checkOperatorUrl, NetworkError } from "../network/address-rules.ts";

/**
 * Starts sending this process's spans to the operator's collector, if one is configured; loads the packages
 * only then. Returns a function that sends the remaining spans. Throws ConfigurationError.
 */
export async function startTracing(service: "intray-web" | "intray-engine"): Promise<() => Promise<void>> {
  const { otelEndpoint } = env();
  if (!otelEndpoint) return async () => {};
  try {
    checkOperatorUrl(otelEndpoint);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw new ConfigurationError(`OTEL_EXPORTER_OTLP_ENDPOINT is not usable: ${error.message}.`);
  }
  const { sendSpans } = await import("./export.ts");
  return sendSpans(otelEndpoint, service);
}
