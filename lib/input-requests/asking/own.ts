/**
 * Questions of Intray's own, which no server puts: made in the transaction that makes their task, and settled without a
 * word to anybody (lib/human-tasks/settle.ts). People answer, undo and assign them as any other.
 */
import type { Actor } from "../../access/schema.ts";
import { contentOf } from "../../base/db/content-keys.ts";
import { Prisma, storableText, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { NewEvent } from "../../events/transitions.ts";
import { publishChange } from "../../live-updates/transitions.ts";
import type { Amount } from "../../text/amount.ts";
import { columnsOf, EVENT_CHARACTERS } from "../capture/question.ts";

export interface OwnQuestion {
  task: { id: string; connectionId: string; tool: string; arguments: Record<string, unknown> };
  /** Names the question among those of its task. */
  key: string;
  message: string;
  /** A form of the elicitation subset. Null: there is nothing to fill in, only to approve or decline. */
  form: Record<string, unknown> | null;
  /** Undefined: as the arguments tell. */
  amount?: Amount | null;
  /** The question is over then, unanswered. Null: it has no end. */
  expiresAt: Date | null;
  /** Who asks. */
  actor: Actor;
}

/** Stores a question of a task that this transaction has made. Returns its id and its line of history. */
export async function insertOwnQuestion(
  organizationId: string,
  tx: Tx,
  { task, key, message, form, amount, expiresAt, actor }: OwnQuestion,
): Promise<{ id: string; event: NewEvent }> {
  const id = uuidv7();
  const requestedSchema = form ?? { type: "object", properties: {} };
  const question = { mode: "form", message, requestedSchema, url: null } as const;
  const columns = columnsOf({ ...task, destructive: null }, question);
  await tx.inputRequest.create({
    data: {
      organizationId,
      id,
      taskId: task.id,
      connectionId: task.connectionId,
      key,
      origin: "intray",
      state: "open",
      ...columns,
      requestedSchema: columns.requestedSchema ?? Prisma.DbNull,
      ...(amount !== undefined && { amount: amount?.value ?? null, currency: amount?.currency ?? null }),
      expiresAt,
    },
  });
  await publishChange(organizationId, tx, "input_request", [id]);
  const data = {
    message: storableText(message).slice(0, EVENT_CHARACTERS),
    questionHash: contentOf(tx).hash(columns.questionHash),
    askedAgain: false,
  };
  return { id, event: { type: "request.opened", actor, taskId: task.id, inputRequestId: id, data } };
}
