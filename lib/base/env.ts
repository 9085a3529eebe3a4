import { z } from "zod";
import { trimEndOf } from "../text/trim-end.ts";
import { onePerProcess } from "./process/process-wide.ts";
import type { SealingKey } from "./seal.ts";

/** A wrong setting or environment that prevents a start. The message is one sentence for the operator. */
export class ConfigurationError extends Error {
  override name = "ConfigurationError";
}

const port = z.coerce.number<string>().int().min(1).max(65535);
const flag = z.enum(["0", "1"]).transform((value) => value === "1");
const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, "must be a postgresql:// URL");
const webUrl = z.url({ protocol: /^https?$/ }).transform((value) => trimEndOf(value, "/"));
/** `uid` or `uid:gid`, by number. Neither root nor Intray's own user, as which a command could read its secrets. */
const otherUser = z
  .string()
  .regex(/^[1-9]\d{0,8}(:[1-9]\d{0,8})?$/, "must be a user by number, or user:group, and not root")
  .transform((value) => {
    const [uid = 0, gid = uid] = value.split(":").map(Number);
    return { uid, gid };
  })
  .refine(({ uid }) => uid !== process.getuid?.(), "must be another user than Intray's own");
const list = z.string().transform((value) =>
  value
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean),
);

const keys = list.transform((entries, context): SealingKey[] =>
  entries.map((entry) => {
    const colon = entry.indexOf(":");
    const key = Buffer.from(entry.slice(colon + 1), "base64");
    if (colon < 1 || key.length !== 32) context.addIssue("must be kid:base64 entries of 32 bytes each");
    return { kid: entry.slice(0, Math.max(colon, 0)), key };
  }),
);

const schema = z
  .object({
    PORT: port.default(3000),
    HOST: z.string().default("127.0.0.1"),
    INTRAY_URL: webUrl.optional(),
    DATABASE_URL: postgresUrl.optional(),
    APP_DATABASE_URL: postgresUrl.optional(),
    ENGINE_DATABASE_URL: postgresUrl.optional(),
    APP_DATABASE_DIRECT_URL: postgresUrl.optional(),
    ENGINE_DATABASE_DIRECT_URL: postgresUrl.optional(),
    INTRAY_NAMED_STATEMENTS: flag.default(true),
    INTRAY_DATA_DIR: z.string().default(".data"),
    INTRAY_KEYS: keys.optional(),
    INTRAY_KEYS_FILE: z.string().optional(),
    INTRAY_KEYS_COMMAND: z.string().optional(),
    AUTH_SECRET: z.string().min(16, "must have 16 characters or more").optional(),
    INTRAY_ALIVE_FILE: z.string().optional(),
    INTRAY_DEMO: flag.optional(),
    INTRAY_DEMO_TASKS: flag.default(true),
    INTRAY_SETUP_TOKEN: z.string().min(16, "must have 16 characters or more").max(200).optional(),
    INVOICE_PORT: port.optional(),
    INTRAY_ALLOW_HOSTS: list.default([]),
    INTRAY_ALLOW_HOSTS_FILE: z.string().optional(),
    INTRAY_SANDBOX_FILE: z.string().optional(),
    INTRAY_DENY_PORTS: list.pipe(z.array(port)).default([]),
    INTRAY_SERVERS_FILE: z.string().optional(),
    INTRAY_COMMAND_USER: otherUser.optional(),
    INTRAY_DNS_SERVERS: list.default([]),
    INTRAY_SIGN_IN_FILE: z.string().optional(),
    OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
    INTRAY_KEEP_AT_LEAST_DAYS: z.coerce.number<string>().int().min(1).max(36_500).default(30),
    INTRAY_RATE_LIMIT: z.coerce.number<string>().int().min(1).max(1_000_000).default(30_000),
    INTRAY_TRUSTED_PROXIES: z.coerce.number<string>().int().min(0).max(10).default(0),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    OIDC_TRUSTED_DOMAINS: list.default([]),
    SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\//, "must be an smtp:// or smtps:// URL")
      .optional(),
    METRICS_TOKEN: z.string().min(16, "must have 16 characters or more").optional(),
    INTRAY_DRAFTS: flag.default(false),
    INTRAY_SLACK_URL: webUrl.default("https://slack.com"),
    INTRAY_TEAMS_CLOUD: z.enum(["public", "usgov"]).or(webUrl).default("public"),
    CRON_SECRET: z.string().min(16, "must have 16 characters or more").optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: webUrl.optional(),
    LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  })
  .transform((e) => ({
    port: e.PORT,
    host: e.HOST,
    /** The URL of the app for browsers, without a slash at the end. */
    url: e.INTRAY_URL ?? `http://localhost:${e.PORT}`,
    /** The database owner's URL, for migrations and the command line only. */
    databaseUrl: e.DATABASE_URL,
    appDatabaseUrl: e.APP_DATABASE_URL,
    engineDatabaseUrl: e.ENGINE_DATABASE_URL,
    /** The same databases past a pooler, for what needs a session of its own. */
    appDirectUrl: e.APP_DATABASE_DIRECT_URL ?? e.APP_DATABASE_URL,
    engineDirectUrl: e.ENGINE_DATABASE_DIRECT_URL ?? e.ENGINE_DATABASE_URL,
    /** Whether statements have names, by which Postgres keeps their plans. */
    namedStatements: e.INTRAY_NAMED_STATEMENTS,
    dataDir: e.INTRAY_DATA_DIR,
    /** The first key seals; all keys open. */
    keys: e.INTRAY_KEYS,
    /** A file that holds what INTRAY_KEYS would, and may change; else a command that prints it. */
    keysFile: e.INTRAY_KEYS_FILE,
    keysCommand: e.INTRAY_KEYS_COMMAND,
    authSecret: e.AUTH_SECRET,
    /** The engine touches this file while it is alive. */
    aliveFile: e.INTRAY_ALIVE_FILE,
    demo: e.INTRAY_DEMO ?? false,
    /** The operator's own setting, before the supervisor has decided. */
    demoSetting: e.INTRAY_DEMO,
    /** Whether the demo starts with sample tasks. */
    demoTasks: e.INTRAY_DEMO_TASKS,
    /** The token that /setup asks for. Without it, Intray cannot be set up in a browser. */
    setupToken: e.INTRAY_SETUP_TOKEN,
    invoicePort: e.INVOICE_PORT,
    allowHosts: e.INTRAY_ALLOW_HOSTS,
    /** Where `npm start` keeps the addresses that its operator allows by a press. */
    allowHostsFile: e.INTRAY_ALLOW_HOSTS_FILE,
    /** Where `npm start` is asked for a sandbox organization. */
    sandboxFile: e.INTRAY_SANDBOX_FILE,
    /** The supervisor's list plus this process's own ports, since a process started alone gets no list. */
    denyPorts: [
      ...new Set([
        ...e.INTRAY_DENY_PORTS,
        e.PORT,
        ...[
          e.DATABASE_URL,
          e.APP_DATABASE_URL,
          e.ENGINE_DATABASE_URL,
          e.APP_DATABASE_DIRECT_URL,
          e.ENGINE_DATABASE_DIRECT_URL,
        ].flatMap((url) => (url && URL.canParse(url) ? [Number(new URL(url).port || 5432)] : [])),
      ]),
    ],
    serversFile: e.INTRAY_SERVERS_FILE,
    /** The user that command servers run as; Intray's own without it. */
    commandUser: e.INTRAY_COMMAND_USER,
    signInFile: e.INTRAY_SIGN_IN_FILE,
    /** Resolvers that are asked for the records of domains; none: the system's. */
    dnsServers: e.INTRAY_DNS_SERVERS,
    /** Details of the history and finished tasks are kept at least as long, whatever an organization sets. */
    keepAtLeastDays: e.INTRAY_KEEP_AT_LEAST_DAYS,
    /** Calls per minute of one member, key or agent. Writes have a lower limit, see lib/web/tunables.ts. */
    rateLimit: e.INTRAY_RATE_LIMIT,
    /** Proxies in front of the web app, each of which appends to X-Forwarded-For; 0: none is believed. */
    trustedProxies: e.INTRAY_TRUSTED_PROXIES,
    /** As written in the tokens, including a slash at the end. */
    oidcIssuer: e.OIDC_ISSUER,
    oidcClientId: e.OIDC_CLIENT_ID,
    oidcClientSecret: e.OIDC_CLIENT_SECRET,
    /** Domains of which the provider's verified addresses lead to accounts that exist. */
    oidcTrustedDomains: e.OIDC_TRUSTED_DOMAINS,
    smtpUrl: e.SMTP_URL,
    metricsToken: e.METRICS_TOKEN,
    cronSecret: e.CRON_SECRET,
    /** Whether `/mcp` offers extensions of MCP whose text may still change. */
    drafts: e.INTRAY_DRAFTS,
    /** Where Slack is: another address for tests, and for GovSlack. */
    slackUrl: e.INTRAY_SLACK_URL,
    /** Which of Microsoft’s clouds Teams is in; an address for tests. */
    teamsCloud: e.INTRAY_TEAMS_CLOUD,
    otelEndpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: e.LOG_LEVEL,
  }));

export type Environment = z.infer<typeof schema>;
type Setting = keyof z.input<typeof schema>;

/** The variable names shown to operators, for the settings that `need` accepts. */
const settingOf = {
  databaseUrl: "DATABASE_URL",
  appDatabaseUrl: "APP_DATABASE_URL",
  engineDatabaseUrl: "ENGINE_DATABASE_URL",
  appDirectUrl: "APP_DATABASE_DIRECT_URL",
  engineDirectUrl: "ENGINE_DATABASE_DIRECT_URL",
  authSecret: "AUTH_SECRET",
  oidcIssuer: "OIDC_ISSUER",
  oidcClientId: "OIDC_CLIENT_ID",
  oidcClientSecret: "OIDC_CLIENT_SECRET",
  smtpUrl: "SMTP_URL",
  cronSecret: "CRON_SECRET",
} as const satisfies Partial<Record<keyof Environment, Setting>>;

/** Parses variables; empty counts as unset. Throws ConfigurationError with the name, never the value. */
export function parseEnvironment(variables: Record<string, string | undefined>): Environment {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(set);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ConfigurationError(`${issue?.path.join(".")} is not usable: ${issue?.message}.`);
}

/** Parses the text of INTRAY_KEYS, wherever it came from. Throws ConfigurationError with the setting's name. */
export function parseKeys(setting: string, text: string): SealingKey[] {
  const { data, error } = keys.safeParse(text);
  if (data && data.length > 0) return data;
  throw new ConfigurationError(
    `${setting} is not usable: ${error?.issues[0]?.message ?? "it holds no key"}.`,
  );
}

/** Returns the environment of this process. Parsed at the first call, not at import: a build needs none. */
export const env: () => Environment = onePerProcess("environment", readEnvironment);

/** Reads the environment and keeps nothing, for what runs at an import: it may still be set afterwards. */
export function readEnvironment(): Environment {
  return parseEnvironment(process.env);
}

/** Returns a required setting. Throws ConfigurationError if unset. */
export function need<K extends keyof typeof settingOf>(name: K): NonNullable<Environment[K]> {
  const value = env()[name];
  if (value === undefined)
    throw new ConfigurationError(`${settingOf[name]} is not set, and this process needs it.`);
  return value as NonNullable<Environment[K]>;
}

/** Returns the environment for child programs. The rest of the environment holds secrets. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG } = process.env;
  return { PATH, HOME, LANG } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv;
}

/** The threads with which this process looks up names, reads files and digests passwords: Node's own setting. */
export function threadCount(): number {
  return Number(process.env.UV_THREADPOOL_SIZE) || 4;
}
