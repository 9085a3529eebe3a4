/**
 * Bulk answers and undos. Each request is answered or undone in its own transaction, with the guards of a
 * single answer, so a crash keeps the items recorded before it; repeating the call reports those as
 * `already_answered`.
 */

import type { Principal } from "../../access/principal.ts";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import type { Database, Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import {
  type BulkAnswerInput,
  type BulkAnswerResult,
  type BulkUndoResult,
  type Refused,
  refusedSchema,
} from "../request-input-schema.ts";
import { ALIKE } from "../request-row.ts";
import { NO_PROOF, type Proof } from "../voting/vote-writes.ts";
import { checkedContent } from "./answer-content.ts";
import { type Outcome, recordDecision, undoAnswer } from "./answer-writes.ts";

/**
 * Records the same answer for each item. Throws `not_alike`, or `invalid_content` for content that no item's
 * form takes, and then records nothing. Any other refusal is the result of its item.
 */
export async function answerMany(
  organizationId: string,
  database: Database,
  principal: Principal,
  { items, ...answer }: BulkAnswerInput,
  proof: Proof = NO_PROOF,
): Promise<BulkAnswerResult> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => database.withOrganization(organizationId, work);
  const ids = items.map((item) => item.id);
  await within((tx) => refuseUnlessAlike(tx, principal, ids, answer));
  const results: BulkAnswerResult["results"] = [];
  for (const { id, questionHash } of items) {
    let status: Outcome = "recorded";
    const record = async (tx: Tx) => {
      const input = { ...answer, questionHash };
      status = (await recordDecision(tx, principal, id, input, undefined, proof)).outcome;
    };
    results.push((await refusalOf(id, within(record))) ?? { id, status });
  }
  return { results };
}

/** Takes back answers that are still held. */
export async function undoMany(
  organizationId: string,
  database: Database,
  principal: Principal,
  ids: string[],
): Promise<BulkUndoResult> {
  const results: BulkUndoResult["results"] = [];
  for (const id of ids) {
    const undo = (tx: Tx) => undoAnswer(tx, principal, id);
    const refusal = await refusalOf(id, database.withOrganization(organizationId, undo));
    results.push(refusal ?? { id, status: "undone" });
  }
  return { results };
}

/** Refuses requests that are not alike. Invisible ones are ignored here and refused item by item. */
async function refuseUnlessAlike(
  tx: Tx,
  principal: Principal,
  ids: string[],
  answer: Omit<BulkAnswerInput, "items">,
): Promise<void> {
  const rows = await tx.$queryRaw<AlikeRow[]>`
    SELECT r.id, r.mode, CASE WHEN row_number() OVER (ORDER BY r.id) = 1 THEN r.form END AS form, ${ALIKE} AS alike
    FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ANY(${ids}::uuid[]) AND ${visibleTask(principal)}`;
  const digests = rows.map((row) => row.alike);
  if (digests.includes(null))
    throw notAlike("One of these can only be answered by itself. Nothing was recorded.");
  if (new Set(digests).size > 1)
    throw notAlike(
      "These requests are from different servers or tools, or ask for different things. Nothing was recorded.",
    );
  // They are alike, so that one form stands for all; each may be long.
  const read = rows.find(({ form }) => form !== null);
  if (read) checkedContent(read, answer);
}

interface AlikeRow {
  mode: "form" | "url";
  form: unknown;
  alike: string | null;
}

function notAlike(detail: string): AppError {
  return new AppError("not_alike", detail);
}

/** Returns why one item was refused, or null if it succeeded. Never throws, so the other items go on. */
async function refusalOf(id: string, done: Promise<void>): Promise<Refused | null> {
  try {
    await done;
    return null;
  } catch (error) {
    const refused = { id, status: "refused" as const };
    if (error instanceof AppError) {
      const { by, at } = error.extra ?? {};
      return { ...refused, code: error.code, detail: error.detail, ...whoAndWhen(by, at) };
    }
    if (isDatabaseDown(error)) return { ...refused, code: "database_unavailable", detail: UNKNOWN };
    log.error({ err: error, inputRequestId: id }, "An item of a bulk call failed");
    return { ...refused, code: "internal", detail: "Something went wrong in Intray. Its log has the error." };
  }
}

/** The connection may have dropped after the commit. */
const UNKNOWN = "The database could not be reached: it may or may not have been recorded.";

function whoAndWhen(by: unknown, at: unknown): Pick<Refused, "by" | "at"> {
  const who = refusedSchema.shape.by.unwrap().safeParse(by);
  return who.success && typeof at === "string" ? { by: who.data, at } : {};
}
