/** Probing servers and fetching tools. Never call a server inside a transaction. */

import { isPerson, type Principal } from "../access/principal.ts";
import { AppError } from "../base/errors.ts";
import type { Services } from "../base/process/services.ts";
import type { Endpoint, Tool } from "../mcp/peer.ts";
import { NOT_REACHED } from "../mcp/peer-error.ts";
import { addressFor, endpointOf } from "./connections/connection-reads.ts";
import { recordLogTail } from "./connections/connection-writes.ts";
import { revokeAll } from "./connections/disconnect.ts";
import { LogTail } from "./connections/log-tail.ts";
import { EntryGone } from "./operator-file.ts";
import { type Probe, probe, recordProbe } from "./probe.ts";
import { type KeptTools, readKeptTools, readServer, readTraits } from "./server-reads.ts";
import type {
  CheckedServer,
  CheckStep,
  CreateServerInput,
  Server,
  UpdateServerInput,
} from "./server-schema.ts";
import { createServer, removeServer, updateServer } from "./server-writes.ts";

/** Tools seen within this time are not fetched again. */
const TOOLS_FRESH_MS = 5 * 60_000;

/** Probes and registers a server. Refuses a forbidden address (`address_not_allowed`), not a dead server. */
export async function addServer(
  services: Services,
  principal: Principal,
  input: CreateServerInput,
): Promise<Server> {
  const headers: Record<string, string> =
    input.auth.kind === "bearer" ? { authorization: `Bearer ${input.auth.token}` } : {};
  const asked = await probe({ url: input.url, headers }, input.era, services.network);
  const { organizationId } = principal;
  const probed = input.auth.kind === "oauth" ? notConnected(asked) : asked;
  return services.db.withOrganization(organizationId, async (tx) => {
    const id = await createServer(tx, principal, services.seal, input, probed);
    return readServer(tx, principal, id);
  });
}

/** Changes a server, and probes again if the change affects calls. */
export async function changeServer(
  services: Services,
  principal: Principal,
  serverId: string,
  input: UpdateServerInput,
): Promise<Server> {
  const { organizationId } = principal;
  const { changed, forgotten } = await services.db.withOrganization(organizationId, async (tx) => ({
    forgotten: await updateServer(tx, principal, services.seal, serverId, input),
    changed: await readServer(tx, principal, serverId),
  }));
  await revokeAll(services.network, forgotten);
  if (!input.era && !input.auth) return changed;
  const { steps: _, ...server } = await checkServer(services, principal, serverId);
  return server;
}

/** Removes a server and revokes its grants at the authorization server. Throws like `removeServer`. */
export async function dropServer(services: Services, principal: Principal, serverId: string): Promise<void> {
  const { organizationId } = principal;
  const forgotten = await services.db.withOrganization(organizationId, (tx) =>
    removeServer(tx, principal, services.seal, serverId),
  );
  await revokeAll(services.network, forgotten);
}

/** Probes a server and stores the result. Throws `not_found`. */
export async function checkServer(
  services: Services,
  principal: Principal,
  serverId: string,
): Promise<CheckedServer> {
  const { organizationId } = principal;
  const { steps } = await probeAndRecord(services, principal, serverId);
  const server = await services.db.withOrganization(organizationId, (tx) =>
    readServer(tx, principal, serverId),
  );
  return { ...server, steps: server.authKind === "oauth" ? [signIn(server), ...steps] : steps };
}

function signIn({ startsOn }: Server): CheckStep {
  const words = { own: "With your own connection", shared: "With the shared connection" };
  return startsOn === null
    ? { step: "sign_in", ok: false, ms: null, message: "Nobody is signed in; asked without a token" }
    : { step: "sign_in", ok: true, ms: null, message: words[startsOn] };
}

/** `checkedAt`: when the server listed these tools; null if it never has, and `tools` is empty. */
export interface SeenTools {
  tools: Tool[];
  checkedAt: Date | null;
}

/**
 * Returns a server's tools, refreshed if old. Returns the stored ones while the server is unreachable or
 * paused. Throws `server_unavailable`, `server_paused`. `asSeen`: returns the stored ones without a call.
 */
export async function toolsOf(
  services: Services,
  principal: Principal,
  serverId: string,
  asSeen: boolean,
): Promise<SeenTools> {
  const kept = await keptTools(services, principal, serverId);
  const { tools, checkedAt } = kept;
  if (asSeen) return { tools: tools ?? [], checkedAt };
  if (tools && (kept.isPaused || !isOld(kept))) return { tools, checkedAt };
  const fresh = await askForTools(services, principal, serverId, kept);
  if ("tools" in fresh) return { tools: fresh.tools, checkedAt: new Date() };
  if (tools) return { tools, checkedAt };
  throw new AppError("server_unavailable", fresh.why);
}

/**
 * Returns one tool as last seen. Asks the server for an unknown tool; for a person also if the tools are old
 * and the server is healthy, so that people see a change before they use the tool. Throws `unknown_tool`,
 * `server_unavailable`, `server_paused`.
 */
export async function toolOf(
  services: Services,
  principal: Principal,
  serverId: string,
  name: string,
): Promise<Tool> {
  const kept = await keptTools(services, principal, serverId);
  const usable = usableTool(principal, kept, name);
  if (usable) return usable;
  const known = named(kept.tools, name);
  const fresh = await askForTools(services, principal, serverId, kept);
  if ("why" in fresh) {
    if (known) return known;
    throw new AppError("server_unavailable", fresh.why);
  }
  const tool = named(fresh.tools, name);
  if (!tool)
    throw new AppError("unknown_tool", "The server has no such tool.", {
      errors: [{ field: "tool", message: "The server has no such tool" }],
    });
  return tool;
}

/** Returns the tool as last seen, or null if the server has to be asked first (see `toolOf`). */
export function usableTool(principal: Principal, kept: KeptTools, name: string): Tool | null {
  const isForPerson = isPerson(principal) && isOld(kept) && kept.isWell && !kept.isPaused;
  return isForPerson ? null : (named(kept.tools, name) ?? null);
}

function named(tools: Tool[] | null, name: string): Tool | undefined {
  return tools?.find((tool) => tool.name === name);
}

const isOld = ({ checkedAt }: KeptTools) =>
  checkedAt === null || Date.now() - checkedAt.getTime() >= TOOLS_FRESH_MS;

function keptTools({ db }: Services, { organizationId }: Principal, serverId: string): Promise<KeptTools> {
  return db.withOrganization(organizationId, (tx) => readKeptTools(tx, serverId));
}

/** Fetches the server's current tools, with its recipes, or returns the reason for failure. Throws `server_paused`. */
async function askForTools(
  services: Services,
  principal: Principal,
  serverId: string,
  { isPaused }: KeptTools,
): Promise<{ tools: Tool[] } | { why: string }> {
  if (isPaused)
    throw new AppError("server_paused", "The server is paused. Its tools can be read after the pause.");
  const { found, health } = await probeAndRecord(services, principal, serverId);
  if (!found) return { why: health.message ?? NOT_REACHED };
  // As they were stored just now, with the server's recipes.
  return { tools: (await keptTools(services, principal, serverId)).tools ?? found.tools };
}

/** Probes on the connection that the principal's starts would use, or without a token if there is none. */
async function probeAndRecord(services: Services, principal: Principal, serverId: string): Promise<Probe> {
  const { organizationId } = principal;
  const { server, address, traits } = await services.db.withOrganization(organizationId, async (tx) => ({
    server: await readServer(tx, principal, serverId),
    traits: await readTraits(tx, serverId),
    address: await addressFor(tx, principal, serverId),
  }));
  const { eraSetting, startsOn } = server;
  const where = (): Endpoint =>
    startsOn === null ? { url: address.url, headers: {} } : endpointOf(address, services);
  const log = new LogTail();
  const onLog = (line: string, startedAt: Date) => log.add(line, startedAt);
  const ask = async () => probe(where(), eraSetting, services.network, onLog, traits);
  const isCommand = address.url.startsWith("command:");
  const asked = await (isCommand ? oneAtATime(address.connectionId, ask) : ask()).catch(notReached);
  const probed = startsOn === null ? notConnected(asked) : asked;
  const logs = log.take();
  await services.db.withOrganization(organizationId, async (tx) => {
    // The log of a command explains a failed start; after a success the log is of no interest.
    if (!probed.found && logs) await recordLogTail(tx, address.connectionId, logs);
    await recordProbe(tx, serverId, probed);
  });
  return probed;
}

const probing = new Map<string, Promise<Probe>>();

/** Runs one probe at a time per command; simultaneous callers share its result. */
function oneAtATime(key: string, run: () => Promise<Probe>): Promise<Probe> {
  const running = probing.get(key) ?? run().finally(() => probing.delete(key));
  probing.set(key, running);
  return running;
}

/** A server whose address is no longer allowed is a result of the probe, not a refusal of the call. */
function notReached(error: unknown): Probe {
  const isRefused = error instanceof AppError && error.code === "address_not_allowed";
  if (!isRefused && !(error instanceof EntryGone)) throw error;
  const message = isRefused ? NOT_REACHED : error.message;
  const steps: CheckStep[] = [{ step: "identify", ok: false, ms: null, message }];
  return { health: { state: "unreachable", message }, found: null, steps };
}

/** A server that refuses a call without a token works as expected. */
function notConnected(probed: Probe): Probe {
  if (probed.health.state !== "unauthorized") return probed;
  return { ...probed, health: { state: "unauthorized", message: "Nobody is signed in at this server yet." } };
}
