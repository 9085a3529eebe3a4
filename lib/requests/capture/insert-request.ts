/** Stores a new request, with the ask that it came by, in one statement. */
import { contentOf } from "../../base/content/content-keys.ts";
import { sealWrite } from "../../base/content/content-writes.ts";
import { Prisma, storable, storableText, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Approval } from "../../policy/judge.ts";

export interface NewRequest {
  id: string;
  taskId: string;
  connectionId: string;
  key: string;
  replaces: string | null;
  askedAgain: boolean;
  /** Its text changes again and again: this is when it last did. */
  isRestless: boolean;
  endsAt: Date | null;
  /** The question as it is shown; null members stand for SQL's null. */
  shown: ShownColumns;
  /** Who has to agree; null: any one approver. */
  approval: Approval | null;
}

export interface ShownColumns {
  mode: string;
  message: string;
  requestedSchema: Prisma.InputJsonValue | null;
  url: string | null;
  form: Prisma.InputJsonValue;
  questionHash: string;
  judgedHash: string;
  amount: number | null;
  currency: string | null;
  warnings: string[];
  dueAt: Date | null;
}

/** `askKey`: the server's key (2026-07-28), by which it was asked; null: the caller stores the ask. */
export async function insertRequest(
  tx: Tx,
  { id, taskId, connectionId, replaces, askedAgain, isRestless, endsAt, approval, ...its }: NewRequest,
  askKey: string | null,
): Promise<void> {
  const shown = sealed(tx, id, its.shown);
  const request = Prisma.sql`INSERT INTO input_request (organization_id, id, task_id, connection_id, key, state, mode,
      message, requested_schema, url, form, question_hash, judged_hash, amount, currency, private_amount, warnings, due_at,
      replaces, asked_again, expires_at, reworded_at, approval)
    VALUES (${tx.organizationId}::uuid, ${id}::uuid, ${taskId}::uuid, ${connectionId}::uuid, ${storableText(its.key)}, 'open',
      ${shown.mode}, ${shown.message}, ${json(shown.requestedSchema)}::json, ${shown.url}, ${json(shown.form)}::jsonb,
      ${shown.questionHash}, ${shown.judgedHash}, ${shown.amount}::float8, ${shown.currency}, ${shown.privateAmount ?? null},
      ${shown.warnings}::text[], ${time(shown.dueAt)}::timestamptz, ${replaces}::uuid, ${askedAgain}, ${time(endsAt)}::timestamptz,
      CASE WHEN ${isRestless} THEN now() END, ${json(approval && storable(approval))}::jsonb)`;
  if (askKey === null) await tx.$executeRaw(request);
  else
    await tx.$executeRaw`WITH opened AS (${request})
      INSERT INTO ask (organization_id, id, input_request_id, task_id, key)
      VALUES (${tx.organizationId}::uuid, ${uuidv7()}::uuid, ${id}::uuid, ${taskId}::uuid, ${askKey})`;
}

function sealed(tx: Tx, id: string, shown: ShownColumns): ShownColumns & { privateAmount?: string | null } {
  const { data } = sealWrite(contentOf(tx), "inputRequest", { data: { id, ...shown } }) as {
    data: ShownColumns & { privateAmount?: string | null };
  };
  return data;
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** With its zone in it, whatever the session's is. */
function time(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}
