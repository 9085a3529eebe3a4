import { join, resolve } from "node:path";
import { ConfigurationError, type Environment, env } from "../../lib/base/env.ts";
import { readKeys } from "../../lib/base/key-ring.ts";
import { staysOnThisMachine } from "../../lib/base/network/address.ts";
import { operatorServers } from "../../lib/servers/operator-file.ts";
import { portIsFree } from "../ports.ts";

/** Checks the settings before any slow step. Throws ConfigurationError. */
export async function checkSettings(settings: Environment): Promise<void> {
  const { demoSetting, databaseUrl, host, port, authSecret } = settings;
  operatorServers();
  if (demoSetting && databaseUrl) {
    throw new ConfigurationError(
      "The demonstration runs only on the embedded database: unset INTRAY_DEMO, or unset DATABASE_URL.",
    );
  }
  if (demoSetting) refusePublicDemo(settings);
  if (databaseUrl && !readKeys(settings)) {
    throw new ConfigurationError(
      "INTRAY_KEYS is not set: with a DATABASE_URL the sealing keys are yours to keep (k1:$(openssl rand -base64 32)).",
    );
  }
  if (databaseUrl && !authSecret) {
    throw new ConfigurationError(
      "AUTH_SECRET is not set: with a DATABASE_URL it is yours to keep (openssl rand -base64 32).",
    );
  }
  if (settings.invoicePort === port)
    throw new ConfigurationError(
      `INVOICE_PORT is ${port}, which is PORT too: give the sample server another.`,
    );
  const free = await portIsFree(port, host).catch((error) => {
    throw new ConfigurationError(
      `Intray cannot listen on ${host}:${port} (${error.code}): set HOST or PORT.`,
    );
  });
  if (!free) {
    throw new ConfigurationError(
      `Port ${port} is in use: stop what uses it, or start with another (PORT=${port + 1}).`,
    );
  }
}

/**
 * Whether to run the demonstration. By default the embedded database is one until /setup was completed, which
 * ends it for good. An Intray that listens or is known beyond this machine has none, and a requested one
 * stops the start.
 */
export function decideDemo(settings: Environment, setupDone: boolean): boolean {
  if (settings.databaseUrl || settings.demoSetting === false || setupDone) return false;
  if (settings.demoSetting) refusePublicDemo(settings);
  return staysOnThisMachine(settings);
}

/** Throws ConfigurationError unless Intray both listens and is known on this machine alone. */
export function refusePublicDemo({ host, url }: { host: string; url: string }): void {
  if (staysOnThisMachine({ host, url })) return;
  throw new ConfigurationError(
    `INTRAY_DEMO=1 with HOST=${host} and INTRAY_URL=${url} would show the demonstration, where anyone signs in with one click, to the network: unset INTRAY_DEMO, or give both an address of this machine.`,
  );
}

/** How to set Intray up. A token that the operator chose is not printed, since others may read logs. */
export function setupLines({ url, setupToken }: Environment, token: string): string[] {
  if (setupToken)
    return [`To set Intray up for your organization: ${url}/setup, with the token of INTRAY_SETUP_TOKEN`];
  return [
    // A fragment stays in the browser, so no proxy logs it.
    `To set Intray up for your organization: ${url}/setup#token=${token}`,
    `Its setup token, where the page asks for it: ${token}`,
  ];
}

/** The file by which a sandbox is asked for; null unless all of Intray is on this machine. */
export const sandboxMark = (settings: Environment, dataDir: string): string | null =>
  settings.databaseUrl || !staysOnThisMachine(settings) ? null : join(dataDir, "sandbox");

/** Settings of the parts that the operator need not give. */
export type Resolved = {
  demo: boolean;
  /** Set until Intray has been set up. */
  setupToken: string | undefined;
  appDatabaseUrl: string;
  engineDatabaseUrl: string;
  databasePort: number;
  /** Where its keys are: one of INTRAY_KEYS, INTRAY_KEYS_FILE and INTRAY_KEYS_COMMAND. */
  keys: Record<string, string>;
  authSecret: string;
  /** The sample servers' ports, and the database that they share. */
  invoice?: { port: number; tunnelPort: number; databaseUrl: string };
};

/** The environment of each part, with only its own settings. None gets the database owner's URL. */
export function partEnvironments(resolved: Resolved) {
  const settings = env();
  const { demo, invoice } = resolved;
  const sandbox = sandboxMark(settings, resolve(settings.dataDir));
  const common = {
    ...machineEnvironment(),
    ...operatorEnvironment([
      "LOG_LEVEL",
      "SMTP_URL",
      "INTRAY_SERVERS_FILE",
      "INTRAY_COMMAND_USER",
      "INTRAY_KEEP_AT_LEAST_DAYS",
      "INTRAY_NAMED_STATEMENTS",
      "INTRAY_SLACK_URL",
      "INTRAY_TEAMS_CLOUD",
      ...otelNames(),
    ]),
    PORT: String(settings.port),
    HOST: settings.host,
    INTRAY_URL: settings.url,
    INTRAY_DEMO: demo ? "1" : "0",
    ...resolved.keys,
    // On loopback only the sample servers' own ports are allowed.
    INTRAY_ALLOW_HOSTS: [
      ...settings.allowHosts,
      ...(invoice ? [invoice.port, invoice.tunnelPort].map((port) => `127.0.0.1:${port}`) : []),
    ].join(","),
    // A database of the operator's own, or people on other machines: production, where the environment says it all.
    ...(sandbox !== null && {
      INTRAY_ALLOW_HOSTS_FILE: join(resolve(settings.dataDir), "allowed-hosts"),
      INTRAY_SANDBOX_FILE: sandbox,
    }),
    INTRAY_DENY_PORTS: [...settings.denyPorts, settings.port, resolved.databasePort].join(","),
  };
  return {
    web: {
      ...common,
      ...operatorEnvironment([
        "INTRAY_RATE_LIMIT",
        "INTRAY_DRAFTS",
        "INTRAY_TRUSTED_PROXIES",
        "INTRAY_SIGN_IN_FILE",
        "INTRAY_DNS_SERVERS",
        "OIDC_ISSUER",
        "OIDC_CLIENT_ID",
        "OIDC_CLIENT_SECRET",
        "OIDC_TRUSTED_DOMAINS",
        "METRICS_TOKEN",
        "CRON_SECRET",
        "APP_DATABASE_DIRECT_URL",
        ...(settings.cronSecret ? ["ENGINE_DATABASE_DIRECT_URL"] : []),
      ]),
      AUTH_SECRET: resolved.authSecret,
      ...(resolved.setupToken && { INTRAY_SETUP_TOKEN: resolved.setupToken }),
      APP_DATABASE_URL: resolved.appDatabaseUrl,
      // Needed only by POST /api/engine/run, which CRON_SECRET protects.
      ...(settings.cronSecret ? { ENGINE_DATABASE_URL: resolved.engineDatabaseUrl } : {}),
    },
    engine: {
      ...common,
      ...operatorEnvironment(["INTRAY_ALIVE_FILE", "ENGINE_DATABASE_DIRECT_URL"]),
      ENGINE_DATABASE_URL: resolved.engineDatabaseUrl,
    },
    invoice: {
      ...machineEnvironment(),
      ...operatorEnvironment(["LOG_LEVEL", "INVOICE_STEP_DELAY_MS", "INVOICE_RECONCILE_MS"]),
      INVOICE_PORT: String(invoice?.port ?? ""),
      INVOICE_DATABASE_URL: invoice?.databaseUrl ?? "",
    },
    tunnel: {
      ...machineEnvironment(),
      TUNNEL_PORT: String(invoice?.tunnelPort ?? ""),
      TUNNEL_DATABASE_URL: invoice?.databaseUrl ?? "",
    },
  };
}

/** The settings that say where the keys are; `own` where the operator has said nothing. */
export function keySettings(own: string): Record<string, string> {
  const said = operatorEnvironment(["INTRAY_KEYS", "INTRAY_KEYS_FILE", "INTRAY_KEYS_COMMAND"]);
  return Object.keys(said).length > 0 ? said : { INTRAY_KEYS: own };
}

/** The environment that any program may need, without our settings and the shell's secrets. */
export function machineEnvironment(): NodeJS.ProcessEnv {
  const names = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "NODE_COMPILE_CACHE",
  ];
  return {
    ...operatorEnvironment([
      ...names,
      "SSL_CERT_FILE",
      "SSL_CERT_DIR",
      "NO_COLOR",
      "FORCE_COLOR",
      "SystemRoot",
    ]),
    NODE_ENV: "production",
    NEXT_TELEMETRY_DISABLED: "1",
    // Names are looked up by these threads: by default two of them, which two silent nameservers would hold.
    UV_THREADPOOL_SIZE: "64",
  };
}

function operatorEnvironment(names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function otelNames(): string[] {
  return Object.keys(process.env).filter((name) => name.startsWith("OTEL_"));
}
