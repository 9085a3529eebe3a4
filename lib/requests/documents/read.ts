/** Hands out one document of a request: an embedded one, or one that the task's server is asked for. */
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import type { Services } from "../../base/process/services.ts";
import { appendRead } from "../../history/events/event-writes.ts";
import { createPeer, openWire } from "../../mcp/connect.ts";
import { discover } from "../../mcp/discover.ts";
import { CLOSE_MS, DOCUMENT_MS } from "../../mcp/limits.ts";
import type { Endpoint, Era } from "../../mcp/peer.ts";
import { NOT_REACHED, PeerError, SignInNeeded } from "../../mcp/peer-error.ts";
import type { ResourcePart } from "../../mcp/resources.ts";
import {
  ADDRESS_COLUMNS,
  ADDRESS_TABLES,
  type ConnectionAddress,
  readingEndpointOf,
} from "../../servers/connections/connection-reads.ts";
import { EntryGone } from "../../servers/operator-file.ts";
import { judge } from "../../servers/probe.ts";
import { eraSchema } from "../../servers/server-schema.ts";
import { judgeContent, TOO_LARGE } from "./content.ts";
import { findDocuments, type KnownDocument } from "./document-reads.ts";
import { inTurn } from "./turns.ts";

/**
 * Reads of one connection at a time. A command is started for each document, so a command's are read one
 * after the other.
 */
const AT_ONCE = 2;

export interface ReadDocument {
  name: string;
  /** Of a few types that browsers only draw, or plain text. */
  mediaType: string;
  bytes: Buffer;
}

/**
 * The request is looked at first, and only what it names itself is read; of a server only as `mayAsk` says: the
 * read goes out with another person's credentials.
 * Who reads it is in the history before the bytes are handed out. Aborting `signal` gives the read up. Throws `not_found`, `no_longer_open`, `throttled`, `document_too_large`,
 * `document_not_shown`, `server_paused`, `server_unavailable`.
 */
export async function readDocument(
  services: Services,
  principal: Principal,
  inputRequestId: string,
  documentId: string,
  signal: AbortSignal,
): Promise<ReadDocument> {
  const { organizationId } = principal;
  const within = <T>(work: (tx: Tx) => Promise<T>) => services.db.withOrganization(organizationId, work);
  const documents = await within((tx) => findDocuments(tx, principal, inputRequestId));
  const document = documents.find(({ id }) => id === documentId);
  if (!document) throw notFound("document");
  const content = document.embedded ?? (await askServer(services, principal, within, document, signal));
  const judged = judgeContent(content);
  if ("refused" in judged) throw refusal(judged);
  const { id, name, taskId } = document;
  await within((tx) =>
    appendRead(tx, {
      type: "document.read",
      actor: principal.actor,
      taskId,
      data: { id, name, inputRequestId },
    }),
  );
  return { name: document.name, ...judged };
}

async function askServer(
  services: Services,
  { actor }: Principal,
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  { uri, source: { connectionId }, mayAsk }: KnownDocument,
  signal: AbortSignal,
): Promise<ResourcePart> {
  if (!mayAsk)
    throw new AppError(
      "no_longer_open",
      "Only the requester of its task can read this document from the server now.",
    );
  const address = await within((tx) => readAddress(tx, connectionId));
  if (!address) throw new AppError("server_unavailable", "The server was removed from Intray.");
  if (address.isPaused)
    throw new AppError("server_paused", "The server is paused. Its documents can be read after the pause.");
  const known = eraSchema.safeParse(address.eraSetting).data ?? eraSchema.nullable().parse(address.era);
  const turn = {
    connectionId,
    uri: uri ?? "",
    caller: `${actor.kind} ${actor.id}`,
    atOnce: address.url.startsWith("command:") ? 1 : AT_ONCE,
    signal,
  };
  const parts = await inTurn(turn, async (abandoned) =>
    readAt(readingEndpointOf(address, services), known, turn.uri, services, abandoned),
  ).catch(unavailable);
  const part = parts.find((each) => each.uri === uri) ?? parts[0];
  if (!part) throw new AppError("server_unavailable", "The server returned nothing for this document.");
  return part;
}

interface ServerAddress extends ConnectionAddress {
  era: string | null;
  eraSetting: string;
  isPaused: boolean;
}

async function readAddress(tx: Tx, connectionId: string): Promise<ServerAddress | undefined> {
  const [address] = await tx.$queryRaw<ServerAddress[]>`
    SELECT ${ADDRESS_COLUMNS}, s.era, s.era_setting AS "eraSetting", s.paused_at IS NOT NULL AS "isPaused"
    FROM ${ADDRESS_TABLES}
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.id = ${connectionId}::uuid AND s.removed_at IS NULL`;
  return address;
}

async function readAt(
  endpoint: Endpoint,
  known: Era | null,
  uri: string,
  { network }: Services,
  signal: AbortSignal,
): Promise<ResourcePart[]> {
  const end = performance.now() + DOCUMENT_MS;
  const options = () => ({ deadlineMs: Math.max(1, end - performance.now()), signal });
  const wire = openWire(endpoint, network);
  try {
    const era = known ?? (await discover(wire, "auto", options())).era;
    const peer = createPeer(era, wire);
    const session = await peer.open(options());
    try {
      return await peer.readResource(session, uri, options());
    } finally {
      await peer.close(session, { deadlineMs: CLOSE_MS });
    }
  } finally {
    await wire.end();
  }
}

/** Throws in our own words, as for a probe: the server's text could reveal private networks. */
function unavailable(error: unknown): never {
  if (!(error instanceof PeerError)) throw error;
  if (error.code === "too_large") throw refusal(TOO_LARGE, error);
  const hasWords = error instanceof EntryGone || error instanceof SignInNeeded;
  const message = hasWords ? error.message : (WORDS[error.code] ?? judge(error).message);
  throw new AppError("server_unavailable", message ?? NOT_REACHED, { cause: error });
}

const WORDS: Partial<Record<PeerError["code"], string>> = {
  not_supported: "The server offers no documents.",
  unauthorized: "The server does not let this connection read the document.",
  rejected: "The server does not have this document, or does not offer it.",
};

function refusal({ refused, why }: { refused: "too_large" | "not_shown"; why: string }, cause?: unknown) {
  return new AppError(`document_${refused}`, why, { cause });
}
