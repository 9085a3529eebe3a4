/**
 * Checks that only lib/base/network/network.ts, which validates every address, opens connections. Each exception is
 * named by file, with its reason.
 */

const PACKAGES =
  /^(undici|ws|node-fetch|axios|got|nodemailer|node:(https?|http2|net|tls|dgram|dns)(\/.*)?|@opentelemetry\/exporter-.*)$/;

const MAY_IMPORT: Record<string, string> = {
  "lib/base/network/network.ts": "it is the way out",
  "lib/base/network/guarded-lookup.ts":
    "resolves the names that network.ts connects to, and asks the operator's resolvers for records",
  "lib/base/network/address-rules.ts": "judges addresses, and opens nothing",
  "lib/base/tracing/export.ts": "sends traces to the collector that the operator named, by operatorLookup",
  "scripts/web/serve.ts": "it listens",
  "lib/base/network/address.ts": "it reads addresses, and opens nothing",
  "lib/outbound/mail/smtp.ts":
    "it speaks to the operator's own mail server, at an address that no tenant chose",
  "scripts/ports.ts": "it looks for a port that is free on this machine",
  "scripts/supervise/ready.ts": "asks our own web on this machine whether it is up",
};

const MAY_CALL: Record<string, string> = {
  "scripts/commands/doctor/reach.ts": "asks our own web on this machine, and the operator's own collector",
  "lib/web/client/base/client.ts": "runs in browsers, which ask us",
  "lib/web/client/base/live.tsx": "runs in browsers, which ask us",
  "lib/web/client/request-context.ts": "runs in browsers, which ask us",
  "app/(app)/tasks/new/sample-buttons.tsx": "runs in browsers, which ask us",
  "app/unsubscribe/unsubscribe-screen.tsx": "runs in browsers, which ask us",
};

/** Examples, tests and benches are no part of an installation. */
const WATCHED = /^(app|components|lib|scripts)\//;

export function refuseImport(file: string, specifier: string, typeOnly: boolean): string | undefined {
  if (typeOnly || !WATCHED.test(file) || !PACKAGES.test(specifier) || file in MAY_IMPORT) return undefined;
  return `only lib/base/network/network.ts opens connections: ${specifier}`;
}

/** `code`: a line without its comments. */
export function refuseCall(file: string, code: string): string | undefined {
  if (!WATCHED.test(file) || file in MAY_CALL || file === "lib/base/network/network.ts") return undefined;
  const calls =
    /(?<![\w.$])((globalThis|window|self)\.)?fetch\s*\(/.test(code) && !/\bfetch\([^)]*\)\s*[:{]/.test(code);
  const passes = /[(=,:?]\s*(globalThis\.)?fetch\s*[,;)}]/.test(code);
  const opens =
    /\bnew\s+((globalThis|window)\.)?(WebSocket|EventSource|XMLHttpRequest)\b|\bsendBeacon\s*\(/.test(code);
  return calls || passes || opens ? "only lib/base/network/network.ts opens connections" : undefined;
}
