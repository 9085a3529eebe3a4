import { z } from "zod";

const timestamp = z.iso.datetime();

/** An unknown task of a server, as a start's possible outcome. Its handle is never shown. */
export const candidateSchema = z.object({
  id: z.uuid(),
  /** The server's words: untrusted. */
  status: z.string(),
  statusMessage: z.string().nullable(),
  /** By our clock. */
  serverCreatedAt: timestamp.nullable(),
  foundAt: timestamp,
});
export type Candidate = z.infer<typeof candidateSchema>;

export const foundTaskSchema = candidateSchema.extend({
  /** The start of unknown outcome that may have made the task; null: none. */
  taskId: z.uuid().nullable(),
});
export type FoundTask = z.infer<typeof foundTaskSchema>;

export const adoptSchema = z.strictObject({
  /** The tool that was called, if the adopter knows it. */
  tool: z.string().trim().min(1).max(256).optional(),
  /** A short name for lists. */
  label: z.string().trim().min(1).max(60).optional(),
});
export type AdoptInput = z.infer<typeof adoptSchema>;

export const settleStartSchema = z.strictObject({
  /** The task that the start made; null: the call never started. */
  foundTaskId: z.uuid().nullable(),
});
