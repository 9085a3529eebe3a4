import { z } from "zod";

/** A setting or a surrounding that stops a start. The message is one sentence for the operator. */
export class ConfigurationError extends Error {
  override name = "ConfigurationError";
}

export type SealingKey = { kid: string; key: Buffer };

const port = z.coerce.number<string>().int().min(1).max(65535);
const flag = z.enum(["0", "1"]).transform((value) => value === "1");
const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, "must be a postgresql:// URL");
const webUrl = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ""));
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
    INTRAY_DATA_DIR: z.string().default(".data"),
    INTRAY_KEYS: keys.optional(),
    AUTH_SECRET: z.string().min(16, "must have 16 characters or more").optional(),
    INTRAY_ALIVE_FILE: z.string().optional(),
    INTRAY_DEMO: flag.optional(),
    INTRAY_DEMO_TASKS: flag.default(true),
    INTRAY_SETUP_TOKEN: z.string().min(16, "must have 16 characters or more").max(200).optional(),
    INVOICE_PORT: port.optional(),
    INTRAY_ALLOW_HOSTS: list.default([]),
    INTRAY_DENY_PORTS: list.pipe(z.array(port)).default([]),
    INTRAY_SERVERS_FILE: z.string().optional(),
    INTRAY_SIGN_IN_FILE: z.string().optional(),
    OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
    INTRAY_RATE_LIMIT: z.coerce.number<string>().int().min(1).max(1_000_000).default(30_000),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\//, "must be an smtp:// or smtps:// URL")
      .optional(),
    METRICS_TOKEN: z.string().min(16, "must have 16 characters or more").optional(),
    CRON_SECRET: z.string().min(16, "must have 16 characters or more").optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: webUrl.optional(),
    LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  })
  .transform((e) => ({
    port: e.PORT,
    host: e.HOST,
    /** Where browsers find the app; no slash at the end. */
    url: e.INTRAY_URL ?? `http://localhost:${e.PORT}`,
    /** The owner's: migrations and the command line only. */
    databaseUrl: e.DATABASE_URL,
    appDatabaseUrl: e.APP_DATABASE_URL,
    engineDatabaseUrl: e.ENGINE_DATABASE_URL,
    dataDir: e.INTRAY_DATA_DIR,
    /** The first one seals; all of them open. */
    keys: e.INTRAY_KEYS,
    authSecret: e.AUTH_SECRET,
    /** An engine touches it while it lives. */
    aliveFile: e.INTRAY_ALIVE_FILE,
    demo: e.INTRAY_DEMO ?? false,
    /** What the operator said, before the supervisor has decided. */
    demoSetting: e.INTRAY_DEMO,
    /** The demonstration begins with tasks in it. */
    demoTasks: e.INTRAY_DEMO_TASKS,
    /** What /setup asks for. Without it nobody can set Intray up in a browser. */
    setupToken: e.INTRAY_SETUP_TOKEN,
    invoicePort: e.INVOICE_PORT,
    allowHosts: e.INTRAY_ALLOW_HOSTS,
    /** The supervisor's list, and what this process knows of itself: started alone, it has no other. */
    denyPorts: [
      ...new Set([
        ...e.INTRAY_DENY_PORTS,
        e.PORT,
        ...[e.DATABASE_URL, e.APP_DATABASE_URL, e.ENGINE_DATABASE_URL].flatMap((url) =>
          url && URL.canParse(url) ? [Number(new URL(url).port || 5432)] : [],
        ),
      ]),
    ],
    serversFile: e.INTRAY_SERVERS_FILE,
    signInFile: e.INTRAY_SIGN_IN_FILE,
    /** Calls a minute of one member or key; fewer writes, see lib/web/tunables.ts. */
    rateLimit: e.INTRAY_RATE_LIMIT,
    /** As it stands in the tokens, a slash at the end included. */
    oidcIssuer: e.OIDC_ISSUER,
    oidcClientId: e.OIDC_CLIENT_ID,
    oidcClientSecret: e.OIDC_CLIENT_SECRET,
    smtpUrl: e.SMTP_URL,
    metricsToken: e.METRICS_TOKEN,
    cronSecret: e.CRON_SECRET,
    otelEndpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: e.LOG_LEVEL,
  }));

export type Environment = z.infer<typeof schema>;
type Setting = keyof z.input<typeof schema>;

/** The names that operators know, for the settings that a process may need. */
const settingOf = {
  databaseUrl: "DATABASE_URL",
  appDatabaseUrl: "APP_DATABASE_URL",
  engineDatabaseUrl: "ENGINE_DATABASE_URL",
  keys: "INTRAY_KEYS",
  authSecret: "AUTH_SECRET",
  oidcIssuer: "OIDC_ISSUER",
  oidcClientId: "OIDC_CLIENT_ID",
  oidcClientSecret: "OIDC_CLIENT_SECRET",
  smtpUrl: "SMTP_URL",
  cronSecret: "CRON_SECRET",
} as const satisfies Partial<Record<keyof Environment, Setting>>;

/** Parses variables; an empty one counts as unset. Throws ConfigurationError, naming the variable and never its value. */
export function parseEnvironment(variables: Record<string, string | undefined>): Environment {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(set);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ConfigurationError(`${issue?.path.join(".")} is not usable: ${issue?.message}.`);
}

let cached: Environment | undefined;

/** The environment of this process, parsed at the first call and not at import: a build needs none of it. */
export function env(): Environment {
  cached ??= parseEnvironment(process.env);
  return cached;
}

/** A setting that this process cannot do without. Throws ConfigurationError when it is unset. */
export function need<K extends keyof typeof settingOf>(name: K): NonNullable<Environment[K]> {
  const value = env()[name];
  if (value === undefined)
    throw new ConfigurationError(`${settingOf[name]} is not set, and this process needs it.`);
  return value as NonNullable<Environment[K]>;
}

/** What the programs that we start learn of our surroundings; the rest of our environment holds secrets. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG } = process.env;
  return { PATH, HOME, LANG } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv;
}
