/** Starts a task for a person or a key: everything checked before it is queued. */

import { reachesTool } from "../access/key-scope.ts";
import type { Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import { AppError, notFound } from "../base/errors.ts";
import type { Services } from "../base/process/services.ts";
import { areQuick, validateArguments } from "../mcp/forms/arguments.ts";
import { judgeArguments, refuseArguments } from "../mcp/forms/refuse-arguments.ts";
import type { Tool } from "../mcp/peer.ts";
import { toolOf, usableTool } from "../servers/check.ts";
import { connectionFor } from "../servers/connections/connection-reads.ts";
import { lockKeptTools } from "../servers/server-reads.ts";
import { lastUsed, noteToolUse } from "../servers/tool-changes.ts";
import { readStart, readTask } from "../tasks/task-reads.ts";
import type { ConnectionKind, RestartTaskInput, Retry, TaskDetail } from "../tasks/task-schema.ts";
import { isRepeatable } from "../tasks/task-status.ts";
import { createTask } from "./task-writes.ts";

export interface Start {
  serverId: string;
  tool: string;
  arguments: Record<string, unknown>;
  ttlMs: number | null;
  idempotencyKey: string | null;
  restartOf: string | null;
  retry?: Retry | null;
  /** Digest of the tool as the caller has seen it, if the tool has changed since its last use. */
  acknowledgeToolChange?: string | undefined;
  /** The connection that the caller has agreed to, if it is another than that of the restarted task. */
  acknowledgeConnectionChange?: ConnectionKind | undefined;
  /** A call that may repeat an earlier one, whose task is then the answer, whatever has become of the tool since. */
  repeats?: {
    earlierTask(tx: Tx): Promise<string | null>;
    record(tx: Tx, taskId: string): Promise<void>;
  };
}

/**
 * Starts a task. Throws as `startableTool`, and `not_repeatable`, `tool_changed`, `connection_changed`,
 * `idempotency_mismatch`, `quota_exceeded`.
 */
export async function startTask(
  services: Services,
  principal: Principal,
  start: Start,
): Promise<{ task: TaskDetail; created: boolean; toolChangedAt: Date | null }> {
  if (!reachesTool(principal, start.serverId, start.tool)) throw notFound("server");
  const begun = await begin(services, principal, start, null);
  if (begun) return begun;
  // The server has to be asked for the tool first, or the arguments may take long to judge: neither holds a transaction.
  const tool = await startableTool(services, principal, start);
  return (await begin(services, principal, start, tool))!;
}

/**
 * Starts the task in one transaction. Returns null if `startable` is null, and the tool is not known well enough, or its
 * arguments may take long to judge.
 */
function begin(
  services: Services,
  principal: Principal,
  start: Start,
  startable: Tool | null,
): Promise<{ task: TaskDetail; created: boolean; toolChangedAt: Date | null } | null> {
  const { organizationId } = principal;
  return services.db.withOrganization(organizationId, async (tx) => {
    const earlier = await start.repeats?.earlierTask(tx);
    if (earlier) {
      const task = await readTask(tx, principal, earlier);
      return { task, created: false, toolChangedAt: null };
    }
    const kept = await lockKeptTools(tx, start.serverId);
    const connection = await connectionFor(tx, principal, start.serverId);
    const last = await lastUsed(tx, start.serverId, start.tool);
    const tool = startable ?? usableTool(principal, kept, start.tool);
    if (!tool) return null;
    if (!startable) {
      if (!areQuick(tool.inputSchema, start.arguments)) return null;
      refuseArguments(start.arguments, validateArguments(tool.inputSchema, start.arguments));
    }
    if (start.retry) refuseUnlessRepeatable(tool, start.retry);
    const seen = start.acknowledgeToolChange ?? null;
    const unseen = await noteToolUse(tx, principal, start.serverId, tool, seen, last);
    const newTask = {
      principal,
      server: { id: start.serverId },
      connectionId: connection.id,
      isPrivate: !connection.isShared,
      tool,
      arguments: start.arguments,
      ttlMs: start.ttlMs,
      idempotencyKey: start.idempotencyKey,
      restartOf: start.restartOf,
      acknowledgeConnectionChange: start.acknowledgeConnectionChange,
      retry: start.retry ?? null,
    };
    const { id, task, created } = await createTask(tx, newTask, (taskId) => readTask(tx, principal, taskId));
    if (created) await start.repeats?.record(tx, id);
    return { task, created, toolChangedAt: unseen?.changedAt ?? null };
  });
}

/**
 * Returns the tool if it takes these arguments and the principal may start tasks on its server. Throws
 * `not_found`, `not_connected`, `unknown_tool`, `server_unavailable`, `invalid_arguments`.
 */
export async function startableTool(
  services: Services,
  principal: Principal,
  start: Pick<Start, "serverId" | "tool" | "arguments">,
): Promise<Tool> {
  const { organizationId } = principal;
  // `startTask()` has asked this; races and bulk operations have not.
  if (!reachesTool(principal, start.serverId, start.tool)) throw notFound("server");
  // Checked first, because without a connection reading the tool would fail with another error.
  await services.db.withOrganization(organizationId, (tx) => connectionFor(tx, principal, start.serverId));
  const tool = await toolOf(services, principal, start.serverId, start.tool);
  refuseArguments(
    start.arguments,
    areQuick(tool.inputSchema, start.arguments)
      ? validateArguments(tool.inputSchema, start.arguments)
      : await judgeArguments(organizationId, tool.inputSchema, start.arguments),
  );
  return tool;
}

/** Throws `not_repeatable` unless the server declares the tool repeatable, or the caller insists. */
function refuseUnlessRepeatable(tool: Tool, retry: Retry): void {
  if (isRepeatable(tool.annotations) || retry.insist) return;
  const message =
    "The server does not say that this call can be repeated without harm. Insist if you know that it can.";
  throw new AppError("not_repeatable", message, { errors: [{ field: "retry.insist", message }] });
}

/**
 * Starts the same call again as a task of its own, optionally with other arguments. Throws as `startTask`.
 */
export async function restartTask(
  services: Services,
  principal: Principal,
  taskId: string,
  idempotencyKey: string | null,
  { arguments: changed, ...acknowledged }: RestartTaskInput = {},
): Promise<{ task: TaskDetail; created: boolean }> {
  const { organizationId } = principal;
  const was = await services.db.withOrganization(organizationId, (tx) => readStart(tx, principal, taskId));
  const restart = { arguments: changed ?? was.arguments, idempotencyKey, restartOf: taskId };
  return startTask(services, principal, { ...was, ...restart, ...acknowledged });
}
