/** Asks a server for its era, capabilities and tools, outside of any transaction, and stores what was found. */

import { storable, type Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { publishChange } from "../base/live-updates.ts";
import type { Network } from "../base/network/network.ts";
import { appendEvents, type NewEvent } from "../history/events/event-writes.ts";
import { createPeer, openSession, openWire } from "../mcp/connect.ts";
import { discover } from "../mcp/discover.ts";
import { discoverAuthorization } from "../mcp/oauth/oauth-discovery.ts";
import { OAuthRefused } from "../mcp/oauth/oauth-fetch.ts";
import type { Endpoint, Era, ListOptions, Peer, Tool } from "../mcp/peer.ts";
import { NOT_REACHED, PeerError, SignInNeeded } from "../mcp/peer-error.ts";
import { recordHealth } from "./health.ts";
import {
  type CheckStep,
  type EraSetting,
  type Health,
  type ProbedAddress,
  type ProbeInput,
  serverName,
} from "./server-schema.ts";
import { recordTools } from "./tool-changes.ts";
import { mayPutTasks, type Traits } from "./traits.ts";

/** Long enough for a cold start behind a proxy, short enough for a person who waits for the form. */
const CALL_DEADLINE_MS = 10_000;
/** Longer, since a command may have to be downloaded and compiled first. */
const COMMAND_DEADLINE_MS = 30_000;

interface Found {
  era: Era;
  capabilities: Record<string, unknown>;
  tools: Tool[];
  /** The server's description of itself, usually `{name, title, version}`. Untrusted. */
  serverInfo: Record<string, unknown> | null;
}

export interface Probe {
  /** In order, up to the first failed step. */
  steps: CheckStep[];
  health: { state: Health["state"]; message: string | null };
  /** Null if the server could not be asked. */
  found: Found | null;
}

/**
 * Probes a server. Throws `address_not_allowed` for an address that is refused by its text; reports every other
 * failure as a result. Stops a command at the end of the probe. `onLog` gets the lines of a command's stderr. `traits`: what is known of the server, which may offer
 * tools only where it may put its questions as tasks.
 */
export async function probe(
  endpoint: Endpoint,
  eraSetting: EraSetting,
  network: Network,
  onLog?: (line: string, startedAt: Date) => void,
  traits: Traits = {},
): Promise<Probe> {
  const options = { deadlineMs: "url" in endpoint ? CALL_DEADLINE_MS : COMMAND_DEADLINE_MS };
  const wire = openWire(endpoint, network, { onLog });
  const steps: CheckStep[] = [];
  let begun = performance.now();
  const ended = (ok: boolean, message: string | null) => {
    const step = steps.length === 0 ? "identify" : "tools";
    steps.push({ step, ok, ms: Math.round(performance.now() - begun), message });
    begun = performance.now();
  };
  try {
    const { era, capabilities, serverInfo } = await discover(wire, eraSetting, options);
    ended(true, `Speaks ${era}`);
    let leftOut = 0;
    const onLeftOut = (count: number) => {
      leftOut = count;
    };
    const tools = await listTools(createPeer(era, wire), traits, { ...options, onLeftOut });
    const counted = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
    ended(true, leftOut === 0 ? counted : `${counted}, ${leftOut} left out: not as the protocol has them`);
    return { health: { state: "ok", message: null }, found: { era, capabilities, tools, serverInfo }, steps };
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    if (error.code === "address_not_allowed")
      throw new AppError("address_not_allowed", NOT_REACHED, { cause: error });
    const health = judge(error);
    ended(false, health.message);
    return { health, found: null, steps };
  } finally {
    await wire.end();
  }
}

async function listTools(peer: Peer, traits: Traits, options: ListOptions): Promise<Tool[]> {
  const { session } = await openSession(peer, mayPutTasks(traits), options);
  try {
    return await peer.listTools(session, options);
  } catch (error) {
    // Servers without tools may lack the method.
    if (error instanceof PeerError && error.code === "not_supported") return [];
    throw error;
  } finally {
    await peer.close(session, options);
  }
}

/** Describes a failure in Intray's own words. The server's text could reveal private networks. */
export function judge(error: PeerError): Probe["health"] {
  if (error instanceof SignInNeeded) return { state: "unauthorized", message: error.message };
  if (error.code === "unauthorized")
    return { state: "unauthorized", message: "The server refuses our credentials." };
  if (error.code === "not_supported")
    return {
      state: "failing",
      message: "The server does not speak a version of MCP that Intray speaks, or not the one that is set.",
    };
  if (error.code === "rate_limited") return { state: "failing", message: "The server asks us to wait." };
  if (error.code === "timeout")
    return { state: "unreachable", message: "The server does not answer in time." };
  if (error.redirectsTo !== null)
    return { state: "failing", message: `The server redirects to ${error.redirectsTo}; set that address.` };
  if (error.reached === "yes")
    return { state: "failing", message: "The server does not answer as an MCP server." };
  return { state: "unreachable", message: NOT_REACHED };
}

/**
 * Tries an address before a server is registered there: what it speaks, and what it wants to sign in with.
 * Stores nothing. Throws `address_not_allowed`; reports every other failure as a result.
 */
export async function probeAddress(network: Network, { url, era, auth }: ProbeInput): Promise<ProbedAddress> {
  const headers: Record<string, string> =
    auth.kind === "bearer" ? { authorization: `Bearer ${auth.token}` } : {};
  const { health, steps, found } = await probe({ url, headers }, era, network);
  return {
    health,
    steps,
    era: found?.era ?? null,
    tools: found?.tools.length ?? null,
    name: ownNameOf(found),
    signIn: found
      ? { kind: "none" }
      : health.state === "unauthorized"
        ? await neededSignIn(url, network)
        : null,
  };
}

async function neededSignIn(url: string, network: Network): Promise<ProbedAddress["signIn"]> {
  try {
    const { metadata } = await discoverAuthorization(url, network);
    return { kind: "oauth", host: hostOf(metadata.issuer), refusal: null };
  } catch (error) {
    if (!(error instanceof OAuthRefused)) throw error;
    // Without a trace of an authorization server only a fixed token is left.
    if (error.code === "no_authorization_server") return { kind: "bearer" };
    return { kind: "oauth", host: null, refusal: error.code };
  }
}

function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}

/** The server's name for itself, which an admin sees and may change. Null if it has none that is usable. */
export function ownNameOf(found: Found | null): string | null {
  const said = [found?.serverInfo?.title, found?.serverInfo?.name];
  return said.flatMap((name) => serverName.safeParse(name).data ?? [])[0] ?? null;
}

/** Stores the probe result of an existing server. Values that the probe could not determine stay. */
export async function recordProbe(tx: Tx, serverId: string, probed: Probe): Promise<void> {
  const events: NewEvent[] = [];
  if (probed.found) {
    const { count } = await tx.server.updateMany({
      where: { organizationId: tx.organizationId, id: serverId, removedAt: null },
      data: whatWasFound(probed),
    });
    if (count === 1) events.push(...(await recordTools(tx, serverId, probed.found.tools)));
    await publishChange(tx, "server", [serverId]);
  }
  await recordHealth(tx, serverId, probed.health);
  await appendEvents(tx, events);
}

export function whatWasFound({ found }: Probe) {
  if (!found) return {};
  return {
    era: found.era,
    capabilities: storable(found.capabilities),
    tools: storable(found.tools),
    toolsCheckedAt: new Date(),
  };
}
