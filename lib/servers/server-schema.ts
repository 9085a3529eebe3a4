import { z } from "zod";
import { actorSchema } from "../access/access-schema.ts";
import { pageSchema } from "../base/page.ts";
import { webAddress } from "../text/schemas/bounded.ts";
import { callsSchema } from "./call-statistics/call-statistics-schema.ts";
import { scopesSchema } from "./connections/connection-schema.ts";

export const eraSchema = z.enum(["2025-11-25", "2026-07-28"]);
export const eraSettingSchema = z.enum(["auto", "2025-11-25", "2026-07-28"]);
export type EraSetting = z.infer<typeof eraSettingSchema>;

const serverAuthSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("none") }),
  z.object({ kind: z.literal("bearer"), token: z.string().min(1).max(8192) }),
  z.object({
    kind: z.literal("oauth"),
    /** Issued by the authorization server's operator beforehand. Without one, Intray registers itself. */
    clientId: z.string().trim().min(1).max(2048).optional(),
    clientSecret: z.string().min(1).max(8192).optional(),
    /** Replaces the scopes that the server asks for. */
    scopes: scopesSchema.optional(),
  }),
]);

export const serverName = z.string().trim().min(1, "Name the server").max(80);
export const serverUrl = webAddress(2048, "A full http or https address").refine(
  (value) => !URL.canParse(value) || (new URL(value).username === "" && new URL(value).password === ""),
  {
    error: "Put credentials in the token, not in the address",
  },
);

export const createServerSchema = z.strictObject({
  /**
   * Without a name: the name that the server reports, else the host. A number is added if the organization already
   * has a server of that name.
   */
  name: serverName.optional(),
  url: serverUrl,
  era: eraSettingSchema.default("auto"),
  auth: serverAuthSchema.default({ kind: "none" }),
});
export type CreateServerInput = z.infer<typeof createServerSchema>;

/** An address to try before a server is registered. */
export const probeInputSchema = createServerSchema.omit({ name: true });
export type ProbeInput = z.infer<typeof probeInputSchema>;

export const allowedHostsSchema = z.object({
  /** Whether the caller can allow addresses: `npm start` runs for this machine only, and the caller is its operator. */
  possible: z.boolean(),
  /** Each as `host:port`. */
  hosts: z.array(z.string()),
});
export type AllowedHosts = z.infer<typeof allowedHostsSchema>;

/** An address that was tried. Only its host and port are allowed. */
export const allowHostSchema = z.strictObject({ url: serverUrl });
export const removeHostSchema = z.strictObject({ host: z.string().min(1).max(300) });

export const updateServerSchema = z
  .strictObject({
    name: serverName,
    era: eraSettingSchema,
    auth: serverAuthSchema,
    /** Send trace context with every call. */
    trace: z.boolean(),
  })
  .partial()
  .refine((value) => Object.keys(value).length > 0, { error: "Nothing to change" });
export type UpdateServerInput = z.infer<typeof updateServerSchema>;

export const healthSchema = z.object({
  state: z.enum(["ok", "unreachable", "unauthorized", "failing"]),
  checkedAt: z.iso.datetime().nullable(),
  message: z.string().nullable(),
});
export type Health = z.infer<typeof healthSchema>;

/** The engine's last failed call. */
export const lastErrorSchema = z.object({ code: z.string(), message: z.string(), at: z.iso.datetime() });

/**
 * Slow polling: every `everyMs` instead of every `insteadOfMs`, because the server takes `answerMs` to reply to a
 * poll.
 */
const lateSchema = z.object({ everyMs: z.int(), insteadOfMs: z.int(), answerMs: z.int() });
export type Late = z.infer<typeof lateSchema>;

export const pauseSchema = z.object({
  at: z.iso.datetime(),
  by: actorSchema,
  reason: z.string().nullable(),
});
export type Pause = z.infer<typeof pauseSchema>;

export const pauseServerSchema = z.strictObject({
  /** Shown to everyone on the server, its tasks and its requests. */
  reason: z
    .string()
    .trim()
    .max(500)
    .transform((words) => words || undefined)
    .optional(),
});

export const serverSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /**
   * Who defined the server: an admin of the organization, or the installation's operator. Only the operator can
   * change a server of the operator.
   */
  origin: z.enum(["admin", "operator"]),
  /** `command`: runs on Intray's own machine, reached through stdin and stdout. */
  kind: z.enum(["http", "command"]),
  /** For a command: `command:` and the operator's entry name. */
  url: z.string(),
  /** Detected by a probe or set by the admin; null until a probe with `auto` succeeds. */
  era: eraSchema.nullable(),
  eraSetting: eraSettingSchema,
  authKind: z.enum(["none", "bearer", "oauth"]),
  /** Sends trace context with each call: `_meta.traceparent` of W3C Trace Context. */
  trace: z.boolean(),
  capabilities: z.record(z.string(), z.unknown()).nullable(),
  health: healthSchema,
  /** The connection that the caller's starts use; null if none is connected (OAuth). */
  startsOn: z.enum(["own", "shared"]).nullable(),
  /** While set, nothing is sent to the server. */
  pause: pauseSchema.nullable(),
  /** The engine's calls of the last 24 hours. */
  lastDay: callsSchema,
  lastError: lastErrorSchema.nullable(),
  /** Consecutive failures on the caller's connections; calls pause until `openUntil`. */
  circuit: z.object({ failures: z.number(), openUntil: z.iso.datetime().nullable() }).nullable(),
  /** Slow polling on the caller's connections. */
  late: lateSchema.nullable(),
  createdAt: z.iso.datetime(),
});
export type Server = z.infer<typeof serverSchema>;

/** One step of a test: its name, result and duration. */
const checkStepSchema = z.object({
  /** `sign_in`: connected (OAuth). `identify`: answers as an MCP server. `tools`: lists tools. */
  step: z.enum(["sign_in", "identify", "tools"]),
  ok: z.boolean(),
  ms: z.number().nullable(),
  message: z.string().nullable(),
});
export type CheckStep = z.infer<typeof checkStepSchema>;

export const checkedServerSchema = serverSchema.extend({ steps: z.array(checkStepSchema) });
export type CheckedServer = z.infer<typeof checkedServerSchema>;

/** What a server asks for: nothing, a sign-in at an authorization server, or a token. */
const neededSignInSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("none") }),
  /** `refusal`: why Intray cannot sign in there (lib/servers/connections/oauth-words.ts has words); null if it can. */
  z.object({ kind: z.literal("oauth"), host: z.string().nullable(), refusal: z.string().nullable() }),
  z.object({ kind: z.literal("bearer") }),
]);

/** The result of trying an address. Nothing of it is stored. */
export const probedAddressSchema = z.object({
  health: healthSchema.omit({ checkedAt: true }),
  steps: z.array(checkStepSchema),
  /** Null if the server could not be asked. */
  era: eraSchema.nullable(),
  tools: z.int().nullable(),
  /** The name that the server reports. Untrusted text. */
  name: z.string().nullable(),
  /** Null: unknown, because the server did not answer as an MCP server. */
  signIn: neededSignInSchema.nullable(),
});
export type ProbedAddress = z.infer<typeof probedAddressSchema>;

/** Observed traits of the server (traits.ts explains each); null if unknown. */
const serverTraitsSchema = z.object({
  reissues: z.boolean().nullable(),
  questionLifetimeMs: z.number().nullable(),
  listsTasks: z.boolean().nullable(),
  notifies: z.boolean().nullable(),
  namesTask: z.boolean().nullable(),
  sessionLimit: z.number().nullable(),
  /**
   * The server opens the stream on which it may ask about elicitation tasks. In its next session it may ask questions
   * as such tasks.
   */
  opensStream: z.boolean().nullable(),
  refusesTasks: z.boolean().nullable(),
  putsTasks: z.boolean().nullable(),
  fetches: z.boolean().nullable(),
});
export type ServerTraits = z.infer<typeof serverTraitsSchema>;

export const serverDetailSchema = serverSchema.extend({
  traits: serverTraitsSchema,
  /**
   * All tools declare that a repeated call with the same key is the same task. Null: only some do, or it is unknown.
   */
  honoursIdempotencyKey: z.boolean().nullable(),
  /** The last stderr lines of a command server, for operators. Untrusted text. */
  log: z.object({ tail: z.string(), at: z.iso.datetime() }).nullable(),
});
export type ServerDetail = z.infer<typeof serverDetailSchema>;

/** A tool's description of itself, by which people and programs decide to use the tool. */
export const toolTextSchema = z.object({
  title: z.string().nullable(),
  description: z.string().nullable(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.record(z.string(), z.unknown()).nullable(),
  /**
   * Set if the tool is a recipe, in this version. `tools`: digests of the descriptions of the tools that the recipe
   * calls.
   */
  recipe: z.object({ version: z.int(), tools: z.record(z.string(), z.string()).optional() }).optional(),
});
export type ToolText = z.infer<typeof toolTextSchema>;

/** A tool as listed by its server, and as stored. */
export const listedToolSchema = toolTextSchema.extend({
  name: z.string(),
  taskSupport: z.enum(["required", "optional", "forbidden"]),
});

const toolSchema = listedToolSchema.extend({
  /**
   * SHA-256 of title, description, inputSchema and annotations in canonical JSON. Identifies the version that
   * somebody has seen.
   */
  digest: z.string(),
  /** Set if the description changed since the last use; null if unchanged or never used. */
  change: z.object({ at: z.iso.datetime(), lastUsedAt: z.iso.datetime(), before: toolTextSchema }).nullable(),
});

/** One version of a tool's description, valid from `since` to `until`. It may also have been valid before `since`. */
export const toolVersionSchema = toolTextSchema.extend({
  tool: z.string(),
  digest: z.string(),
  firstSeenAt: z.iso.datetime(),
  since: z.iso.datetime(),
  /** Null for the current version. */
  until: z.iso.datetime().nullable(),
  /** The last start by somebody who knew this version; null if none. */
  usedAt: z.iso.datetime().nullable(),
  usedBy: actorSchema.nullable(),
});
export type ToolVersion = z.infer<typeof toolVersionSchema>;
export const toolVersionsQuerySchema = z.object({
  tool: z.string().max(256).optional(),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
export type ToolVersionsQuery = z.infer<typeof toolVersionsQuerySchema>;
export type ServerTool = z.infer<typeof toolSchema>;

/** `checkedAt`: when the server listed these tools; null if it never has, and there are none. */
export const toolListSchema = pageSchema(toolSchema).extend({ checkedAt: z.iso.datetime().nullable() });
export type ToolList = z.infer<typeof toolListSchema>;
/** `asSeen`: as last seen, without a call to the server. */
export const toolListQuerySchema = z.object({ asSeen: z.enum(["true", "false"]).optional() });
export type ToolListQuery = z.infer<typeof toolListQuerySchema>;
