import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { underOneDeadline } from "./client.ts";
import { CAPABILITIES_CHARACTERS, TOOL_TEXT_CHARACTERS } from "./limits.ts";
import type { CallOptions, Era } from "./peer.ts";
import { initialize, Peer20251125 } from "./peer-2025-11-25.ts";
import { requestOf } from "./peer-2026-07-28.ts";
import { PeerError } from "./peer-error.ts";
import { resultOf, type Wire } from "./wire/wire.ts";

export interface Discovery {
  era: Era;
  capabilities: Record<string, unknown>;
  /** The server's description of itself, usually `{name, version}`. */
  serverInfo: Record<string, unknown> | null;
  instructions?: string;
}

const record = z.record(z.string(), z.unknown());
const discoverSchema = z.looseObject({
  supportedVersions: z.array(z.string()),
  capabilities: record.default({}),
  serverInfo: record.nullish().catch(null),
  instructions: z.string().nullish().catch(null),
  _meta: record.nullish().catch(null),
});
const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/** Errors that end discovery, since the other era would fail the same way. */
const FINAL = new Set<PeerError["code"]>(["unauthorized", "rate_limited"]);

/**
 * Detects a server's era, newest first, and its self-description. Leaves no session open. Throws PeerError;
 * `not_supported` if the server does not speak the configured era.
 */
export async function discover(
  wire: Wire,
  eraSetting: Era | "auto",
  options: CallOptions,
): Promise<Discovery> {
  const next = underOneDeadline(options);
  if (eraSetting === "2025-11-25") return discover20251125(wire, next);
  // Older commands may ignore an unknown method, or exit.
  const mayBeSilent = wire.kind === "stdio" && eraSetting === "auto";
  try {
    return await discover20260728(wire, {
      ...next(),
      ...(mayBeSilent && { deadlineMs: options.deadlineMs / 2 }),
    });
  } catch (error) {
    if (!(error instanceof PeerError) || eraSetting === "2026-07-28") throw error;
    // Servers of 2025-11-25 answer the unknown method with 400, 404, 405, -32601, a page of HTML or worse.
    const isAnswer = error.reached === "yes" && !FINAL.has(error.code);
    const isOldWay = mayBeSilent && error.reached === "maybe";
    if (!isAnswer && !isOldWay) throw error;
    // A command that exited may only be restarted after a pause.
    return discover20251125(wire, next).catch(async (again: unknown) => {
      const pauseMs = again instanceof PeerError && again.reached === "no" ? again.retryAfterMs : null;
      if (!isOldWay || pauseMs === null || pauseMs >= next().deadlineMs) throw again;
      await sleep(pauseMs);
      return discover20251125(wire, next);
    });
  }
}

async function discover20260728(wire: Wire, options: CallOptions): Promise<Discovery> {
  const next = underOneDeadline(options);
  const ask = () => resultOf(wire, requestOf("server/discover", {}), discoverSchema, next());
  // Retries once if the server rejects the version that it lists as supported.
  const reply = await ask().catch((error: unknown) => (refusedItsOwn(error) ? ask() : Promise.reject(error)));
  if (!reply.supportedVersions.includes("2026-07-28")) {
    throw new PeerError("not_supported", "yes", "The server does not speak 2026-07-28");
  }
  const serverInfo = reply.serverInfo ?? record.safeParse(reply._meta?.[SERVER_INFO]).data;
  return toDiscovery("2026-07-28", { ...reply, serverInfo });
}

const UNSUPPORTED_VERSION = -32022;
const supportedSchema = z.looseObject({ supported: z.array(z.string()) });

function refusedItsOwn(error: unknown): boolean {
  if (!(error instanceof PeerError) || error.rpcError?.code !== UNSUPPORTED_VERSION) return false;
  return supportedSchema.safeParse(error.rpcError.data).data?.supported.includes("2026-07-28") ?? false;
}

async function discover20251125(wire: Wire, next: () => CallOptions): Promise<Discovery> {
  const { session, server } = await initialize(wire, next());
  await new Peer20251125(wire).close(session, next());
  return toDiscovery("2025-11-25", server);
}

function toDiscovery(
  era: Era,
  { capabilities, serverInfo, instructions }: Partial<z.infer<typeof discoverSchema>>,
): Discovery {
  return {
    era,
    capabilities: isLarge(capabilities) ? {} : (capabilities ?? {}),
    serverInfo: isLarge(serverInfo) ? null : (serverInfo ?? null),
    ...(instructions ? { instructions: instructions.slice(0, TOOL_TEXT_CHARACTERS) } : {}),
  };
}

const isLarge = (value: unknown) => (JSON.stringify(value)?.length ?? 0) > CAPABILITIES_CHARACTERS;
