import { ConfigurationError, env } from "../base/env.ts";
import { checkOperatorUrl, NetworkError } from "../base/network.ts";

/**
 * Sends this process' spans to the operator's collector, where there is one; the packages for it are loaded only then.
 * Returns what sends the last of them. Throws ConfigurationError.
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
