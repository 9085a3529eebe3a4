/** Checks that the operator's addresses answer. Prints no addresses, which may contain passwords. */
import { env } from "../../../lib/base/env.ts";
import { createMailer, MailError } from "../../../lib/outbound/mail/smtp.ts";
import { bad, type Finding, good } from "./health.ts";

const TIMEOUT_MS = 5_000;

export async function isIntray(): Promise<boolean> {
  const reply = await own("/healthz");
  return reply?.ok === true && reply.headers.has("x-request-id");
}

/** Checks that the running web app serves its metrics for our token. */
export async function metrics(): Promise<Finding> {
  const { metricsToken } = env();
  if (!metricsToken) return good("metrics", "off: METRICS_TOKEN is not set");
  const reply = await own("/metrics", { authorization: `Bearer ${metricsToken}` });
  if (reply?.ok) return good("metrics", "/metrics answers");
  if (reply?.status === 404 || reply?.status === 401)
    return bad("metrics", "the web app that runs has another METRICS_TOKEN, or none; start it again");
  return bad("metrics", `/metrics does not answer (${reply?.status ?? "no reply"})`);
}

export async function outside(): Promise<Finding[]> {
  return [await mail(), await traces()];
}

async function mail(): Promise<Finding> {
  const { smtpUrl, url } = env();
  if (!smtpUrl) return good("mail", "off: SMTP_URL is not set");
  try {
    await createMailer(smtpUrl, url).check();
    return good("mail", "the server of SMTP_URL lets us in");
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return bad("mail", error.message);
  }
}

async function traces(): Promise<Finding> {
  const { otelEndpoint } = env();
  if (!otelEndpoint) return good("traces", "off: OTEL_EXPORTER_OTLP_ENDPOINT is not set");
  try {
    const reply = await fetch(`${otelEndpoint}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [] }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (reply.ok) return good("traces", "the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes traces");
    return bad("traces", `the collector of OTEL_EXPORTER_OTLP_ENDPOINT answers HTTP ${reply.status}`);
  } catch (error) {
    return bad("traces", `the collector of OTEL_EXPORTER_OTLP_ENDPOINT does not answer (${codeOf(error)})`);
  }
}

async function own(path: string, headers: Record<string, string> = {}): Promise<Response | null> {
  const { port, host } = env();
  const name = host.includes(":") ? `[${host}]` : host;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // Any failure means that the address does not answer as Intray does.
  return fetch(`http://${name}:${port}${path}`, { headers, signal }).catch(() => null);
}

function codeOf(error: unknown): string {
  const { code, cause, name } = error as { code?: string; cause?: { code?: string }; name?: string };
  return code ?? cause?.code ?? name ?? "unknown";
}
