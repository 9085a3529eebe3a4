/** Reads which documents a request has, as far as the principal may see it. Asks no server. */
import { createHash } from "node:crypto";
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { REPLY_BYTES } from "../../mcp/limits.ts";
import { requestedBy, visibleTask } from "../../tasks/visibility.ts";
import type { RequestDocument } from "./document-schema.ts";
import {
  distinct,
  documentsOfArguments,
  documentsOfMessage,
  documentsOfResult,
  type FoundDocument,
  idsIn,
  newBudget,
} from "./find.ts";

/** Tasks named in arguments whose results are looked at. */
const MOST_RELATED = 3;

/** What brings a document along: a task of this connection, whose server is asked for it. */
interface Source {
  connectionId: string;
  serverId: string;
  serverName: string;
}

export interface KnownDocument extends FoundDocument {
  id: string;
  /** The task that brings it along: the request's own, or a related one. */
  taskId: string;
  source: Source;
  /**
   * Whether the server may be asked now. Who asked for the document's task always may. Everybody else who sees the
   * request may while its task has a question to decide; of another task only on the shared connection, or where
   * the connection's owner brought that task's id along.
   */
  mayAsk: boolean;
}

/** Returns a request's documents with what they are read by. Throws `not_found`, also for invisible requests. */
export async function findDocuments(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
): Promise<KnownDocument[]> {
  const [row] = await tx.$queryRaw<RequestRow[]>`
    SELECT r.id, r.message, t.id AS "taskId", t.arguments, t.connection_id AS "connectionId", s.id AS "serverId",
      s.name AS "serverName", ${RESULT} AS result, ${SERVES_RESOURCES} AS "servesResources",
      t.requester_user_id AS "requesterUserId", ${requestedBy(principal)} AS "asksOneself",
      EXISTS (SELECT FROM input_request live WHERE live.organization_id = t.organization_id
        AND live.task_id = t.id AND live.state IN ('open', 'answered')) AS "isLive"
    FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
      JOIN server s ON s.organization_id = t.organization_id AND s.id = t.server_id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND ${visibleTask(principal)}`;
  if (!row) throw notFound("request");
  const budget = newBudget();
  const own = distinct([
    ...documentsOfArguments(row.arguments, row, budget),
    ...documentsOfMessage(row.message, row),
    ...documentsOfResult(row.result, budget),
  ]).map((found) => toKnown(found, row, row.taskId, "", row.asksOneself || row.isLive));
  const related = await relatedResults(tx, principal, row);
  return distinct([
    ...own,
    ...related.flatMap((task) =>
      documentsOfResult(task.result, budget).map((found) =>
        toKnown(found, task, task.id, task.id, task.mayAsk),
      ),
    ),
  ]);
}

/** The documents of arguments and message alone, for the request's own answer: no further read is needed. */
export function documentsOfQuestion(question: {
  arguments: unknown;
  message: string;
  servesResources: boolean;
  serverId: string;
  serverName: string;
}): RequestDocument[] {
  return distinct([
    ...documentsOfArguments(question.arguments, question),
    ...documentsOfMessage(question.message, question),
  ]).map((found) => toDocument(toKnown(found, { ...question, connectionId: "" }, "", "", false)));
}

export function toDocument(known: KnownDocument) {
  const { id, name, description, uri, mimeType, size, from, path, kept, source } = known;
  const server = { id: source.serverId, name: source.serverName };
  return { id, name, description, uri, mimeType, size, from, path, kept, server } satisfies RequestDocument;
}

/** `s` is the server. Resources are declared, or nobody knows yet what the server can do. */
export const SERVES_RESOURCES = Prisma.sql`(s.capabilities IS NULL OR jsonb_exists(s.capabilities::jsonb, 'resources'))`;

/** `t` is the task. The first size is known without reading the value. */
const RESULT = Prisma.sql`CASE WHEN pg_column_size(t.result) > ${REPLY_BYTES} THEN NULL ELSE t.result END`;

/** Of tasks of any server of the organization that the arguments name, and that the principal may see. */
async function relatedResults(
  tx: Tx,
  principal: Principal,
  { arguments: args, taskId, requesterUserId, isLive }: RequestRow,
): Promise<RelatedRow[]> {
  const ids = idsIn(args).filter((id) => id !== taskId);
  if (ids.length === 0) return [];
  return tx.$queryRaw<RelatedRow[]>`
    SELECT t.id, t.connection_id AS "connectionId", s.id AS "serverId", s.name AS "serverName", ${RESULT} AS result,
      ${requestedBy(principal)} OR (${isLive} AND (c.user_id IS NULL OR coalesce(c.user_id = ${requesterUserId}::uuid, false))) AS "mayAsk"
    FROM task t JOIN server s ON s.organization_id = t.organization_id AND s.id = t.server_id
      JOIN connection c ON c.organization_id = t.organization_id AND c.id = t.connection_id
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ANY (${ids.slice(0, 50)}::uuid[])
      AND t.finished_at IS NOT NULL AND ${visibleTask(principal)}
    ORDER BY t.id LIMIT ${MOST_RELATED}`;
}

/** `related`: the id of a related task, whose documents are others than the request's own; else empty. */
function toKnown(
  found: FoundDocument,
  { connectionId, serverId, serverName }: Source,
  taskId: string,
  related: string,
  mayAsk: boolean,
): KnownDocument {
  const key = `${related} ${found.key}`;
  const id = createHash("sha256").update(key).digest("hex").slice(0, 32);
  return { ...found, key, id, taskId, source: { connectionId, serverId, serverName }, mayAsk };
}

interface RelatedRow extends Source {
  id: string;
  result: unknown;
  mayAsk: boolean;
}

interface RequestRow extends Source {
  message: string;
  taskId: string;
  arguments: unknown;
  result: unknown;
  servesResources: boolean;
  requesterUserId: string | null;
  /** The principal asked for the task. */
  asksOneself: boolean;
  /** The task has a question to decide. */
  isLive: boolean;
}
