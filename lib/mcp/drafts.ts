/**
 * What drafts of MCP add to tasks, which an engine uses where its operator says so (INTRAY_DRAFTS). docs/compatibility.md says
 * which drafts, and as of when. Drafts change: nothing depends on these, and what is odd counts as absent.
 */
import { z } from "zod";
import { HANDLE_CHARACTERS, ID_CHARACTERS } from "./limits.ts";

/** Where a task's intermediate results come from ("Task Event Sources"). */
export interface EventSource {
  name: string;
  arguments: Record<string, unknown>;
  /** The place in the stream after which events are wanted; null: from now on. */
  cursor: string | null;
}

/** Events ("MCP Events"). */
export interface EventBatch {
  count: number;
  /** The data of the last one in words, null if there is none. Untrusted. */
  newest: string | null;
  cursor: string | null;
  hasMore: boolean;
  /** When the server wants to be asked again; null: it does not say. */
  nextPollMs: number | null;
}

/** Declared in each request ("Extension Versioning", and that events are taken). The first version is what a server without versions has. */
export const DRAFT_SETTINGS = { version: "1.0.0" };
export const DRAFT_CAPABILITIES = { events: {} };

const record = z.record(z.string(), z.unknown());
const cursor = z.string().max(HANDLE_CHARACTERS).nullish().catch(null);

/** `eventSource` of a task. */
export const eventSourceSchema = z
  .looseObject({
    name: z.string().min(1).max(ID_CHARACTERS),
    input: record.default({}),
    initialCursor: cursor,
  })
  .transform(
    ({ name, input, initialCursor }): EventSource => ({
      name,
      arguments: input,
      cursor: initialCursor ?? null,
    }),
  )
  .nullish()
  .catch(null);

/** The result of `events/poll`. */
export const eventBatchSchema = z
  .looseObject({
    events: z.array(z.unknown()).default([]).catch([]),
    cursor,
    hasMore: z.boolean().nullish().catch(null),
    nextPollMs: z.number().nonnegative().nullish().catch(null),
  })
  .transform(
    (batch): EventBatch => ({
      count: batch.events.length,
      newest: messageOf(batch.events.at(-1)),
      cursor: batch.cursor ?? null,
      hasMore: batch.hasMore === true,
      nextPollMs: batch.nextPollMs ?? null,
    }),
  );

const occurrenceSchema = z.looseObject({ data: record });
/** Names under which servers put sentences. */
const SENTENCES = ["message", "summary", "text"];

function messageOf(event: unknown): string | null {
  const { data } = occurrenceSchema.safeParse(event).data ?? {};
  if (!data) return null;
  const sentence = SENTENCES.map((name) => data[name]).find(
    (value) => typeof value === "string" && value !== "",
  );
  return (sentence as string | undefined) ?? JSON.stringify(data);
}
