/** Asks a server for its tasks. Never calls the server inside a transaction. */

import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import type { Network } from "../../base/network/network.ts";
import type { Page } from "../../base/page.ts";
import type { Services } from "../../base/process/services.ts";
import { createPeer, openWire } from "../../mcp/connect.ts";
import { discover } from "../../mcp/discover.ts";
import type { Endpoint, Era, TaskList } from "../../mcp/peer.ts";
import { NOT_REACHED, PeerError, SignInNeeded } from "../../mcp/peer-error.ts";
import { sharedEndpoint } from "../../servers/connections/connection-reads.ts";
import { EntryGone } from "../../servers/operator-file.ts";
import { judge } from "../../servers/probe.ts";
import { NOBODY } from "../../servers/seen.ts";
import { readServer } from "../../servers/server-reads.ts";
import { learn } from "../../servers/server-writes.ts";
import type { FoundTask } from "../../tasks/found-task-schema.ts";
import { listFoundTasks } from "./found-task-reads.ts";
import { recordFound } from "./found-task-writes.ts";
import { sharedConnection } from "./guards.ts";

/** More tasks than people look through. */
const MOST_TASKS = 500;
const SHOWN = 200;
const CALL_DEADLINE_MS = 10_000;

/**
 * Asks the server for its tasks and returns the finds. Throws `not_found`, `cannot_list`, `server_paused`,
 * `server_unavailable`.
 */
export async function refreshFoundTasks(
  services: Services,
  organizationId: string,
  serverId: string,
): Promise<Page<FoundTask>> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => services.db.withOrganization(organizationId, work);
  const server = await within((tx) => readServer(tx, NOBODY, serverId));
  if (server.pause)
    throw new AppError("server_paused", "The server is paused. Its tasks can be read after the pause.");
  const list = await within((tx) => sharedEndpoint(services, tx, server))
    .then((endpoint) => listAt(endpoint, server.era, services.network))
    .catch(unavailable);
  await within(async (tx) => {
    await learn(tx, serverId, { listsTasks: list !== null });
    const id = await sharedConnection(tx, serverId);
    if (list) await recordFound(tx, services.seal, { id, serverId }, list);
  });
  if (!list) throw new AppError("cannot_list", "This server does not list its tasks.");
  return within((tx) => listFoundTasks(tx, serverId, { limit: SHOWN }));
}

async function listAt(endpoint: Endpoint, known: Era | null, network: Network): Promise<TaskList | null> {
  const options = { deadlineMs: CALL_DEADLINE_MS };
  const wire = openWire(endpoint, network);
  try {
    const era = known ?? (await discover(wire, "auto", options)).era;
    const peer = createPeer(era, wire);
    const session = await peer.open(options);
    try {
      return await peer.list(session, MOST_TASKS, options);
    } finally {
      await peer.close(session, options);
    }
  } finally {
    await wire.end();
  }
}

/** Throws `server_unavailable` in our own words, as for a probe. */
function unavailable(error: unknown): never {
  if (!(error instanceof PeerError)) throw error;
  const hasWords = error instanceof EntryGone || error instanceof SignInNeeded;
  const message = hasWords ? error.message : judge(error).message;
  throw new AppError("server_unavailable", message ?? NOT_REACHED, { cause: error });
}
