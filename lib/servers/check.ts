/** What needs both a server and the database: probing, and tools that are fresh. Never a call inside a transaction. */
import { endpointOf, sharedAddress } from "../connections/queries.ts";
import { recordLogTail } from "../connections/transitions.ts";
import type { Database } from "../db.ts";
import { AppError } from "../errors.ts";
import type { Tool } from "../mcp/peer.ts";
import type { Network } from "../network.ts";
import type { Principal } from "../principal.ts";
import type { Seal } from "../seal.ts";
import { EntryGone } from "./operator-file.ts";
import { type Probe, probe } from "./probe.ts";
import { readKeptTools, readServer } from "./queries.ts";
import type { CreateServerInput, Server, UpdateServerInput } from "./schema.ts";
import { createServer, recordProbe, updateServer } from "./transitions.ts";

/** What these need of the process. */
export interface Means {
  db: Database;
  network: Network;
  seal: Seal;
}

/** Tools that were seen within this time are not asked for again. */
const TOOLS_FRESH_MS = 5 * 60_000;
/** So much of what a command that failed wrote to its stderr is kept. */
const LOG_CHARACTERS = 16_000;

/** Probes first: a refused address is not stored (`address_not_allowed`), a dead server is. */
export async function addServer(
  means: Means,
  principal: Principal,
  input: CreateServerInput,
): Promise<Server> {
  const headers: Record<string, string> =
    input.auth.kind === "bearer" ? { authorization: `Bearer ${input.auth.token}` } : {};
  const probed = await probe({ url: input.url, headers }, input.era, means.network);
  const { organizationId } = principal;
  return means.db.withOrganization(organizationId, async (tx) => {
    const id = await createServer(organizationId, tx, principal, means.seal, input, probed);
    return readServer(organizationId, tx, id);
  });
}

/** Probes again where the change could matter to the server. */
export async function changeServer(
  means: Means,
  principal: Principal,
  serverId: string,
  input: UpdateServerInput,
): Promise<Server> {
  const { organizationId } = principal;
  const changed = await means.db.withOrganization(organizationId, async (tx) => {
    await updateServer(organizationId, tx, principal, means.seal, serverId, input);
    return readServer(organizationId, tx, serverId);
  });
  return input.era || input.auth ? checkServer(means, organizationId, serverId) : changed;
}

/** Probes a server and stores what was found. Throws `not_found`. */
export async function checkServer(means: Means, organizationId: string, serverId: string): Promise<Server> {
  await probeAndRecord(means, organizationId, serverId);
  return means.db.withOrganization(organizationId, (tx) => readServer(organizationId, tx, serverId));
}

/** A server's tools, asked for again when they are old; the old ones while it is away. Throws `server_unavailable`. */
export async function toolsOf(means: Means, organizationId: string, serverId: string): Promise<Tool[]> {
  const kept = await means.db.withOrganization(organizationId, (tx) =>
    readKeptTools(organizationId, tx, serverId),
  );
  if (kept && Date.now() - kept.checkedAt.getTime() < TOOLS_FRESH_MS) return kept.tools;
  const { found, health } = await probeAndRecord(means, organizationId, serverId);
  if (found) return found.tools;
  if (kept) return kept.tools;
  throw new AppError("server_unavailable", health.message ?? "The server can't be reached.");
}

/** One tool, as last seen; the server is asked only when it was not. Throws `unknown_tool`, `server_unavailable`. */
export async function toolOf(
  means: Means,
  organizationId: string,
  serverId: string,
  name: string,
): Promise<Tool> {
  const kept = await means.db.withOrganization(organizationId, (tx) =>
    readKeptTools(organizationId, tx, serverId),
  );
  const known = kept?.tools.find((tool) => tool.name === name);
  if (known) return known;
  const { found, health } = await probeAndRecord(means, organizationId, serverId);
  if (!found) throw new AppError("server_unavailable", health.message ?? "The server can't be reached.");
  const tool = found.tools.find((candidate) => candidate.name === name);
  if (!tool)
    throw new AppError("unknown_tool", "The server has no such tool.", {
      errors: [{ field: "tool", message: "The server has no such tool" }],
    });
  return tool;
}

/** As the organization's shared connection. */
async function probeAndRecord(means: Means, organizationId: string, serverId: string): Promise<Probe> {
  const { eraSetting, address } = await means.db.withOrganization(organizationId, async (tx) => ({
    eraSetting: (await readServer(organizationId, tx, serverId)).eraSetting,
    address: await sharedAddress(organizationId, tx, serverId),
  }));
  let log = "";
  const onLog = (line: string) => {
    log = `${log}${line}\n`.slice(-LOG_CHARACTERS);
  };
  const ask = async () => probe(endpointOf(address, means.seal), eraSetting, means.network, onLog);
  const isCommand = address.url.startsWith("command:");
  const probed = await (isCommand ? oneAtATime(address.connectionId, ask) : ask()).catch(notReached);
  await means.db.withOrganization(organizationId, async (tx) => {
    // Why a command does not run stands there; what it says when it does is no news.
    if (!probed.found && log) await recordLogTail(organizationId, tx, address.connectionId, log);
    await recordProbe(organizationId, tx, serverId, probed);
  });
  return probed;
}

const probing = new Map<string, Promise<Probe>>();

/** However many ask for a command's tools at once, one child runs for them. */
function oneAtATime(key: string, run: () => Promise<Probe>): Promise<Probe> {
  const running = probing.get(key) ?? run().finally(() => probing.delete(key));
  probing.set(key, running);
  return running;
}

/** What was allowed once and is not any more is a finding about an existing server, not a refusal of the call. */
function notReached(error: unknown): Probe {
  const isRefused = error instanceof AppError && error.code === "address_not_allowed";
  if (!isRefused && !(error instanceof EntryGone)) throw error;
  const message = isRefused ? "Intray may not connect to the server's address." : error.message;
  return { health: { state: "unreachable", message }, found: null };
}
