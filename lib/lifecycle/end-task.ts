/** The end of a task, whoever brings it: the engine, an approval that nobody gave, or a person who settled a question. */
import type { Person } from "../access/access-schema.ts";
import { contentOf } from "../base/content/content-keys.ts";
import { storable, type Tx } from "../base/db/db.ts";
import { publishChange } from "../base/live-updates.ts";
import { appendEvents, ENGINE_ACTOR } from "../history/events/event-writes.ts";
import { settleAtEnd } from "../requests/capture/close-request.ts";
import { outcomeOf } from "../tasks/outcome.ts";
import { endInRace, isSuccess } from "./races/race-writes.ts";
import { queueRetry } from "./retry-task.ts";
import { storedError, text } from "./task-write-helpers.ts";

/** The end of a task, as reported by the server or decided here. */
export interface TaskEnd {
  state: "completed" | "failed" | "cancelled" | "lost" | "expired";
  statusMessage?: string | null;
  result?: unknown;
  /** The result in a few words; without it, as the result says. */
  outcome?: string;
  /** `by`, `reason`: who declined the call, and what they said. `revise`: they ask for another call. */
  error?: { code: string; message: string; by?: Person; reason?: string; revise?: boolean } | null;
  /** How the approval in front of the call ended, of a task that was never started. */
  gate?: "declined" | "expired" | "withdrawn";
  /** The server's state, if it differs. */
  serverState?: string | null;
  /** How long to watch the server's state after the end, in ms; for a task that continues there. */
  watchForMs?: number;
}

/**
 * Ends a task and settles its requests. Returns false, and writes nothing, if the task has ended, is `start_unknown`, or is queued
 * without an approval that it waits for.
 */
export async function endTask(tx: Tx, taskId: string, end: TaskEnd): Promise<boolean> {
  const { outcome: said, isError } = outcomeOf(end.result);
  const outcome = end.outcome ?? said;
  const content = contentOf(tx);
  const result =
    end.result === undefined
      ? null
      : JSON.stringify(content.json("task.result", taskId, storable(end.result)));
  const error = end.error ? storedError(content, taskId, end.error) : null;
  const statusMessage = content.text("task.status_message", taskId, text(end.statusMessage ?? null));
  const gate = end.gate ?? null;
  const [ended] = await tx.$queryRaw<{ raceId: string | null; mayRetry: boolean }[]>`
    UPDATE task SET state = ${end.state}, finished_at = now(), changed_at = now(),
      watched = ${end.watchForMs !== undefined}, watch_until = now() + ${end.watchForMs ?? null}::float8 * interval '1 ms',
      status_message = coalesce(${statusMessage}, status_message), progress = NULL,
      outcome = ${content.text("task.outcome", taskId, text(outcome))}, outcome_is_error = ${isError}, result = ${result}::json,
      error = ${error}::jsonb, server_state = ${end.serverState ?? null}, gate = coalesce(${gate}, gate)
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid
      AND (state IN ('starting', 'working', 'input_required')
        OR (state = 'queued' AND gate = 'waiting' AND ${gate}::text IS NOT NULL))
    RETURNING race_id AS "raceId", attempt < attempts AS "mayRetry"`;
  if (!ended) return false;
  const settled = await settleAtEnd(tx, taskId, end.state);
  const succeeded = isSuccess({ ...end, isError });
  const decided = await endInRace(tx, taskId, { raceId: ended.raceId, succeeded });
  const retried = ended.mayRetry ? await queueRetry(tx, taskId) : [];
  await publishChange(tx, "task", [taskId]);
  await appendEvents(tx, [
    ...settled,
    {
      type: `task.${end.state}`,
      actor: ENGINE_ACTOR,
      taskId,
      data: {
        outcome,
        isError,
        ...(end.error && { code: end.error.code, message: end.error.message }),
        ...(end.serverState && { serverState: end.serverState }),
      },
    },
    ...decided,
    ...retried,
  ]);
  return true;
}
