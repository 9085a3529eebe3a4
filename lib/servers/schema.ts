import { z } from "zod";
import { actorSchema } from "../access/schema.ts";
import { callsSchema } from "./call-statistics/schema.ts";
import { scopesSchema } from "./connections/schema.ts";

export const eraSchema = z.enum(["2025-11-25", "2026-07-28"]);
export const eraSettingSchema = z.enum(["auto", "2025-11-25", "2026-07-28"]);
export type EraSetting = z.infer<typeof eraSettingSchema>;

const serverAuthSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("none") }),
  z.object({ kind: z.literal("bearer"), token: z.string().min(1).max(8192) }),
  z.object({
    kind: z.literal("oauth"),
    /** Given by the authorization server's people beforehand; without it Intray makes itself known. */
    clientId: z.string().trim().min(1).max(2048).optional(),
    clientSecret: z.string().min(1).max(8192).optional(),
    /** Instead of what the server asks for. */
    scopes: scopesSchema.optional(),
  }),
]);

export const serverName = z.string().trim().min(1, "Name the server").max(80);
export const serverUrl = z
  .url({ protocol: /^https?$/, error: "A full http or https address" })
  .max(2048)
  .refine(
    (value) => !URL.canParse(value) || (new URL(value).username === "" && new URL(value).password === ""),
    {
      error: "Put credentials in the token, not in the address",
    },
  );

export const createServerSchema = z.strictObject({
  name: serverName,
  url: serverUrl,
  era: eraSettingSchema.default("auto"),
  auth: serverAuthSchema.default({ kind: "none" }),
});
export type CreateServerInput = z.infer<typeof createServerSchema>;

export const updateServerSchema = z
  .strictObject({
    name: serverName,
    era: eraSettingSchema,
    auth: serverAuthSchema,
    /** Tell it, with every call, which trace the call belongs to. */
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

/** The last call of the engine's that failed. */
export const lastErrorSchema = z.object({ code: z.string(), message: z.string(), at: z.iso.datetime() });

/** Tasks are looked at every so many ms, and not as they should be, for an answer takes so long. */
const lateSchema = z.object({ everyMs: z.int(), insteadOfMs: z.int(), answerMs: z.int() });
export type Late = z.infer<typeof lateSchema>;

export const pauseSchema = z.object({
  at: z.iso.datetime(),
  by: actorSchema,
  reason: z.string().nullable(),
});
export type Pause = z.infer<typeof pauseSchema>;

export const pauseServerSchema = z.strictObject({
  /** For all who meet the pause: on the server, its tasks and its requests. */
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
  /** Who defined it: an admin of the organization, or the installation's operator, who alone may change it. */
  origin: z.enum(["admin", "operator"]),
  /** A command runs on Intray's own machine and is reached through its stdin and stdout. */
  kind: z.enum(["http", "command"]),
  /** Of a command: `command:` and the name of the operator's entry. */
  url: z.string(),
  /** What was found by probing, or what the admin set; null until a probe succeeded with `auto`. */
  era: eraSchema.nullable(),
  eraSetting: eraSettingSchema,
  authKind: z.enum(["none", "bearer", "oauth"]),
  /** It is told which trace a call belongs to: `_meta.traceparent` of W3C Trace Context. */
  trace: z.boolean(),
  capabilities: z.record(z.string(), z.unknown()).nullable(),
  health: healthSchema,
  /** The connection that a start of the caller's uses; null: none is connected (OAuth). */
  startsOn: z.enum(["own", "shared"]).nullable(),
  /** While it is paused nothing is sent to it. */
  pause: pauseSchema.nullable(),
  /** The engine's calls of the last 24 hours. */
  lastDay: callsSchema,
  lastError: lastErrorSchema.nullable(),
  /** It failed this often in a row, on the connections that the caller may use; until then it is left alone. */
  circuit: z.object({ failures: z.number(), openUntil: z.iso.datetime().nullable() }).nullable(),
  /** It takes its time, on the connections that the caller may use. */
  late: lateSchema.nullable(),
  createdAt: z.iso.datetime(),
});
export type Server = z.infer<typeof serverSchema>;

/** One step of a test: what was tried, how it went, how long it took. */
const checkStepSchema = z.object({
  /** `sign_in`: there is a connection to call on (OAuth). `identify`: it answers as an MCP server. `tools`: it lists them. */
  step: z.enum(["sign_in", "identify", "tools"]),
  ok: z.boolean(),
  ms: z.number().nullable(),
  message: z.string().nullable(),
});
export type CheckStep = z.infer<typeof checkStepSchema>;

export const checkedServerSchema = serverSchema.extend({ steps: z.array(checkStepSchema) });
export type CheckedServer = z.infer<typeof checkedServerSchema>;

/** What the server was seen to do (traits.ts says what each means); null: not known yet. */
const serverTraitsSchema = z.object({
  reissues: z.boolean().nullable(),
  questionLifetimeMs: z.number().nullable(),
  listsTasks: z.boolean().nullable(),
  notifies: z.boolean().nullable(),
  namesTask: z.boolean().nullable(),
  sessionLimit: z.number().nullable(),
});
export type ServerTraits = z.infer<typeof serverTraitsSchema>;

export const serverDetailSchema = serverSchema.extend({
  traits: serverTraitsSchema,
  /** All of its tools say that a repeated call with the same key is the same task; null: some, or none is known. */
  honoursIdempotencyKey: z.boolean().nullable(),
  /** The last lines that a command server wrote to its stderr, for operators. Untrusted text. */
  log: z.object({ tail: z.string(), at: z.iso.datetime() }).nullable(),
});
export type ServerDetail = z.infer<typeof serverDetailSchema>;

/** What a tool says of itself: by this people and programs decide to use it, and how. */
export const toolTextSchema = z.object({
  title: z.string().nullable(),
  description: z.string().nullable(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.record(z.string(), z.unknown()).nullable(),
});
export type ToolText = z.infer<typeof toolTextSchema>;

/** As a server lists it, and as it is kept. */
export const listedToolSchema = toolTextSchema.extend({
  name: z.string(),
  taskSupport: z.enum(["required", "optional", "forbidden"]),
});

export const toolSchema = listedToolSchema.extend({
  /** SHA-256 of title, description, inputSchema and annotations in canonical JSON: names what somebody has seen. */
  digest: z.string(),
  /** It says something else than when it was used last; null: it does not, or was never used. */
  change: z.object({ at: z.iso.datetime(), lastUsedAt: z.iso.datetime(), before: toolTextSchema }).nullable(),
});

/** One text of one tool. It said so from `since` to `until`, and may have before. */
export const toolVersionSchema = toolTextSchema.extend({
  tool: z.string(),
  digest: z.string(),
  firstSeenAt: z.iso.datetime(),
  since: z.iso.datetime(),
  /** Null: it says so now. */
  until: z.iso.datetime().nullable(),
  /** The last start by somebody who knew it; null: none. */
  usedAt: z.iso.datetime().nullable(),
  usedBy: actorSchema.nullable(),
});
export type ToolVersion = z.infer<typeof toolVersionSchema>;
export const toolVersionsQuerySchema = z.object({ tool: z.string().max(256).optional() });
export type ToolVersionsQuery = z.infer<typeof toolVersionsQuerySchema>;
export type ServerTool = z.infer<typeof toolSchema>;
