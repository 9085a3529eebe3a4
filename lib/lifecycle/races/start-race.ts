/** Starts the same call on several servers at once. */
import { createHash } from "node:crypto";
import type { Principal } from "../../access/principal.ts";
import { storable, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Services } from "../../base/process/services.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import type { Tool } from "../../mcp/peer.ts";
import { connectionFor } from "../../servers/connections/connection-reads.ts";
import { lockServer } from "../../servers/locks.ts";
import { lastUsed, noteToolUse } from "../../servers/tool-changes.ts";
import { findEarlier, storedDigest } from "../idempotency.ts";
import { startableTool } from "../start.ts";
import { refuseBeyondQuota } from "../start-quota.ts";
import { gateOf, insertTask } from "../task-writes.ts";
import { readRace } from "./race-reads.ts";
import type { Race } from "./race-schema.ts";

export interface RaceStart {
  starts: {
    serverId: string;
    tool: string;
    arguments: Record<string, unknown>;
    acknowledgeToolChange?: string | undefined;
  }[];
  ttlMs: number | null;
  idempotencyKey: string | null;
}

/**
 * Starts all tasks of a race or none. With a key that the caller used before, returns that race (`created: false`). Throws as
 * `startTask`; the fields of `invalid_arguments` are prefixed with their start, `starts[0].…`.
 */
export async function startRace(
  services: Services,
  principal: Principal,
  input: RaceStart,
): Promise<{ race: Race; created: boolean }> {
  const { organizationId } = principal;
  const tools: Tool[] = [];
  for (const [index, start] of input.starts.entries())
    tools.push(await startableTool(services, principal, start).catch(inStart(index)));
  return services.db.withOrganization(organizationId, async (tx) => {
    const earlier = await findEarlier(tx, "race", principal.actor, input.idempotencyKey, digestOf(input));
    const id = earlier ?? (await createRace(tx, principal, input, tools));
    return { race: await readRace(tx, principal, id), created: earlier === null };
  });
}

async function createRace(tx: Tx, principal: Principal, input: RaceStart, tools: Tool[]): Promise<string> {
  const id = uuidv7();
  const { actor } = principal;
  await tx.race.create({
    data: {
      organizationId: tx.organizationId,
      id,
      requestedBy: storable(actor),
      idempotencyKey: input.idempotencyKey,
      requestDigest: input.idempotencyKey === null ? null : storedDigest(tx, digestOf(input)),
    },
  });
  // A fixed order prevents deadlocks with other starts on these servers, and with their removal.
  for (const serverId of input.starts.map((start) => start.serverId).sort()) await lockServer(tx, serverId);
  const events: NewEvent[] = [];
  for (const [index, start] of input.starts.entries()) {
    const connection = await connectionFor(tx, principal, start.serverId).catch(inStart(index));
    const seen = start.acknowledgeToolChange ?? null;
    const tool = tools[index]!;
    const last = await lastUsed(tx, start.serverId, tool.name);
    await noteToolUse(tx, principal, start.serverId, tool, seen, last).catch(inStart(index));
    const task = {
      principal,
      server: { id: start.serverId },
      connectionId: connection.id,
      isPrivate: !connection.isShared,
      tool,
      arguments: start.arguments,
      ttlMs: input.ttlMs,
      idempotencyKey: null,
      restartOf: null,
      raceId: id,
    };
    const gate = await gateOf(tx, task).catch(inStart(index));
    events.push(...(await insertTask(tx, { ...task, gate })).events);
  }
  await refuseBeyondQuota(tx, principal, input.starts.length);
  const started: NewEvent = {
    type: "race.started",
    actor,
    data: { raceId: id, starts: input.starts.length },
  };
  await appendEvents(tx, [started, ...events]);
  return id;
}

function digestOf({ starts, ttlMs }: RaceStart): Buffer {
  const body = [starts.map((start) => [start.serverId, start.tool, start.arguments]), ttlMs];
  return createHash("sha256").update(JSON.stringify(body)).digest();
}

/** Returns a handler that adds a start's index to its AppError. */
function inStart(index: number) {
  return (error: unknown): never => {
    if (!(error instanceof AppError)) throw error;
    const { code, detail, errors = [], extra, retryAfterMs } = error;
    throw new AppError(code, detail, {
      errors: errors.map(({ field, message }) => ({
        field: `starts[${index}]${field ? `.${field}` : ""}`,
        message,
      })),
      extra: { ...extra, start: index },
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      cause: error,
    });
  };
}
